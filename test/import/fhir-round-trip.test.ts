// Issue 3, "Load": what the directory serves can be loaded again. The shipped edition is exported over HTTP as Bundles and
// through the snapshot as NDJSON, imported anew, and compared resource by resource and answer by answer.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { indexResource } from '../../src/import/fhir/index-entries.ts';
import type { CheckedResource } from '../../src/import/fhir/validate.ts';
import { resourceIssue } from '../../src/import/fhir/validate.ts';
import { mapOrganization } from '../../src/import/mapping/organization.ts';
import { mapPractitioner } from '../../src/import/mapping/practitioner.ts';
import { mapRoles } from '../../src/import/mapping/practitioner-role.ts';
import { factsOfActivity, factsOfEstablishment, factsOfLegalEntity } from '../../src/import/mapping/structure.ts';
import type { ImportReport } from '../../src/import/publish/report.ts';
import { splitFinessLine } from '../../src/import/registers/finess.ts';
import {
  type Clause,
  type IndexedResource,
  RESOURCE_TYPES,
  type ResourceType,
  type Snapshot,
} from '../../src/search-index/snapshot.ts';
import { wordsOf } from '../../src/search-index/tokenizer.ts';
import { entriesOf } from '../support/directory/reading.ts';
import { startDirectory } from '../support/directory/service.ts';
import { EDITION } from '../support/edition-truth.ts';
import { type Bench, openBench } from '../support/import/register-files.ts';
import { NAMESPACE, openShippedSnapshot } from '../support/shipped-snapshot.ts';

/** All resources of a type in their order, `meta` included. */
async function all(snapshot: Snapshot, type: ResourceType): Promise<string[]> {
  const found: string[] = [];
  for (let after: number | undefined; ; ) {
    const page = await snapshot.search({ type, clauses: [], limit: 200, total: false, ...(after && { after }) });
    found.push(...page.matches.map(({ json }) => json));
    after = page.matches.at(-1)?.position;
    if (!page.more) return found;
  }
}

/** As text, of which thousands are compared at once. */
const withoutMeta = (json: string): string => {
  const { meta: _meta, ...resource } = JSON.parse(json) as Record<string, unknown>;
  return JSON.stringify(resource);
};

describe('issue 3: the shipped edition, exported and imported again', () => {
  let bench: Bench;
  let report: ImportReport;
  let before: Snapshot;
  let after: Snapshot;

  beforeAll(async () => {
    bench = await openBench();
    before = await openShippedSnapshot();
    const directory = await startDirectory(before, { namespace: NAMESPACE });
    const client = directory.client();
    const files: string[] = [];
    for (const resourceType of ['Practitioner', 'Organization']) {
      let bundle = await client.search({ resourceType, searchParams: { _count: '200' } });
      const entry: unknown[] = [];
      for (;;) {
        entry.push(...entriesOf(bundle));
        const next = await client.nextPage({ bundle: bundle as never });
        if (!next) break;
        bundle = next as typeof bundle;
      }
      // The entries first, as a program may well write them.
      const text = JSON.stringify({ entry, type: 'collection', resourceType: 'Bundle' }, null, 2);
      files.push(bench.file(`${resourceType}.json`, text));
    }
    await directory.stop();
    const roles = (await all(before, 'PractitionerRole')).reverse().join('\n');
    files.push(bench.file('roles', gzipSync(roles)));
    report = await bench.run(files.reverse());
    after = await bench.snapshot();
  });
  afterAll(async () => {
    await before.close();
    await bench.close();
  });

  it('takes every resource', () => {
    expect(report).toMatchObject({ outcome: 'imported', warnings: [], linesLeftOut: { count: 0 } });
    expect(report.files.map(({ kind }) => kind)).toEqual(['fhir', 'fhir', 'fhir']);
  });

  it.each(RESOURCE_TYPES)('%s: the same resources in the same order', async (type) => {
    const [one, other] = [await all(before, type), await all(after, type)];
    expect(one.length).toBeGreaterThan(500);
    expect(other.map(withoutMeta)).toEqual(one.map(withoutMeta));
  });

  it.each(RESOURCE_TYPES)('%s: the same answers to searches by every key of a sample', async (type) => {
    const sample = (await all(before, type)).filter((_json, index) => index % 127 === 0);
    const fields = new Set<string>();
    for (const json of sample) {
      for (const [field, items] of Object.entries(indexResource(JSON.parse(json) as CheckedResource).index)) {
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
  const words = wordsOf(item).map((prefix) => ({ prefix, whole: [] }));
  return words.length === 0 ? undefined : { field, match: 'words', anyOf: [words.slice(0, 8)] };
}

describe('issue 3: the index of a FHIR resource is the one that the registers give it', () => {
  const linesOf = (name: string) => {
    const file = readdirSync(EDITION).find((one) => one.includes(name)) ?? '';
    return gunzipSync(readFileSync(join(EDITION, file)))
      .toString('utf8')
      .trimEnd()
      .split('\n')
      .slice(1);
  };
  const rowsOf = (name: string) => linesOf(name).map((line) => line.split('|'));
  const byPerson = (rows: string[][], column: number) => Map.groupBy(rows, (row) => row[column] ?? '');

  const expectSame = (mapped: IndexedResource) => {
    const resource = JSON.parse(JSON.stringify(mapped.resource)) as CheckedResource;
    const fault = resourceIssue(resource);
    const given = indexResource({ ...resource, meta: { versionId: '7' }, text: { status: 'empty' } });
    const sorted = ({ index, ...rest }: IndexedResource) => ({
      ...rest,
      index: Object.fromEntries(Object.entries(index).map(([field, items]) => [field, [...new Set(items)].sort()])),
    });
    const [one, other] = [sorted(given), sorted({ ...mapped, resource })];
    // Thousands of comparisons: the matcher is for the one that fails.
    if (fault === undefined && isDeepStrictEqual(one, other)) return;
    expect([one, fault]).toEqual([other, undefined]);
  };

  it('for all people and their roles', () => {
    const diplomas = byPerson(rowsOf('Dipl_AutExerc'), 2);
    const skills = byPerson(rowsOf('SavoirFaire'), 2);
    const mailboxes = byPerson(
      rowsOf('MSSante').filter(([type]) => type === 'PER'),
      4,
    );
    const people = byPerson(rowsOf('Personne_activite'), 2);
    expect(people.size).toBeGreaterThan(1000);
    for (const [nationalId, activities] of people) {
      const lines = {
        nationalId,
        activities,
        diplomas: diplomas.get(nationalId) ?? [],
        skills: skills.get(nationalId) ?? [],
        mailboxes: mailboxes.get(nationalId) ?? [],
      };
      const practitioner = mapPractitioner(lines, NAMESPACE, () => {});
      expectSame(practitioner);
      for (const role of mapRoles(practitioner.id, activities)) expectSame(role);
    }
  });

  it('for all structures', () => {
    const boxes = rowsOf('MSSante').filter(([type]) => type === 'ORG');
    const facts = [
      ...rowsOf('Personne_activite').map((row) => factsOfActivity(row, () => {})),
      ...linesOf('cs1100501').map((line) => factsOfLegalEntity(splitFinessLine(line), () => {})),
      ...linesOf('cs1100502').map((line) => factsOfEstablishment(splitFinessLine(line), () => {})),
    ];
    for (const [index, fact] of facts.entries()) {
      expectSame(mapOrganization(`o-${index}`, [fact], boxes.slice(index, index + 2), NAMESPACE, () => {}));
    }
  });
});
