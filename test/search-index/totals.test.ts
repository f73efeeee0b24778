// Exact totals, left out where the caller did not ask for them and they cost more; nothing blocks for long.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openSnapshot } from '#search-index/read/reader.ts';
import type { Clause, Snapshot } from '#search-index/snapshot.ts';
import { createSnapshotWriter } from '#search-index/write/writer.ts';
import { practitioner } from '#support/search-index/naive.ts';

const PEOPLE = 3000;
const words = Array.from({ length: 20 }, (_, at) => `w${String.fromCharCode(97 + at)}`);
const alternatives = (count: number): Clause => ({
  field: 'name',
  match: 'words',
  anyOf: words.slice(0, count).map((prefix) => [{ prefix, whole: [] }]),
});

let folder: string;
let snapshot: Snapshot;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hygie-totals-'));
  const writer = createSnapshotWriter({ folder, id: 'many-segments', limits: { segment: 20 } });
  for (let at = 0; at < PEOPLE; at++) {
    const id = String(at).padStart(4, '0');
    await writer.add(practitioner(id, id, { name: [words.join(' ')] }));
  }
  snapshot = await openSnapshot(join(folder, (await writer.finish()).file));
});
afterAll(async () => {
  await snapshot.close();
  rmSync(folder, { recursive: true });
});

const search = (clause: Clause, total: boolean | 'unless-costly') =>
  snapshot.search({ type: 'Practitioner', clauses: [clause], limit: 5, total });

describe('totals', () => {
  it('that cost little are always counted, costly ones only on request, and the page is the same', async () => {
    const few = await search(alternatives(2), 'unless-costly');
    const many = await search(alternatives(20), 'unless-costly');
    const asked = await search(alternatives(20), true);
    expect([few.total, many.total, asked.total]).toEqual([PEOPLE, undefined, PEOPLE]);
    expect(many.matches).toEqual(asked.matches);
    expect((await search(alternatives(20), 'unless-costly')).total).toBeUndefined();
  });

  it('of a single list and of everything are always known', async () => {
    const everything = await snapshot.search({ type: 'Practitioner', clauses: [], limit: 0, total: 'unless-costly' });
    expect([everything.total, (await search(alternatives(1), 'unless-costly')).total]).toEqual([PEOPLE, PEOPLE]);
  });
});
