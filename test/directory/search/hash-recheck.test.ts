// Specification 2.3 and 2.4, "exact value only": keys are found by 64 bits of hash, and what shares them by chance is not
// found. A collision cannot be waited for, so each test makes one: it gives an entry the hash of another key.

import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import { matchesToken } from '#directory/search/resource-checks.ts';
import { indexResource } from '#import/fhir/index-entries.ts';
import { hashTermKey } from '#search-index/file-layout.ts';
import { bucketOf, hashedFrom, hashKey } from '#search-index/hash-buckets.ts';
import { openSnapshot } from '#search-index/read/reader.ts';
import type { Clause, ResourceType, Snapshot } from '#search-index/snapshot.ts';
import { createSnapshotWriter } from '#search-index/write/writer.ts';
import { newFolder } from '#support/new-folder.ts';

const RPPS = 'https://rpps.example';
const person = (id: string, value: string, mail: string) => ({
  resourceType: 'Practitioner',
  id,
  identifier: [{ system: RPPS, value }],
  name: [{ family: 'Zimmer' }],
  telecom: [{ system: 'email', value: mail }],
});
const structure = (id: string, more: object = {}) => ({
  resourceType: 'Organization',
  id,
  name: `Maison ${id}`,
  ...more,
});
const PEOPLE = [
  person('a', '100', 'Anne@mail.example'),
  person('b', '200', 'b@mail.example'),
  person('c', '300', 'c@mail.example'),
];
/** So many that they have a posting list. */
const MANY = Array.from({ length: 70 }, (_, at) =>
  structure(`m${at}`, { partOf: { reference: 'Organization/large' } }),
);
const FEW = Array.from({ length: 9 }, (_, at) => structure(`f${at}`, { partOf: { reference: 'Organization/small' } }));
/** Parents with one part each, which comes first by name; one of them falls into the bucket of any other key. */
const ALONE = ['other', ...Array.from({ length: 9 }, (_, at) => `other-${at}`)].map((parent) =>
  structure(`a-${parent}`, { partOf: { reference: `Organization/${parent}` } }),
);
const role = (id: string, person: string, organization: string) => ({
  resourceType: 'PractitionerRole',
  id,
  practitioner: { reference: `Practitioner/${person}` },
  organization: { reference: `Organization/${organization}` },
});
const ROLES = [role('r-a', 'a', 'phone'), role('r-b', 'b', 'small'), role('r-c', 'c', 'f0')];
/** More structures with one number than are rechecked at once; it is the fax of every third one. */
const SHARED = Array.from({ length: 12 }, (_, at) =>
  structure(`shared-${at}`, { telecom: [{ system: at % 3 === 2 ? 'fax' : 'phone', value: '0381000077' }] }),
);
const STRUCTURES = [
  ...ALONE,
  ...SHARED,
  structure('large'),
  structure('small'),
  structure('phone', { telecom: [{ system: 'phone', value: '+33 3 81 00 00 00' }] }),
  structure('version', { partOf: { reference: 'Organization/small/_history/3' } }),
  structure('elsewhere', { partOf: { reference: 'https://other.example/Organization/small' } }),
  structure('quoted', { identifier: [{ value: 'say "so" \\ é' }, { value: 'x', system: 'urn:y' }] }),
];

let folder: string;
let file: string;

/**
 * Gives the entries of `key` the hash of `other`, or of one that begins like it and belongs into the same bucket.
 * Returns that key.
 */
function collide(type: ResourceType, field: string, key: string, wanted: string): string {
  const database = new BetterSqlite3(file);
  const { number, bits } = database
    .prepare<[string, string], { number: number; bits: number }>(
      'select number, bits from field where type = ? and name = ?',
    )
    .get(type, field) as { number: number; bits: number };
  const bucket = (text: string) => bucketOf(halvesOf(text).high, bits);
  let other = wanted;
  for (let at = 0; bucket(other) !== bucket(key); at++) other = `${wanted}-${at}`;
  const rows = database
    .prepare<[number, number], { id: number; entries: Uint8Array }>(
      'select id, entries from key_hash where id >= ? and id < ?',
    )
    .all(number * 2 ** 24, (number + 1) * 2 ** 24);
  const from = halvesOf(key);
  const to = halvesOf(other);
  let changed = 0;
  for (const { id, entries: bytes } of rows) {
    const entries = new Uint32Array(new Uint8Array(bytes).buffer);
    for (let at = 0; at < entries.length; at += 3) {
      if (entries[at] !== from.high || entries[at + 1] !== from.low) continue;
      entries.set([to.high, to.low], at);
      changed++;
    }
    database.prepare('update key_hash set entries = ? where id = ?').run(new Uint8Array(entries.buffer), id);
  }
  database
    .prepare('update term set key = ? where field = ? and key = ?')
    .run(hashTermKey(to.high, to.low), number, hashTermKey(from.high, from.low));
  database.close();
  expect(changed).toBeGreaterThan(0);
  return other;
}

