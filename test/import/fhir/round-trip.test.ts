// Directory import: what the directory serves can be loaded again. A part of the shipped edition is exported over HTTP as Bundles and
// through the snapshot as NDJSON, imported anew, and compared resource by resource and answer by answer.

import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type DirectoryResource, indexResource } from '#import/fhir/index-entries.ts';
import type { ImportReport } from '#import/judgement/import-report.ts';
import { positionOfItem } from '#search-index/positions.ts';
import { type Clause, RESOURCE_TYPES, type ResourceType, type Snapshot } from '#search-index/snapshot.ts';
import { tokenize } from '#search-index/tokenizer.ts';
import { entriesOf, pagesFrom } from '#support/directory/reading.ts';
import { startDirectory } from '#support/directory/service.ts';
import { writePartOfEdition } from '#support/import/part-of-edition.ts';
import { type Bench, openBench } from '#support/import/register-files.ts';
import { rounds } from '#support/rounds.ts';
import { NAMESPACE } from '#support/shipped-snapshot.ts';

/** All resources of a type in their order, `meta` included. */
async function all(snapshot: Snapshot, type: ResourceType): Promise<string[]> {
  const found: string[] = [];
  let after: number | undefined;
  for (const _page of rounds()) {
    const page = await snapshot.search({ type, clauses: [], limit: 200, total: false, ...(after && { after }) });
    found.push(...page.matches.map(({ json }) => json));
    after = page.matches.at(-1)?.position;
    if (!page.more) break;
  }
  return found;
}

/** The edition is read page by page and imported again before the first test. */
const SLOW = 60_000;

/** As text, of which thousands are compared at once. */
const withoutMeta = (json: string): string => {
  const { meta: _meta, ...resource } = JSON.parse(json) as Record<string, unknown>;
  return JSON.stringify(resource);
};

describe('import: an edition, exported and imported again', () => {
  let bench: Bench;
  let original: Bench;
  let report: ImportReport;
  let before: Snapshot;
  let after: Snapshot;

  beforeAll(async () => {
    bench = await openBench();
    original = await openBench();
    await original.run([writePartOfEdition(join(original.folder, 'edition'))]);
    before = await original.snapshot();
    const directory = await startDirectory(before, { namespace: NAMESPACE });
    const client = directory.client();
    const files: string[] = [];
    for (const resourceType of ['Practitioner', 'Organization']) {
      const first = await client.search({ resourceType, searchParams: { _count: '200' } });
      const entry = (await pagesFrom(client, first)).flatMap((page) => entriesOf(page));
      // The entries first, as a program may well write them.
      const text = JSON.stringify({ entry, type: 'collection', resourceType: 'Bundle' }, null, 2);
      files.push(bench.file(`${resourceType}.json`, text));
    }
    await directory.stop();
    const roles = (await all(before, 'PractitionerRole')).reverse().join('\n');
    files.push(bench.file('roles', gzipSync(roles)));
    report = await bench.run(files.reverse());
    after = await bench.snapshot();
  }, SLOW);
  afterAll(async () => {
    await original.close();
    await bench.close();
  });

  it('takes every resource', () => {
    expect(report).toMatchObject({ outcome: 'imported', warnings: [], linesLeftOut: { count: 0 } });
    expect(report.files.map(({ kind }) => kind)).toEqual(['fhir', 'fhir', 'fhir']);
  });

  it.each(RESOURCE_TYPES)('%s: the same resources in the same order', async (type) => {
    const [one, other] = [await all(before, type), await all(after, type)];
    expect(one.length).toBeGreaterThan(400);
    expect(other.map(withoutMeta)).toEqual(one.map(withoutMeta));
  });

  it.each(RESOURCE_TYPES)('%s: the same answers to searches by every key of a sample', async (type) => {
    const sample = (await all(before, type)).filter((_json, index) => index % 60 === 0);
    const fields = new Set<string>();
    for (const json of sample) {
      for (const [field, items] of Object.entries(indexResource(JSON.parse(json) as DirectoryResource).index)) {
        for (const item of items) {
          const clause = clauseOf(field, item);
          if (!clause) continue;
          fields.add(field);
          const query = { type, clauses: [clause], limit: 50, total: true };
          const [one, other] = await Promise.all([before.search(query), after.search(query)]);
          expect(one.total).toBeGreaterThan(0);
          expect([other.total, other.matches.map(({ id }) => id)]).toEqual([
            one.total,
            one.matches.map(({ id }) => id),
          ]);
        }
      }
    }
    expect(fields.size).toBeGreaterThanOrEqual(type === 'PractitionerRole' ? 4 : 9);
  });
});

const EXACT = new Set(['identifier', 'qualification', 'telecom', 'active', 'part-of', 'type']);
const ROLE_FIELDS = ['practitioner', 'organization', 'role', 'specialty'];

function clauseOf(field: string, item: string): Clause | undefined {
  if (EXACT.has(field) || ROLE_FIELDS.includes(field)) return { field, match: 'exact', anyOf: [item] };
  if (field === 'near') return { field, match: 'near', anyOf: [{ ...positionOfItem(item), metres: 1000 }] };
  const words = tokenize(item).map((prefix) => ({ prefix, whole: [] }));
  return words.length === 0 ? undefined : { field, match: 'words', anyOf: [words.slice(0, 8)] };
}
