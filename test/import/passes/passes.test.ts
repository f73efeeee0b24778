// Directory import: an edition in one thread and in several, buckets, the pool of workers, and what the shipped edition holds.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { ImportReport } from '#import/judgement/import-report.ts';
import { createConcepts } from '#import/mapping/codeable-concepts.ts';
import { practitionerId } from '#import/mapping/practitioner.ts';
import { mapRoles } from '#import/mapping/practitioner-role.ts';
import { bucketOfPerson, bucketOfResource } from '#import/passes/buckets.ts';
import { PEOPLE } from '#import/passes/mapper.ts';
import { createSpillFiles } from '#import/passes/spill-file.ts';
import { type PoolJob, startWorkerPool } from '#import/passes/worker-pool.ts';
import { RESOURCE_TYPES, type Snapshot, type StoredResource } from '#search-index/snapshot.ts';
import { createSnapshotWriter } from '#search-index/write/writer.ts';
import { counts, people } from '#support/edition-truth.ts';
import { writePartOfEdition } from '#support/import/part-of-edition.ts';
import { activity, HEADERS, openBench, registerText } from '#support/import/register-files.ts';
import { newFolder } from '#support/new-folder.ts';
import { openedForAll } from '#support/opened.ts';
import { rounds } from '#support/rounds.ts';
import { runs } from '#support/seed.ts';
import { openShippedSnapshot } from '#support/shipped-snapshot.ts';

// Directory import: what can become one resource meets in one bucket, from a register and as FHIR alike; and ids of roles are
// FHIR ids whatever the national identifier is.
describe('import: one bucket for one resource', () => {
  const nationalId = fc.stringMatching(/^\d[0-9A-Za-z/.-]{3,80}$/);
  const row = (cells: Record<number, string>) => HEADERS.activities.split('|').map((_, column) => cells[column] ?? '');

  it('for any national identifier and any role', () => {
    fc.assert(
      fc.property(nationalId, fc.string(), fc.constantFrom(1, 2, 7, 192), (national, structure, buckets) => {
        const bytes = Buffer.from(`|${national}|`);
        const bucket = bucketOfPerson(bytes, 1, 1 + national.length, buckets);
        const id = practitionerId(national);
        expect(bucketOfResource('Practitioner', id, buckets)).toBe(bucket);
        const roles = mapRoles(
          id,
          [row(activity({ 2: national, 23: structure })), row(activity({ 17: 'S', 23: '' }))],
          createConcepts(),
        );
        expect(roles.length).toBeGreaterThan(0);
        for (const role of roles) {
          expect(role.id).toMatch(/^[A-Za-z0-9.-]{1,64}$/);
          expect(bucketOfResource('PractitionerRole', role.id, buckets)).toBe(bucket);
        }
      }),
      { numRuns: runs(100) },
    );
  });
});

