// What is read of the table of the audit trail, what a verification says of its ends, and the pages of an account.

import { beforeEach, describe, expect, it } from '@jest/globals';
import { openSeals } from '#shared/crypto/seals.ts';
import { openAccountActivity } from '#store/audit/account-records.ts';
import { CHAIN_START, readChain, readEnds, readOutside } from '#store/audit/audit-chain.ts';
import { type AuditRecord, openAuditEvents } from '#store/audit/audit-events.ts';
import { resealCleanUp } from '#store/audit/chain-clean-up.ts';
import { verifyTrail } from '#store/audit/verify-trail.ts';
import { allOf } from '#support/all-of.ts';
import { emptyAuditTrail, records, withoutTriggers } from '#support/audit-trail.ts';
import { openTestDatabase } from '#support/databases.ts';
import { openedForAll } from '#support/opened.ts';

const SECRETS = ['a secret of the operator, long enough to be one'];

describe('the table of the trail', () => {
  const opened = openedForAll(() => openTestDatabase('sqlite'));
  beforeEach(() => emptyAuditTrail(opened.database));

  it('is read in the order of the chain, with its ends and what is outside', async () => {
    const { database } = opened;
    const events = openAuditEvents(database, SECRETS);
    const { found, head } = await events.append(records(2001));
    expect([found, head.sequence]).toEqual([CHAIN_START, 2001]);
    const pages = await allOf(readChain(database));
    expect(pages.map((page) => page.length)).toEqual([2000, 1]);
    expect(pages.flat().map(({ sequence }) => sequence)).toEqual(Array.from({ length: 2001 }, (_, place) => place + 1));
    expect((await allOf(readChain(database, 1999))).flat().map(({ sequence }) => sequence)).toEqual([2000, 2001]);
    expect(await readEnds(database)).toEqual({ head, pruned: CHAIN_START, prunedSeal: null });
    expect(await readOutside(database)).toEqual([]);
    await database('audit_events').insert({ at_ms: 7, event: 'x', outcome: 'success', actor: 'a' });
    expect(await readOutside(database)).toEqual([{ id: expect.any(Number), at_ms: 7, event: 'x' }]);
    const before = Date.now() + 3_600_000;
    expect([await events.prune(before, 3), (await readEnds(database))?.pruned.sequence]).toEqual([3, 3]);
    const seals = await openSeals(SECRETS);
    const { prunedSeal = '' } = (await readEnds(database)) ?? {};
    await resealCleanUp(database, seals);
    expect([(await readEnds(database))?.prunedSeal, prunedSeal?.length]).toEqual([prunedSeal, 31]);
    expect((await verifyTrail(database, seals)).faults.map(({ problem }) => problem)).toEqual([
      'inserted: it is not in the chain',
    ]);
  });

  it('loses records outside the chain once it has no older ones itself, and never says that fewer may go', async () => {
    const { database } = opened;
    const events = openAuditEvents(database);
    await events.append(records(2, Date.now() - 7_200_000));
    const outside = [5, 7, 8].map((at_ms) => ({ at_ms, event: 'x', outcome: 'success', actor: 'a' }));
    await database('audit_events').insert(outside);
    const before = async () => Number((await database('audit_chain').first()).pruned_before);
    expect([await events.prune(8, 1), await before()]).toEqual([1, 8]);
    expect([
      await events.prune(8),
      await events.prune(8),
      (await readOutside(database)).map(({ at_ms }) => at_ms),
    ]).toEqual([1, 0, [8]]);
    await database('audit_events').insert(outside.slice(0, 1));
    expect([await events.prune(6), await before()]).toEqual([1, 8]);
    // The old ones of the chain go first.
    const now = Date.now();
    expect([await events.prune(now - 3_600_000), await before()]).toEqual([2, 8]);
    expect([await events.prune(now - 3_600_000), await before()]).toEqual([1, now - 3_600_000]);
    expect((await verifyTrail(database, await openSeals([]))).faults).toEqual([]);
  });

  it('that ends otherwise than the chain, or has lost its row, says so', async () => {
    const { database } = opened;
    await openAuditEvents(database).append(records(3));
    const none = await openSeals([]);
    const change = (columns: object) => withoutTriggers(database, () => database('audit_chain').update(columns));
    await change({ digest: 'other' });
    expect((await verifyTrail(database, none)).faults).toEqual([
      { sequence: 3, problem: 'the table audit_chain ends with another record: 3:other' },
    ]);
    await change({ sequence: 5 });
    const known = { sequence: 7, digest: 'x' };
    expect((await verifyTrail(database, none, known)).faults).toEqual([
      { sequence: 4, problem: 'missing, and all up to 5: the end is cut off' },
      { sequence: 4, problem: 'missing, and all up to 7: the end is cut off' },
    ]);
    await change({ pruned_sequence: 1, pruned_digest: 'p' });
    expect((await verifyTrail(database, none, { sequence: 1, digest: 'q' })).faults[0]).toEqual({
      sequence: 1,
      problem: 'another record than the one whose digest was kept elsewhere was removed by the clean-up',
    });
    const sealed = await openSeals(SECRETS);
    const cleanUp = async () => (await verifyTrail(database, sealed)).faults[0]?.problem;
    const said = 'records up to this one are gone, and no clean-up of the service has sealed that';
    expect(await cleanUp()).toBe(`${said} (unsealed)`);
    await change({ pruned_seal: sealed.seal('other') });
    expect(await cleanUp()).toBe(`${said} (wrong seal)`);
    await change({ pruned_seal: 'x'.repeat(31) });
    expect(await cleanUp()).toBe(`${said} (unknown key)`);
    expect(await verifyTrail(database, none, { sequence: 1, digest: 'p' })).toMatchObject({
      matched: true,
      pruned: { sequence: 1, digest: 'p' },
    });
    await withoutTriggers(database, () => database('audit_chain').delete());
    await expect(verifyTrail(database, none)).rejects.toThrow(
      'the row of the table audit_chain is gone: nobody knows where the chain ends',
    );
    const failed: unknown[] = [];
    database.once('query-error', (error) => failed.push(error));
    await expect(openAuditEvents(database).append(records(1))).rejects.toThrow(
      'the chain of the audit trail has no head: the row of the table audit_chain is gone',
    );
    expect(failed).toHaveLength(1);
    await database('audit_chain').insert({
      id: 1,
      ...CHAIN_START,
      pruned_sequence: 0,
      pruned_digest: '',
      pruned_before: 0,
    });
  });

  it('has pages of an account with ways to the older and newer ones only where there are some', async () => {
    const { database } = opened;
    const at = (place: number): AuditRecord => ({
      time: new Date(1000 * place).toISOString(),
      event: 'token.issued',
      outcome: 'success',
      actor: 'service',
      account: 'a',
      requestId: `${place}`,
    });
    await openAuditEvents(database).append([1, 2, 3, 4].map(at));
    const { page } = openAccountActivity(database);
    const wanted = { events: ['token.issued'] as const, since: 1000, limit: 2 };
    const shown = async (more: object) => {
      const { records: found, older, newer } = await page('a', { ...wanted, ...more });
      return { ids: found.map(({ requestId }) => requestId), older, newer };
    };
    const first = await shown({});
    expect(first).toEqual({ ids: ['4', '3'], older: expect.stringMatching(/^3000-\d+$/), newer: undefined });
    const second = await shown({ older: first.older });
    expect(second).toEqual({ ids: ['2', '1'], older: undefined, newer: expect.stringMatching(/^2000-\d+$/) });
    expect(await shown({ newer: second.newer })).toEqual({ ids: ['4', '3'], older: first.older, newer: undefined });
    expect(await shown({ limit: 4 })).toEqual({ ids: ['4', '3', '2', '1'], older: undefined, newer: undefined });
    expect((await shown({ limit: 1, newer: second.newer })).newer).toMatch(/^3000-/);
    expect(await shown({ since: 5000 })).toEqual({ ids: [], older: undefined, newer: undefined });
    expect((await page('b', wanted)).records).toEqual([]);
  });
});
