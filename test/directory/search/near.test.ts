// Organization?near: circles around a place, the order by distance, the distance in the answer, and what has no position.

import { describe, expect, it } from '@jest/globals';
import { corrected, correction, indexedEdition } from '#support/directory/corrected.ts';
import { openIndex } from '#support/directory/open-index.ts';
import { idsOf, issuesOf, refusalOf } from '#support/directory/reading.ts';
import { startDirectory } from '#support/directory/service.ts';
import { type Finds, indexedDirectory, itSearches, type Refuses } from '#support/directory/set-up.ts';

interface Entry {
  resource: { id: string; resourceType: string; issue?: { diagnostics: string }[] };
  search: { mode: string; extension?: unknown };
}

const PONTARLIER = '46.9035|6.3554';
/** The pharmacy alone has no position. */
const WITHOUT = 'org-4';

describe('near', () => {
  const on = indexedDirectory();
  const search = async (searchParams: Record<string, string | string[]>) => {
    const bundle = await on.directory.client('organizations').search({ resourceType: 'Organization', searchParams });
    const entries = ((bundle['entry'] ?? []) as Entry[]).filter((entry) => entry.search.mode === 'match');
    const notes = ((bundle['entry'] ?? []) as Entry[]).filter((entry) => entry.search.mode === 'outcome');
    return {
      bundle,
      entries,
      notes: notes.flatMap(({ resource: { issue = [] } }) => issue.map((one) => one.diagnostics)),
    };
  };
  const distances = (entries: readonly Entry[]) => entries.map(({ search: { extension } }) => extension);
  const distance = (value: number, unit: string) => [
    {
      url: 'http://hl7.org/fhir/StructureDefinition/location-distance',
      valueDistance: { value, unit, system: 'http://unitsofmeasure.org', code: unit },
    },
  ];

  const FINDS: readonly Finds[] = [
    ['the place itself', { near: `${PONTARLIER}|1|m` }, ['org-1']],
    ['so many metres', { near: `${PONTARLIER}|100|m` }, ['org-1', 'org-2']],
    ['so many kilometres', { near: `${PONTARLIER}|0.1|km` }, ['org-1', 'org-2']],
    ['10 km without a distance', { near: '46.99|6.35' }, ['org-1', 'org-2']],
    ['kilometres without a unit', { near: '46.99|6.35|9' }, []],
    ['signs and blanks', { near: ' +46.9035 | 6.3554 | 1 | m ' }, ['org-1']],
    ['the whole earth', { near: '-46.9|-173.6|20100|km' }, ['org-1', 'org-3', 'org-2']],
    ['one of several circles', { near: `${PONTARLIER}|1|m,48.6921|6.1844|1|km` }, ['org-1', 'org-3']],
    ['each of several circles', { near: [`${PONTARLIER}|1|km`, '46.904|6.3561|1|m'] }, ['org-2']],
    ['together with a name', { near: `${PONTARLIER}|300|km`, name: 'ehpad' }, ['org-3']],
    ['together with an exact name', { near: `${PONTARLIER}|300|km`, 'name:exact': 'EHPAD LES ŒILLETS' }, ['org-3']],
    ['near:missing=true', { 'near:missing': 'true' }, [WITHOUT]],
    ['near:missing=false', { 'near:missing': 'false' }, ['org-1', 'org-3', 'org-2']],
  ];
  const REFUSES: readonly Refuses[] = [
    ['_sort=-near with near:missing', { _sort: '-near', 'near:missing': 'false' }, 'http._sort', /send near too/],
    ['an order by two', { _sort: 'near,name', near: '46|6' }, 'http._sort', /cannot be sorted so/],
  ];
  itSearches(
    on,
    { section: 'near finds', type: 'Organization', token: 'organizations' },
    FINDS.filter(([, { near }]) => near === undefined),
    REFUSES,
  );

  it.each(FINDS)('near finds %s', async (_rule, query, ids) => {
    const { bundle, entries } = await search(query);
    expect(entries.map(({ resource }) => resource.id)).toEqual(ids);
    expect(bundle['total']).toBe(ids.length);
  });

  it('near gives the distance of each match, in the unit that was asked', async () => {
    const metres = await search({ near: `${PONTARLIER}|100|m` });
    expect(distances(metres.entries)).toEqual([distance(0, 'm'), distance(77, 'm')]);
    const kilometres = await search({ near: `${PONTARLIER}|250|km`, name: 'ehpad' });
    expect(distances(kilometres.entries)).toEqual([distance(199.293, 'km')]);
    const several = await search({ near: `${PONTARLIER}|1,46.9|6.3|5` });
    expect(distances(several.entries)).toEqual([undefined, undefined]);
  });

  it('_sort=near walks from the nearest to the farthest and back, page by page', async () => {
    for (const [_sort, wanted] of [
      ['near', ['org-2', 'org-1', 'org-3']],
      ['-near', ['org-3', 'org-1', 'org-2']],
    ] as const) {
      const client = on.directory.client('organizations');
      const searchParams = { near: '46.904|6.3561|300', _sort, _count: '1' };
      const pages = [await client.search({ resourceType: 'Organization', searchParams })];
      for (let at = 1; at < 3; at++) pages.push((await client.nextPage({ bundle: pages[at - 1] as never })) as never);
      const first = (bundle: object | undefined) => ((bundle as { entry: Entry[] }).entry[0] as Entry).resource.id;
      expect(pages.map(first)).toEqual(wanted);
      expect(pages.map((bundle) => bundle['total'])).toEqual([3, 3, 3]);
      expect(((pages[2]?.['link'] ?? []) as { relation: string }[]).map(({ relation }) => relation)).not.toContain(
        'next',
      );
      expect(first((await client.prevPage({ bundle: pages[2] as never })) as never)).toBe(wanted[1]);
    }
  });

  it('near finds roles by a chain, and says at how many structures nobody knows the place', async () => {
    const searchParams = { 'organization.near': `${PONTARLIER}|1|km` };
    const bundle = await on.directory.client().search({ resourceType: 'PractitionerRole', searchParams });
    expect(idsOf(bundle)).toEqual(expect.arrayContaining(['prat-1-a', 'prat-1-b']));
    expect(bundle['total']).toBe(2);
    expect(JSON.stringify(bundle)).toContain('1 more PractitionerRole resources');
    const circles = Array.from({ length: 6 }, (_, at) => `4${at}|6`).join();
    const refused = on.directory.client().search({
      resourceType: 'PractitionerRole',
      searchParams: { 'organization.near': circles },
    });
    expect((await refusalOf(refused)).status).toBe(400);
  });
});

describe('near', () => {
  it('does not find what a correction hides, whole or by its address', async () => {
    const raw = await openIndex(indexedEdition());
    const made = [correction('Organization/org-1', 'record'), correction('Organization/org-2', 'address')];
    const directory = await startDirectory(corrected(raw, () => made));
    try {
      const searchParams = { near: `${PONTARLIER}|300`, _sort: 'near' };
      const bundle = await directory.client('organizations').search({ resourceType: 'Organization', searchParams });
      expect(idsOf({ ...bundle, entry: ((bundle['entry'] ?? []) as Entry[]).slice(0, 1) })).toEqual(['org-3']);
      expect(bundle['total']).toBe(1);
      expect(JSON.stringify(bundle)).toContain('2 more Organization resources');
      const other = await refusalOf(
        directory.client('organizations').search({ resourceType: 'Organization', searchParams: { near: '1' } }),
      );
      expect(issuesOf(other)).toHaveLength(1);
    } finally {
      await directory.stop();
      await raw.close();
    }
  });
});
