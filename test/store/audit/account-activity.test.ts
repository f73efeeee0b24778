// The events of one account page by page, on both engines: none twice, none left out, nothing of others.

import { expect, it } from '@jest/globals';
import { openAccountActivity } from '#store/audit/account-activity.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { ENGINES, openTestDatabase } from '#support/databases.ts';

const NOW = Date.parse('2026-11-23T06:00:00Z');
const OF = { outcome: 'success', actor: 'service' } as const;
/** As many in one millisecond as there are on two pages. */
const at = (place: number) => new Date(NOW + Math.floor(place / 6)).toISOString();

it.each(ENGINES)('pages forwards and back, on %s', async (engine) => {
  const { database, close } = await openTestDatabase(engine);
  try {
    const own = Array.from({ length: 14 }, (_, place) => ({
      ...OF,
      time: at(place),
      event: 'account.enabled' as const,
      account: 'a',
      requestId: String(place),
    }));
    const others = [
      { ...OF, time: at(3), event: 'account.enabled' as const, account: 'b' },
      { ...OF, time: at(3), event: 'token.issued' as const, account: 'a' },
      { ...OF, time: new Date(NOW - 1).toISOString(), event: 'account.enabled' as const, account: 'a' },
    ];
    await openAuditEvents(database).append([...others, ...own]);
    const wanted = { events: ['account.enabled'] as const, since: NOW, limit: 3 };
    const { page } = openAccountActivity(database);
    const walk = async (way: 'older' | 'newer', from?: string) => {
      const seen: string[][] = [];
      let last = from;
      for (let more = true; more; ) {
        const found = await page('a', { ...wanted, [way]: last });
        const ids = found.records.map(({ requestId = '' }) => requestId);
        seen[way === 'older' ? 'push' : 'unshift'](ids);
        more = found[way] !== undefined;
        last = found[way] ?? (way === 'older' ? found.newer : found.older);
      }
      return { seen, last };
    };
    const pages = [
      ['13', '12', '11'],
      ['10', '9', '8'],
      ['7', '6', '5'],
      ['4', '3', '2'],
      ['1', '0'],
    ];
    const there = await walk('older');
    expect(there.seen).toEqual(pages);
    const back = await walk('newer', there.last);
    expect(back.seen.flat()).toEqual(pages.slice(0, 4).flat());
    // What was not given out begins at the beginning.
    for (const older of ['x', '1', "1-1' or 1=1", '-1-1', '9'.repeat(30)])
      expect((await page('a', { ...wanted, older })).records.map(({ requestId }) => requestId)).toEqual(pages[0]);
    expect((await page('b', wanted)).records).toHaveLength(1);
  } finally {
    await close();
  }
});
