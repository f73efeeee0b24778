// Bulk: what an export may cost. The files here are far larger than what fits between server and client, so that
// a client that does not read holds its download.

import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Snapshot } from '#search-index/snapshot.ts';
import { edition } from '#support/directory/edition.ts';
import { ask } from '#support/directory/exporting.ts';
import { scanSnapshot } from '#support/directory/scan-snapshot.ts';
import { startDirectory } from '#support/directory/service.ts';
import { openedForAll } from '#support/opened.ts';

const RESOURCES = 1_000_000;
const LINE = `${JSON.stringify({ resourceType: 'Practitioner', id: 'x'.repeat(960) })}\n`;
const DOWNLOADS = 3;
/** Of these, what one person has: as many as are left for all others, or one more. */
const SHARE = 2;
const plain = { headers: { 'accept-encoding': 'identity' } };

/** Pieces made so far. */
let made = 0;
let broken = false;

/** A gigabyte that costs nothing to make. */
function large(): Snapshot {
  return {
    ...scanSnapshot('large', edition()),
    counts: async () => ({ Practitioner: RESOURCES, Organization: 0, PractitionerRole: 0 }),
    scan: async (_type, { from, to }) => {
      if (broken) throw new Error('the disk is gone');
      made++;
      return LINE.repeat(to - from);
    },
  };
}

let file: string;

/** Downloads that are not read, and the end of them. */
async function holding(count: number, token: string) {
  const end = new AbortController();
  const answers = [];
  for (let number = 0; number < count; number++) answers.push(await ask(file, { ...plain, token, signal: end.signal }));
  return { statuses: answers.map(({ status }) => status), end: () => end.abort() };
}

/** Whether it becomes true soon. */
async function soon(holds: () => Promise<boolean> | boolean): Promise<boolean> {
  for (let look = 0; look < 3000; look++) {
    if (await holds()) return true;
    await setTimeout(10);
  }
  return false;
}

/** Whether nothing is made for a while. */
const still = async () => {
  const before = made;
  await setTimeout(50);
  return made === before;
};

const statusOf = async (token: string) => {
  const end = new AbortController();
  const { status } = await ask(file, { ...plain, token, signal: end.signal });
  end.abort();
  return status;
};

describe('export: cost', () => {
  const directory = openedForAll(() =>
    startDirectory(large(), {
      exports: { downloads: DOWNLOADS },
      introspect: async (token) => {
        const [clientId = '', accountId = 'someone'] = token.split('-of-');
        const person = accountId !== 'itself' && { accountId };
        return { active: true, ...person, clientId, scopes: new Set(['PRACTITIONER_READ', 'ORGANIZATION_READ']) };
      },
    }),
  );

  beforeAll(() => {
    file = `${directory.address}/$export/large/Practitioner-0000000-${RESOURCES}.ndjson`;
  });

  it('SEC-54 more files at a time than the limit: 429 throttled with Retry-After, for this client alone', async () => {
    const held = [await holding(SHARE, 'greedy'), await holding(1, 'greedy-of-another')];
    expect(held.flatMap(({ statuses }) => statuses)).toEqual([200, 200, 200]);
    const refused = await ask(file, { token: 'greedy-of-third' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
    expect(await refused.json()).toMatchObject({
      resourceType: 'OperationOutcome',
      issue: [
        { severity: 'error', code: 'throttled', diagnostics: expect.stringContaining('wait until one has ended') },
      ],
    });
    expect(await statusOf('modest')).toBe(200);
    for (const { end } of held) end();
    expect(await soon(async () => (await statusOf('greedy')) === 200)).toBe(true);
  });

  it('SEC-76 one person leaves downloads to the others of the client; what the client does on its own takes none of theirs', async () => {
    const held = [await holding(DOWNLOADS, 'ward-of-one'), await holding(1, 'ward-of-other')];
    expect(held.map(({ statuses }) => statuses)).toEqual([[200, 200, 429], [200]]);
    expect((await (await ask(file, { token: 'ward-of-one' })).json()).issue[0].diagnostics).toBe(
      'Not more than 3 files of an export at a time: wait until one has ended.',
    );
    held[1]?.end();
    const ofOne = async () => (await (await ask(file, { token: 'ward-of-one' })).json()).issue[0].diagnostics;
    const share =
      'Not more than 3 files of an export at a time, and one person no more than are left for others: wait until one has ended.';
    expect(await soon(async () => (await ofOne()) === share)).toBe(true);
    held.push(await holding(DOWNLOADS + 1, 'ward-of-itself'));
    expect(held.at(-1)?.statuses).toEqual([200, 200, 200, 429]);
    held[0]?.end();
    held[2]?.end();
    expect(await soon(async () => (await statusOf('ward-of-one')) === 200)).toBe(true);
  });

  it('what is not downloaded takes no place: HEAD, 304, and a range beyond the end', async () => {
    const part = `${directory.address}/$export/large/Practitioner-0000000-0000400.ndjson`;
    for (let count = 0; count < 2 * DOWNLOADS; count++) {
      expect((await ask(part, { method: 'HEAD', token: 'careful' })).status).toBe(200);
      expect((await ask(part, { headers: { 'if-none-match': '*' }, token: 'careful' })).status).toBe(304);
      expect((await ask(part, { headers: { range: 'bytes=9999999-' }, token: 'careful' })).status).toBe(416);
    }
  });

  it('a client that does not read is waited for: no more is made than fits on the way', async () => {
    const before = made;
    const held = await holding(1, 'slow');
    expect(await soon(still)).toBe(true);
    // Of 5,000 pieces, 200 KB each.
    expect(made - before).toBeLessThan(500);
    held.end();
  });

  it('a client that leaves while the place of its resumed download is looked for ends nothing but that', async () => {
    for (const token of Array.from({ length: DOWNLOADS * 2 }, () => 'leaving')) {
      const before = made;
      const end = new AbortController();
      const left = ask(file, { headers: { range: 'bytes=900000000-' }, token, signal: end.signal }).catch(() => 'left');
      expect(await soon(() => made > before + 2)).toBe(true);
      end.abort();
      expect(await left).toBe('left');
    }
    expect(await soon(still)).toBe(true);
    const held = await holding(SHARE, 'leaving');
    expect(held.statuses).toEqual(Array(SHARE).fill(200));
    held.end();
  });

  it('other requests have their turn after each piece, however many exports run', async () => {
    const end = new AbortController();
    const readers = await Promise.all(
      ['a', 'b', 'c', 'd'].map(async (token) => (await ask(file, { ...plain, token, signal: end.signal })).body),
    );
    const drained = readers.map(async (body) => {
      for await (const _ of body ?? []) if (end.signal.aborted) return;
    });
    const pieces = [];
    for (let count = 0; count < 20; count++) {
      const before = made;
      expect((await ask(`${directory.address}/Practitioner/prat-1`)).status).toBe(200);
      pieces.push(made - before);
    }
    end.abort();
    await Promise.allSettled(drained);
    expect(Math.max(...pieces)).toBeGreaterThan(0);
    expect(pieces.toSorted((a, b) => a - b)[10]).toBeLessThan(20);
  });

  it('a snapshot that breaks in the middle: the body ends too early, and the log says why', async () => {
    // Those before have ended.
    expect(await soon(still)).toBe(true);
    const answer = await ask(file, plain);
    broken = true;
    await expect(answer.arrayBuffer()).rejects.toThrow();
    broken = false;
    expect(directory.logged).toEqual([
      {
        details: expect.objectContaining({ err: new Error('the disk is gone') }),
        message: expect.stringMatching(/export/),
      },
    ]);
  });
});
