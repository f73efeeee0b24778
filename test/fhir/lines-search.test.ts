// fhir-stu3: each line on searching has its test here, named after it, on the edition of `test/support/directory/edition.ts`. The finer
// tests stand in test/directory.

import { describe, expect, it } from '@jest/globals';
import type { Snapshot } from '#search-index/snapshot.ts';
import { edition, FINESS, NATIONAL, PROFESSION, RPPS } from '#support/directory/edition.ts';
import { linksOf } from '#support/directory/reading.ts';
import { scanSnapshot } from '#support/directory/scan-snapshot.ts';
import { startDirectory } from '#support/directory/service.ts';
import { ask, BASE, idsOf, withDirectory } from '#support/fhir/lines.ts';
import { rounds } from '#support/rounds.ts';

const CROWD = 123;

describe('fhir-stu3 Search', () => {
  const { get, post, find } = withDirectory();

  /** Each search finds these, in any order. */
  async function finds(searches: Readonly<Record<string, readonly string[] | number>>): Promise<void> {
    for (const [search, ids] of Object.entries(searches)) {
      const found = await find(search);
      const wanted = typeof ids === 'number' ? ids : [...ids].sort();
      expect([search, typeof found === 'number' ? found : [...found].sort()]).toEqual([search, wanted]);
    }
  }

  it('GET, and POST /{type}/_search with form body (URL parameters added)', async () => {
    const asked = await get('/Practitioner?name=duval,leboeuf&qualification=21');
    const posted = await post('/Practitioner/_search?qualification=21', 'name=duval,leboeuf');
    expect(idsOf(posted.body)).toEqual(['prat-2']);
    expect(idsOf(posted.body)).toEqual(idsOf(asked.body));
  });

  it('the raw query: repeats, %3A modifiers, + as blank; , is OR, a repeated parameter is AND, escapes \\, \\| \\$ \\\\', () =>
    finds({
      'Practitioner?address=paris&address=place': ['prat-3'],
      'Practitioner?family%3Amissing=true': [],
      'Practitioner?address=place+paris': ['prat-3'],
      'Practitioner?name=duval,leboeuf': ['prat-1', 'prat-2'],
      'Practitioner?qualification=audioprothesiste\\, expert': ['prat-4'],
      'Practitioner?identifier=10000000011\\|': [],
    }));

  it('name and address match on the beginning of any word; name needs 2 characters (counted after trimming, per OR-value); identifier, qualification, telecom, part-of exact', () =>
    finds({
      'Practitioner?name=lebr': ['prat-1'],
      'Practitioner?name=ebrun': [],
      'Practitioner?address=pontarl': ['prat-1'],
      'Practitioner?name=d': 400,
      'Practitioner?name=+d+': 400,
      'Practitioner?name=duval,d': 400,
      'Practitioner?identifier=1000000001': [],
      'Organization?part-of=org-': [],
    }));

  it('a multi-word value: every word must begin some word of the field; for address, of one address', () =>
    finds({
      'Practitioner?name=hel+zim': [],
      'Practitioner?address=leclerc+paris': ['prat-1'],
      'Practitioner?address=eglise+paris': [],
    }));

  it('accents, case, oe/ae, apostrophes and hyphens never matter; usual abbreviations find each other', () =>
    finds({
      'Practitioner?name=HELENE': ['prat-1'],
      'Practitioner?name=leboeuf': ['prat-2'],
      'Practitioner?name=n-guyen': ['prat-3'],
      "Practitioner?name=n'guyen": ['prat-3'],
      'Practitioner?name=duval+lebrun': ['prat-1'],
      'Practitioner?address=boulevard+du+general+leclerc': ['prat-1'],
    }));

  it('identifier: value, system|value, |value, system|', () =>
    finds({
      'Practitioner?identifier=10000000029': ['prat-2'],
      // As the specification shows it (2.3).
      [`Practitioner?identifier=${RPPS.replace('https', 'http')}|10000000029`]: ['prat-2'],
      [`Practitioner?identifier=${NATIONAL}|810000000029`]: ['prat-2'],
      'Practitioner?identifier=|LOCAL-prat-5': ['prat-5'],
      'Practitioner?identifier=|10000000029': [],
      [`Organization?identifier=${FINESS}|`]: ['org-1', 'org-2', 'org-3', 'org-4'],
    }));

  it('qualification: code, system|code, or the exact label (case and accents aside)', () =>
    finds({
      'Practitioner?qualification=10': ['prat-1', 'prat-2'],
      [`Practitioner?qualification=${PROFESSION}|21`]: ['prat-2'],
      'Practitioner?qualification=MEDECIN': ['prat-1', 'prat-2'],
      'Practitioner?qualification=Méde': [],
    }));

  it('telecom: the exact address, case aside', () =>
    finds({
      'Practitioner?telecom=helene.duval@mail.example': ['prat-1'],
      'Practitioner?telecom=HELENE.DUVAL@MAIL.EXAMPLE': ['prat-1'],
      'Practitioner?telecom=helene.duval@mail': [],
    }));

  it("part-of (ours) and partof (HL7's spelling): Organization/id, id, own absolute URL", async () => {
    for (const name of ['part-of', 'partof'])
      for (const value of ['Organization/org-1', 'org-1', `${BASE}/Organization/org-1`])
        await finds({ [`Organization?${name}=${value}`]: ['org-2', 'org-3'] });
    await finds({ 'Organization?part-of=https://elsewhere.example/Organization/org-1': [] });
  });

  it(':exact, :contains, :missing, :not, :text keep their STU3 meaning where supported; an unsupported modifier is 400 with location: ["http.name:xyz"]', async () => {
    await finds({
      'Organization?name:exact=CH St-Luc': ['org-1'],
      'Organization?name:exact=ch st-luc': [],
      'Practitioner?telecom:missing=false': ['prat-1', 'prat-2'],
      'Practitioner?active:not=true': ['prat-3'],
      'Practitioner?qualification:text=audio': ['prat-4'],
    });
    for (const parameter of ['name:xyz', 'name:contains', 'identifier:contains']) {
      const { status, body } = await get(`/Practitioner?${parameter}=du`);
      expect([status, body.issue[0].location]).toEqual([400, [`http.${parameter}`]]);
    }
  });

  it("beyond the specification's keys: _id, _lastUpdated, family, given, active, address-city, address-postalcode; Organization type, active, address-*; PractitionerRole practitioner, organization, role, specialty", async () => {
    await finds({
      'Practitioner?_id=prat-1': ['prat-1'],
      'Practitioner?_lastUpdated=2026&name=duval': ['prat-1'],
      'Practitioner?family=duval': ['prat-1'],
      'Practitioner?given=helene': ['prat-1'],
      'Practitioner?active=false': ['prat-3'],
      'Practitioner?address-city=nancy': ['prat-2'],
      'Practitioner?address-postalcode=54': ['prat-2'],
      'Organization?type=355': ['org-1'],
      'Organization?address-city=nancy': ['org-3'],
      'Organization?address-postalcode=253': ['org-1', 'org-2'],
      'PractitionerRole?practitioner=prat-2': ['prat-2-a'],
      'PractitionerRole?organization=org-4': ['prat-2-a'],
      'PractitionerRole?role=FON-02&practitioner=prat-1': ['prat-1-b'],
      'PractitionerRole?specialty=SM40': ['prat-1-a', 'prat-3-a'],
    });
  });

  it('_include / _revinclude between the three', async () => {
    const types = async (search: string) => {
      const { body } = await get(`/${search}`);
      return [...new Set(body.entry.map((one: { resource: { resourceType: string } }) => one.resource.resourceType))];
    };
    expect(
      await types(
        'PractitionerRole?practitioner=prat-1&_include=PractitionerRole:practitioner&_include=PractitionerRole:organization',
      ),
    ).toEqual(['PractitionerRole', 'Practitioner', 'Organization']);
    expect(await types('Practitioner?_id=prat-1&_revinclude=PractitionerRole:practitioner')).toEqual([
      'Practitioner',
      'PractitionerRole',
    ]);
  });

  it("_sort, _count, _summary, _elements, _total (R4's, accepted)", async () => {
    const plain = (await find('Practitioner?address=paris,nancy&_sort=family')) as string[];
    expect(await find('Practitioner?address=paris,nancy&_sort=-family')).toEqual([...plain].reverse());
    expect(plain.length).toBe(3);
    expect(await find('Practitioner?address=paris,nancy&_count=2')).toEqual(plain.slice(0, 2));
    expect((await get('/Practitioner?_summary=count')).body.total).toBe(CROWD + 5);
    expect((await get('/Practitioner?_id=prat-1&_elements=name')).body.entry[0].resource).not.toHaveProperty('address');
    expect((await get('/Practitioner?name=duval&_total=accurate')).body.total).toBe(1);
    expect((await get('/Practitioner?name=duval&_total=none')).body).not.toHaveProperty('total');
  });

  it('an unknown parameter or one with an empty value: 400 naming it and the known ones; Prefer: handling=lenient ignores it, leaves it out of self and adds an entry with search.mode=outcome', async () => {
    for (const [query, name] of [
      ['nom=duval', 'nom'],
      ['name=', 'name'],
    ]) {
      const { status, body } = await get(`/Practitioner?${query}`);
      expect([status, body.issue[0].location]).toEqual([400, [`http.${name}`]]);
      expect(body.issue[0].diagnostics).toMatch(name === 'nom' ? /identifier.*qualification/ : /name/);
    }
    const { body } = await get('/Practitioner?name=duval&nom=x&address=', { headers: { prefer: 'handling=lenient' } });
    expect(idsOf(body)).toEqual(['prat-1']);
    expect(linksOf(body)['self']).toBe(`${BASE}/Practitioner?name=duval`);
    expect(body.entry.map((one: { search: { mode: string } }) => one.search.mode).sort()).toEqual(['match', 'outcome']);
    expect(body.total).toBe(1);
  });

  it('malformed value 400; a well-formed value that matches nothing 200 with total: 0 and no entry', async () => {
    await finds({
      'Practitioner?active=perhaps': 400,
      'Practitioner?_lastUpdated=soon': 400,
      'Practitioner?_count=x': 400,
    });
    const { status, body } = await get('/Practitioner?name=nobody');
    expect([status, body.total, 'entry' in body]).toEqual([200, 0, false]);
  });

  it('_count: default 50, never more than 200 and never more than asked; 0 means _summary=count', async () => {
    const size = async (query: string) => ((await find(`Practitioner?${query}`)) as string[]).length;
    expect([await size('name=zimmer'), await size('name=zimmer&_count=7')]).toEqual([50, 7]);
    const { body } = await get('/Practitioner?_count=100000');
    expect([idsOf(body).length, new URL(linksOf(body)['self'] ?? '').searchParams.get('_count')]).toEqual([128, '200']);
    const counted = (await get('/Practitioner?name=zimmer&_count=0')).body;
    expect([counted.total, 'entry' in counted]).toEqual([CROWD, false]);
  });

  it('Bundle: searchset, total (matches only), link self / first / previous / next; absolute, built from the configured public base, never from Host; fullUrl absolute; search.mode', async () => {
    const first = (
      await get('/Practitioner?name=zimmer&_count=50', { headers: { 'x-forwarded-host': 'evil.example' } })
    ).body;
    expect(first).toMatchObject({ resourceType: 'Bundle', type: 'searchset', total: CROWD });
    const at = (link = '') => link.slice(BASE.length);
    const second = (await get(at(linksOf(first)['next']))).body;
    expect(Object.keys(linksOf(second)).sort()).toEqual(['first', 'next', 'previous', 'self']);
    for (const link of Object.values({ ...linksOf(first), ...linksOf(second) }))
      expect(link.startsWith(`${BASE}/Practitioner?`)).toBe(true);
    for (const { fullUrl, resource, search } of second.entry)
      expect([fullUrl, search]).toEqual([`${BASE}/Practitioner/${resource.id}`, { mode: 'match' }]);
    expect(idsOf((await get(at(linksOf(second)['previous']))).body)).toEqual(idsOf(first));
    expect(idsOf((await get(at(linksOf(second)['first']))).body)).toEqual(idsOf(first));
  });

  it('no next on the last page; links work by GET after a POST search and stay under 2 KB', async () => {
    const ids: string[] = [];
    let { body } = await post('/Practitioner/_search', `name=zimmer&_count=50&address=${'strasbourg+'.repeat(9)}`);
    for (let pages = 0; pages < 5; pages++) {
      ids.push(...idsOf(body));
      for (const link of Object.values(linksOf(body))) expect(link.length).toBeLessThan(2048);
      const { next } = linksOf(body);
      if (!next) break;
      ({ body } = await get(next.slice(BASE.length)));
    }
    expect([ids.length, new Set(ids).size, linksOf(body)['next']]).toEqual([CROWD, CROWD, undefined]);
  });

  it('order is total and stable; no page repeats or drops a resource while a reload happens', async () => {
    const before = scanSnapshot('before', edition());
    const after = scanSnapshot('after', edition().slice(20));
    let current: Snapshot = before;
    const byId = async (id: string) => [before, after].find((one) => one.id === id);
    const directory = await startDirectory({ current: () => current, byId });
    try {
      const whole = idsOf((await ask(directory.address, '/Practitioner?name=zimmer&_count=200')).body);
      const ids: string[] = [];
      let { body } = await ask(directory.address, '/Practitioner?name=zimmer&_count=30');
      current = after;
      for (const _page of rounds()) {
        ids.push(...idsOf(body));
        const { next } = linksOf(body);
        if (!next) break;
        ({ body } = await ask(directory.address, next.slice(directory.base.length)));
      }
      expect(ids).toEqual(whole);
      expect((await ask(directory.address, '/Practitioner?name=zimmer')).body.total).toBe(CROWD - 20);
    } finally {
      await directory.stop();
    }
  });

  it('_summary=true adds meta.tag SUBSETTED and drops what STU3 says (Practitioner: qualification; Organization: telecom, address)', async () => {
    const SUBSETTED = { system: 'http://hl7.org/fhir/v3/ObservationValue', code: 'SUBSETTED' };
    const person = (await get('/Practitioner/prat-1?_summary=true')).body;
    expect(person.meta.tag).toContainEqual(expect.objectContaining(SUBSETTED));
    expect([person.name !== undefined, 'qualification' in person]).toEqual([true, false]);
    const { entry } = (await get('/Organization?_id=org-1&_summary=true')).body;
    const [{ resource }] = entry;
    expect(resource.meta.tag).toContainEqual(expect.objectContaining(SUBSETTED));
    expect([resource.name !== undefined, 'telecom' in resource, 'address' in resource]).toEqual([true, false, false]);
  });
});