function halvesOf(key: string) {
  const hash = new Uint32Array(2);
  hashKey(key, hash, hashedFrom(key, 'Organization'));
  const [high, low] = hash as unknown as [number, number];
  return { high, low };
}

async function opened<Result>(work: (snapshot: Snapshot) => Promise<Result>, confirmed = true): Promise<Result> {
  const snapshot = await openSnapshot(
    file,
    confirmed ? { hasKey: (_type, field, keys, json) => matchesToken(field, keys, json) } : {},
  );
  try {
    return await work(snapshot);
  } finally {
    await snapshot.close();
  }
}

const search = (type: ResourceType, field: string, keys: readonly string[], limit = 50, confirmed = true) =>
  opened(async (snapshot) => {
    const clauses: Clause[] = [{ field, match: 'exact', anyOf: keys }];
    const { matches, more, total } = await snapshot.search({ type, clauses, limit, total: true });
    return { ids: matches.map(({ id }) => id), more, total };
  }, confirmed);

const NOTHING = { ids: [], more: false, total: 0 };

describe('exact value only, whatever the hashes', () => {
  beforeEach(async () => {
    folder = newFolder();
    const writer = createSnapshotWriter({ folder, id: 'one' });
    for (const one of [...PEOPLE, ...MANY, ...FEW, ...STRUCTURES, ...ROLES])
      await writer.add(indexResource(one as never));
    file = join(folder, (await writer.finish()).file);
    chmodSync(file, 0o644);
  });

  it.each([
    ['Practitioner', 'identifier', '100', '999', 'a'],
    ['Practitioner', 'identifier', `${RPPS}|100`, `${RPPS}|999`, 'a'],
    // The same value under another system: the part that could be made on purpose.
    ['Practitioner', 'identifier', `${RPPS}|100`, 'urn:made-up|100', 'a'],
    ['Practitioner', 'telecom', 'anne@mail.example', 'nobody@mail.example', 'a'],
    ['Practitioner', 'id', 'a', 'nobody', 'a'],
    ['Organization', 'telecom', '0381000000', '0381000001', 'phone'],
    ['Organization', 'part-of', 'Organization/small', 'Organization/nothing', undefined],
    ['Organization', 'part-of', 'Organization/large', 'Organization/nothing', undefined],
  ] as const)('%s.%s %s does not find %s', async (type, field, key, wanted, id) => {
    const before = await search(type, field, [key]);
    expect(before.total).toBeGreaterThan(0);
    if (id !== undefined) expect(before.ids).toEqual([id]);
    expect(await search(type, field, [wanted])).toEqual(NOTHING);
    const other = collide(type, field, key, wanted);
    expect((await search(type, field, [other], 50, field === 'id')).total).toBe(field === 'id' ? 0 : before.total);
    expect(await search(type, field, [other])).toEqual(NOTHING);
    expect(await search(type, field, [other], 0)).toEqual(NOTHING);
  });

  it('finds every resource by every key that it has', async () => {
    for (const resource of [...PEOPLE, ...MANY, ...FEW, ...STRUCTURES]) {
      const { type, id, index } = indexResource(resource as never);
      for (const field of ['identifier', 'telecom', 'part-of']) {
        for (const key of index[field] ?? []) {
          const { ids } = await search(type, field, [key], 200);
          expect([type, field, key, ids]).toEqual([type, field, key, expect.arrayContaining([id])]);
        }
      }
    }
  });

  it('reads by id only what has the id', async () => {
    collide('Practitioner', 'id', 'a', 'nobody');
    expect(await opened((snapshot) => snapshot.read('Practitioner', 'nobody'))).toBeUndefined();
  });
});
