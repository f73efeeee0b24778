// Renewal: `directory verify` finds what is wrong with a snapshot's file, whatever was damaged, and nothing in a sound one; and the
// index that the import writes is the one that the resources give.

import {
  chmodSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import BetterSqlite3 from 'better-sqlite3';
import { indexResource } from '#import/fhir/index-entries.ts';
import type { SnapshotSummary } from '#search-index/snapshot-writer.ts';
import { checksumOfFile, type FindingKind, type VerifyReport, verifySnapshotFile } from '#search-index/verify.ts';
import { createSnapshotWriter, type SnapshotWriterOptions } from '#search-index/write/writer.ts';
import { edition } from '#support/directory/edition.ts';
import { newFolder } from '#support/new-folder.ts';
import { unlikeRebuilt } from '#support/search-index/rebuilt-index.ts';

describe('verify snapshot', () => {
  let folder: string;
  beforeEach(() => {
    folder = newFolder();
  });

  const ROLES = ['prat-1', 'prat-2'].map((id) => ({
    resourceType: 'PractitionerRole' as const,
    id: `role-${id}`,
    active: true,
    practitioner: { reference: `Practitioner/${id}` },
    organization: { reference: 'Organization/org-1' },
    specialty: [{ coding: [{ system: 'urn:oid:1.2.3', code: 'SM26' }] }],
  }));
  /** Without the role that leads nowhere. */
  const EDITION = edition()
    .map(({ resource }) => resource)
    .filter(({ id }) => id !== 'gone-a');
  const RESOURCES = [...EDITION, ...ROLES];

  interface Loaded extends SnapshotSummary {
    path: string;
    checksum: string;
  }

  const built = new Map<string, Promise<Loaded>>();
  const kept = newFolder();

  /** A snapshot in the test's folder. Those that are alike are built once, and each test damages a copy of its own. */
  async function load(
    options: Partial<SnapshotWriterOptions> = {},
    resources: readonly object[] = RESOURCES,
  ): Promise<Loaded> {
    if (options.previous !== undefined) return build(folder, options, resources);
    const key = JSON.stringify([options, resources.length]);
    const first = built.get(key) ?? build(join(kept, String(built.size)), options, resources);
    built.set(key, first);
    const loaded = await first;
    const path = join(folder, loaded.file);
    copyFileSync(loaded.path, path);
    return { ...loaded, path };
  }

  async function build(
    within: string,
    options: Partial<SnapshotWriterOptions>,
    resources: readonly object[],
  ): Promise<Loaded> {
    mkdirSync(within, { recursive: true });
    const writer = createSnapshotWriter({ folder: within, id: 'one', ...options });
    for (const resource of resources) await writer.add(indexResource(resource as never));
    const summary = await writer.finish();
    const path = join(within, summary.file);
    chmodSync(path, 0o644);
    return { ...summary, path, checksum: await checksumOfFile(path) };
  }

  /** `checksum`: whether it is known; it differs after every damage. */
  async function verify(loaded: Loaded, { checksum = false } = {}): Promise<VerifyReport> {
    const { id, bytes, counts } = loaded;
    const expected = { id, bytes: checksum ? bytes : statSync(loaded.path).size, counts };
    return verifySnapshotFile({
      file: loaded.path,
      expected: checksum ? { ...expected, checksum: loaded.checksum } : expected,
    });
  }

  const kindsOf = ({ findings }: VerifyReport) => findings.map(({ kind }) => kind);
  const examplesOf = ({ findings }: VerifyReport, kind: FindingKind): string =>
    (findings.find((finding) => finding.kind === kind)?.examples ?? []).join('\n');

  describe('verify: a sound snapshot', () => {
    it.each([
      ['as written', {}],
      ['of many segments', { segment: 7 }],
      ['of bitmaps and stored unions', { segment: 50, bitmap: 1, inline: 0, longLists: 1, shortLists: 0 }],
    ])('%s has no findings', async (_how, limits) => {
      const loaded = await load({ limits });
      const report = await verify(loaded, { checksum: true });
      expect(report).toEqual({ findings: [], resources: loaded.counts, complete: true });
      expect(await unlikeRebuilt(loaded.path, limits)).toEqual([]);
    });

    it('nor has one upon another, with some gone and some changed', async () => {
      await load();
      const next = RESOURCES.filter(({ id }) => !/7(-a)?$/.test(id)).map((one) =>
        one.id === 'prat-3' ? { ...one, language: 'fr' } : one,
      );
      const two = await load({ id: 'two', previous: join(folder, 'one.sqlite') }, next);
      expect(two.changes.Practitioner).toMatchObject({ changed: 1, removed: 12 });
      expect(await verify(two, { checksum: true })).toEqual({ findings: [], resources: two.counts, complete: true });
      expect(await unlikeRebuilt(two.path)).toEqual([]);
    });

    it('nor has an empty one', async () => {
      const loaded = await load({}, []);
      expect(await verify(loaded)).toMatchObject({ findings: [], complete: true });
    });
  });

  describe('verify: damage to the bytes of the file', () => {
    it('a bit that flipped anywhere', async () => {
      const loaded = await load();
      const { size } = statSync(loaded.path);
      for (let at = 11; at < size; at += Math.floor(size / 5)) {
        flip(loaded.path, at);
        const report = await verify(loaded, { checksum: true });
        expect([at, kindsOf(report)[0]]).toEqual([at, 'file']);
        expect(examplesOf(report, 'file')).toContain('its checksum is not that of the file that was imported');
        flip(loaded.path, at);
      }
      expect(kindsOf(await verify(loaded, { checksum: true }))).toEqual([]);
    });

    it('a page of the table of resources, though no checksum is known', async () => {
      const loaded = await load();
      const database = new BetterSqlite3(loaded.path, { readonly: true });
      const page = database.prepare("select rootpage from sqlite_schema where name = 'practitioner'").pluck().get();
      database.close();
      for (let at = 0; at < 64; at += 8) flip(loaded.path, (Number(page) - 1) * 16_384 + at);
      const report = await verify(loaded);
      expect(kindsOf(report)).toEqual(['file']);
      expect(report.complete).toBe(false);
    });

    it.each([0, 16_384, -1])('a file cut off at %i bytes', async (size) => {
      const loaded = await load();
      truncateSync(loaded.path, size < 0 ? loaded.bytes + size : size);
      const report = await verify(loaded, { checksum: true });
      expect(kindsOf(report)[0]).toBe('file');
      expect(examplesOf(report, 'file')).toContain(`had ${loaded.bytes} when it was imported`);
    });

    it('a file of another snapshot in its place', async () => {
      const loaded = await load();
      const report = await verifySnapshotFile({ file: loaded.path, expected: { ...loaded, id: 'other' } });
      expect(examplesOf(report, 'file')).toContain('it is the snapshot one, not other');
    });
  });

  it('verify: tells how far it is, first in the file and then among the references', async () => {
    const { path: file, ...loaded } = await load();
    const told: string[] = [];
    await verifySnapshotFile({
      file,
      expected: loaded,
      onProgress: ({ phase, done, resources }) => told.push(`${phase} ${done} ${resources}`),
    });
    expect(told).toEqual(['file 1 0', 'references 0 0', 'references 0 0']);
  });

  /** `rebuilt`: what the comparison with an index that is written anew names. */
  type Damage = readonly [what: string, sql: string, rebuilt: RegExp];

  const NAME = "(select number from field where type = 'Practitioner' and name = 'name')";
  const field = (type: string, name: string) =>
    `(select number from field where type = '${type}' and name = '${name}')`;
  const DAMAGES: readonly Damage[] = [
  ['a person is missing, and not found', "delete from practitioner where id = 'prat-3'", /table segment/],
  ['an id that is not found', "update practitioner set id = 'prat-2b' where id = 'prat-2'", /table key_hash/],
  ['a change on another day than the index says', "update practitioner set updated = updated - 86400000 where id = 'prat-2'", /table instant/],
  ['a name that the index does not know', `update practitioner set body = ',"name":[{"family":"LEBEUF"}]}' where id = 'prat-2'`, /table term/],
  ['an identifier that the index does not know', `update practitioner set body = replace(body, '10000000029', '10000000030') where id = 'prat-2'`, /table key_hash/],
  ['the list of a word is missing', `delete from term where field = ${NAME} and key = 'jean' || char(2)`, /table term.*"jean/],
  ['a list says that it holds more', `update term set doc_freq = doc_freq + 1 where field = ${NAME} and key = 'jean' || char(2)`, /table term.*"jean/],
  ['identifiers are not found', `delete from key_hash where id / 16777216 = ${field('Organization', 'identifier')}`, /table key_hash/],
  ['items without owner', `update item_parent set parents = x'ffff' where field = ${field('Practitioner', 'address')}`, /table item_parent/],
  ['a field is missing', "delete from field where type = 'Organization' and name = 'telecom'", /table field/],
  ['two places are exchanged', "update segment set ordinals = cast(substr(ordinals, 5, 4) || substr(ordinals, 1, 4) || substr(ordinals, 9) as blob) where type = 'Organization'", /table segment/],
]; // biome-ignore format: a table

  const LIMITS = { segment: 150, longLists: 1, shortLists: 0 };

  async function damaged(sql: string): Promise<Loaded> {
    const loaded = await load({ limits: LIMITS });
    const database = new BetterSqlite3(loaded.path);
    expect(database.prepare(sql).run().changes).toBeGreaterThan(0);
    database.close();
    return loaded;
  }

  describe('verify: damage within', () => {
    it.each(DAMAGES)('%s', async (...[, sql, rebuilt]: Damage) => {
      const loaded = await damaged(sql);
      const report = await verify(loaded, { checksum: true });
      expect(examplesOf(report, 'file')).toMatch(/had \d+ when it was imported|its checksum is not that/);
      expect(report.complete).toBe(false);
      expect((await unlikeRebuilt(loaded.path, LIMITS)).join('\n')).toMatch(rebuilt);
    });

    it('a reference to nothing, as sources have it', async () => {
      const body = `',"name":"SERVICE","partOf":{"reference":"Organization/nothing"}}'`;
      const report = await verify(await damaged(`update organization set body = ${body} where id = 'org-2'`));
      expect([kindsOf(report), report.complete]).toEqual([['reference'], true]);
      expect(examplesOf(report, 'reference')).toContain(
        'org-2.partOf leads to Organization/nothing, which is not there',
      );
    });

    it('a text that is no JSON, though no checksum is known', async () => {
      const report = await verify(await damaged("update organization set body = 'x' where id = 'org-2'"));
      expect([kindsOf(report), report.complete]).toEqual([['file'], false]);
    });

    it('somebody is missing, though no checksum is known', async () => {
      const report = await verify(await damaged("delete from practitioner where id = 'prat-3'"));
      expect(examplesOf(report, 'counts')).toBe('Practitioner: 127, and 128 when it was imported');
    });
  });

  function flip(path: string, at: number): void {
    const file = openSync(path, 'r+');
    const byte = Buffer.alloc(1);
    readSync(file, byte, 0, 1, at);
    writeSync(file, Buffer.of((byte[0] as number) ^ 0x10), 0, 1, at);
    closeSync(file);
  }
});