// Directory import: a large edition is mapped in several threads. Here the renewal of a part of the shipped edition is cut into so many
// buckets that it takes the same way; it must give the same directory and the same report as in one thread.
describe('import: threads', () => {
  /** Some thirty buckets. */
  const MANY_BUCKETS = { bucketBytes: 7000 };

  let before: StoredResource[];
  let reports: { inOne: ImportReport; inThreads: ImportReport };
  let resources: { inOne: StoredResource[]; inThreads: StoredResource[] };
  beforeAll(async () => {
    const [inOne, inThreads] = [await openBench(), await openBench()];
    const first = [writePartOfEdition(join(inOne.folder, 'first'), {}, '9')];
    const next = [writePartOfEdition(join(inOne.folder, 'next'), { Personne_activite: changed }, '9')];
    for (const bench of [inOne, inThreads]) await bench.run(first);
    before = await all(await inThreads.snapshot());
    reports = { inOne: await inOne.run(next), inThreads: await inThreads.run(next, MANY_BUCKETS) };
    resources = { inOne: await all(await inOne.snapshot()), inThreads: await all(await inThreads.snapshot()) };
    await inOne.close();
    await inThreads.close();
  });

  async function all(snapshot: Snapshot): Promise<StoredResource[]> {
    const found: StoredResource[] = [];
    for (const type of RESOURCE_TYPES) {
      let after: number | undefined;
      for (const _page of rounds()) {
        const page = await snapshot.search({
          type,
          clauses: [],
          limit: 500,
          total: false,
          ...(after !== undefined && { after }),
        });
        found.push(...page.matches);
        if (!page.more) break;
        after = page.matches.at(-1)?.position as number;
      }
    }
    return found;
  }

  /** As text, of which thousands are compared at once. */
  const withoutMeta = ({ json }: StoredResource): string => {
    const { meta: _meta, ...resource } = JSON.parse(json) as Record<string, unknown>;
    return JSON.stringify(resource);
  };

  describe('import: an import in several threads', () => {
    it('gives the same resources in the same order', () => {
      const expected = resources.inOne.map(withoutMeta);
      expect(expected.length).toBeGreaterThan(600);
      expect(resources.inThreads.map(withoutMeta)).toEqual(expected);
    });

    it('reports the same, examples aside', () => {
      const comparable = ({
        outcome,
        lines,
        resources,
        changes,
        warnings,
        linesLeftOut,
        files,
        guards,
      }: ImportReport) => ({
        outcome,
        lines,
        resources,
        changes,
        files,
        leftOut: linesLeftOut.count,
        guards: guards.map(({ name, passed }) => ({ name, passed })),
        warnings: warnings.map(({ kind, count }) => `${kind} ${count}`).sort(),
      });
      expect(comparable(reports.inThreads)).toEqual(comparable(reports.inOne));
      expect(reports.inThreads.warnings.length).toBeGreaterThan(1);
    });

    it('looks up one person and one structure of each bucket in the finished snapshot', () => {
      const sampled = ({ guards }: ImportReport) =>
        guards.flatMap(({ figures }) => /^(\d+) of \d+ sample resources found again$/.exec(figures)?.[1] ?? []);
      expect(sampled(reports.inOne)).toEqual(['2']);
      expect(Number(sampled(reports.inThreads))).toBeGreaterThan(20);
    });

    it('keeps version and date of what did not change, whichever thread maps it, and counts what did', () => {
      expect(reports.inThreads.outcome).toBe('imported');
      expect(reports.inThreads.changes?.Practitioner).toMatchObject({ added: 0, changed: 1, removed: 1 });
      const dates = new Map(before.map((one) => [one.json.slice(0, 80), one.lastUpdated]));
      const kept = resources.inThreads.filter((one) => dates.get(one.json.slice(0, 80)) === one.lastUpdated);
      expect(resources.inThreads.length - kept.length).toBeLessThan(10);
      expect(kept.every((one) => one.versionId === '1')).toBe(true);
    });
  });

  // Against what the generator states of the edition: counts and references. Searches and fields are compared over HTTP
  // (`../../directory/search/truth.test.ts`).
  describe('directory data 1: the shipped edition', () => {
    const snapshot = openedForAll(openShippedSnapshot);

    it('holds every person and every structure', async () => {
      expect(await snapshot.counts()).toMatchObject({
        Practitioner: counts.practitioners,
        Organization: counts.organizations.total,
      });
    });

    it('gives every sampled person the roles at the structures', async () => {
      for (const truth of people) {
        const clause = { field: 'practitioner', match: 'exact', anyOf: [`Practitioner/${truth.idnps}`] } as const;
        const page = await snapshot.search({ type: 'PractitionerRole', clauses: [clause], limit: 50, total: true });
        const found = page.matches.map((match) => JSON.parse(match.json).organization.reference);
        const expectedIds = truth.organizations.map((one) => `Organization/${one.technicalId}`);
        expect(new Set(found)).toEqual(new Set(expectedIds));
      }
    });

    it('gives every establishment a legal entity that is there', async () => {
      const { matches } = await snapshot.search({ type: 'Organization', clauses: [], limit: 2000, total: false });
      const ids = new Set(matches.map((match) => match.id));
      const parents = matches.map((match) => JSON.parse(match.json).partOf?.reference).filter(Boolean);
      expect(parents.length).toBeGreaterThan(100);
      for (const parent of parents) expect(ids).toContain(parent.slice('Organization/'.length));
    });
  });

  it('import: an import by one mapper whose snapshot is built in threads holds every resource', async () => {
    const bench = await openBench();
    try {
      // Three resources of each: more than the 5000 that the snapshot's own thread takes.
      const people = Array.from({ length: 1700 }, (_, at) => {
        const rpps = String(19_000_000_000 + at);
        // In a register of this size people bear different names.
        const filled = { 8: `Prénom${at}` };
        return activity({ 1: rpps, 7: `NOM${at}`, 23: `R${rpps}`, ...filled });
      });
      const report = await bench.run([bench.file('pa.txt', registerText('activities', people))]);
      expect(report.resources).toEqual({ Practitioner: 1700, Organization: 1700, PractitionerRole: 1700 });
      const snapshot = await bench.snapshot();
      expect(await snapshot.counts()).toEqual(report.resources);
      const last = { type: 'Practitioner' as const, limit: 5, total: true as const };
      const clauses = [{ field: 'name', match: 'words' as const, anyOf: [[{ prefix: 'nom1699', whole: [] }]] }];
      expect((await snapshot.search({ ...last, clauses })).total).toBe(1);
    } finally {
      await bench.close();
    }
  });

  /** One person with another name, another one gone. */
  function changed(lines: string[]): string[] {
    const idOf = (line: string) => line.split('|')[2];
    const [renamed, gone] = [idOf(lines[10] ?? ''), idOf(lines.at(-5) ?? '')];
    return lines
      .filter((line) => idOf(line) !== gone)
      .map((line) => (idOf(line) === renamed ? line.split('|').with(7, 'ZYXOMME').join('|') : line));
  }
});

// Directory import: an import whose snapshot cannot be built any more ends with the reason, whatever it waits for. The writer
// is a stand-in that breaks at the wanted moment: a disk that fills up just then cannot be had.
it('import: pool of workers a builder that ends while the only mapper waits for it ends the import', async () => {
  const folder = newFolder();
  const people = createSpillFiles(folder, PEOPLE, 1);
  people.seal();
  const job: PoolJob = {
    folder,
    sources: [],
    namespace: 'https://hygie.example',
    buckets: { people: 1, structures: 1 },
    mailboxKeys: { id: new Set(), siret: new Set(), national: new Set() },
    areas: new Map(),
    finess: new Set(),
    large: false,
  };
  const writer = createSnapshotWriter({ folder, id: 'broken', threadsFrom: 1 });
  const { promise: failure, reject } = Promise.withResolvers<never>();
  failure.catch(() => {});
  const never = () => new Promise<never>(() => {});
  const pool = startWorkerPool(job, { ...writer, add: never, flush: never, failure });
  const mapped = pool.people(() => {});
  setImmediate(() => reject(new Error('the builder of Practitioner ended')));
  await expect(mapped).rejects.toThrow('the builder of Practitioner ended');
  await pool.close();
  await writer.abandon();
  people.close();
});
