// The cost of chains: where they wait, what is refused, and what a chain of references needs from the build.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import { BUCKETS_PER_FIELD, blobOf, FIELDS, SCHEMA } from '#search-index/file-layout.ts';
import { openSnapshot } from '#search-index/read/reader.ts';
import { TooCostly } from '#search-index/search-errors.ts';
import type { ChainedClause, FieldClause, Snapshot } from '#search-index/snapshot.ts';
import { isCostly } from '#search-index/threads/job-queue.ts';
import { storeReferenceTargets } from '#search-index/write/reference-targets.ts';
import { createSnapshotWriter } from '#search-index/write/writer.ts';
import { newFolder } from '#support/new-folder.ts';
import { practitioner } from '#support/search-index/naive.ts';

const named: FieldClause = { field: 'name', match: 'words', anyOf: [[{ prefix: 'martin', whole: [] }]] };
const exact = (field: string, key: string): FieldClause => ({ field, match: 'exact', anyOf: [key] });
const chain = (...clauses: FieldClause[]): ChainedClause => ({
  match: 'chained',
  field: 'practitioner',
  of: 'Practitioner',
  clauses,
});

describe('SEC-54 the cost of chains', () => {
  it.each<[what: string, clause: ChainedClause, costly: boolean]>([
    ['words', chain(named), true],
    ['a code that many have', chain(exact('qualification', '10')), true],
    ['everybody but one', chain({ field: 'id', match: 'exact', anyOf: ['a'], not: true }), true],
    ['exact texts', { ...chain(exact('id', 'a')), exactly: [{ field: 'name', texts: ['A'] }] }, true],
    ['an identifier', chain(exact('identifier', '1')), false],
    ['a system of identifiers', chain(exact('identifier', 'https://rpps.esante.gouv.fr|')), true],
    ['an id among those with a name', chain(named, exact('id', 'a')), false],
    [
      'a reference',
      {
        match: 'has',
        field: 'practitioner',
        of: 'PractitionerRole',
        clauses: [exact('organization', 'Organization/1')],
      },
      false,
    ],
  ])('criteria on linked resources wait where costly searches do: %s', (_what, clause, costly) => {
    const query = { type: 'PractitionerRole', clauses: [clause], limit: 1, total: true } as const;
    expect(isCostly({ method: 'search', arguments: [query] })).toBe(costly);
  });

  describe('of more linked resources than a search may read', () => {
    const PEOPLE = 20_001;
    const KEY = 'shared';
    const folder = newFolder();
    let snapshot: Snapshot;
    beforeAll(async () => {
      const writer = createSnapshotWriter({ folder, id: 'many' });
      for (let at = 0; at < PEOPLE; at++)
        await writer.add(
          practitioner(`p${at}`, '', { name: ['Martin'], identifier: [KEY, at > 0 ? 'fewer' : 'first'] }),
        );
      const role = { resourceType: 'PractitionerRole', id: 'r' } as const;
      const index = { practitioner: ['Practitioner/p0', 'Practitioner/p1'] };
      await writer.add({ type: 'PractitionerRole', id: 'r', sortKey: '', resource: role, index });
      const checks = { hasText: () => true, hasKey: () => true };
      snapshot = await openSnapshot(join(folder, (await writer.finish()).file), checks);
    });
    afterAll(async () => {
      await snapshot.close();
      rmSync(folder, { recursive: true });
    });
    const search = (clause: ChainedClause) =>
      snapshot.search({ type: 'PractitionerRole', clauses: [clause], limit: 1, total: true });

    it.each([
      ['exact texts', { ...chain(named), exactly: [{ field: 'name', texts: ['Martin'] }] }],
      ['a key that all have', chain(exact('identifier', KEY))],
    ])('%s are refused', async (_what, clause) => {
      await expect(search(clause)).rejects.toThrow(TooCostly);
      await expect(search(clause)).rejects.toThrow('more than 20000 linked resources would have to be read: narrow');
    });

    it('several chains of a search together are refused what one may not read', async () => {
      const fewer = (text: string) => ({
        ...chain(exact('identifier', 'fewer')),
        exactly: [{ field: 'name', texts: [text] }],
      });
      const both = { type: 'PractitionerRole', clauses: [fewer('A'), fewer('B')], limit: 1, total: true } as const;
      // The second time, the first chain is remembered.
      for (const _time of [1, 2]) await expect(snapshot.search(both)).rejects.toThrow(TooCostly);
      for (const text of ['A', 'B']) expect((await search(fewer(text))).total).toBe(1);
      await expect(snapshot.search(both)).rejects.toThrow(TooCostly);
    });

    it('as many as it may read are answered, and words need no reading', async () => {
      expect((await search(chain(exact('identifier', 'fewer')))).total).toBe(1);
      expect((await search(chain(named))).total).toBe(1);
      const first = { ...chain(exact('identifier', 'first')), exactly: [{ field: 'name', texts: ['A'] }] };
      expect((await search(first)).total).toBe(1);
    });
  });
});

describe('targets of references', () => {
  it('are refused where two ids have one hash, because a reference would lead to both', () => {
    const database = new BetterSqlite3(':memory:');
    database.exec(SCHEMA);
    const id = FIELDS.findIndex(({ type, name }) => type === 'Organization' && name === 'id');
    const insert = database.prepare('insert into key_hash (id, entries) values (?, ?)');
    insert.run(id * BUCKETS_PER_FIELD, blobOf(Uint32Array.from([7, 8, 0, 7, 9, 1])));
    expect(() => storeReferenceTargets(database)).not.toThrow();
    insert.run(id * BUCKETS_PER_FIELD + 1, blobOf(Uint32Array.from([7, 9, 2])));
    expect(() => storeReferenceTargets(database)).toThrow('two ids of Organization have the same hash');
    database.close();
  });
});
