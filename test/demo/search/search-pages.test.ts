// The search of the demo over HTTP, on the fictional edition: what two fields find, in which order, and what an empty result offers.

import { beforeAll, describe, expect, it } from '@jest/globals';
import { openDirectory } from '#demo/directory.ts';
import { find } from '#demo/search/find.ts';
import { repairs } from '#demo/search/repairs.ts';
import { createDirectoryFacts, vocabulariesOf } from '#demo/search/vocabulary.ts';
import { readSearch } from '#demo/search/words.ts';
import { type DemoReader, demoReader, textOf } from '#support/demo/reader.ts';
import { openedForAll } from '#support/opened.ts';
import { startService } from '#support/service.ts';
import { until } from '#support/until.ts';

const service = openedForAll(startService);
let reader: DemoReader;
beforeAll(async () => {
  reader = await demoReader(service);
});

const people = (who: string, where = '', more: Record<string, string> = {}) =>
  reader.open('practitioners', { name: who, address: where, ...more });
const structures = (who: string, where = '') => reader.open('organizations', { name: who, address: where });

const headingOf = ({ html }: { html: string }) => /<h1>(.*?)<\/h1>/.exec(html)?.[1]?.replaceAll(/<[^>]*>/g, '');
const groupsOf = ({ html }: { html: string }) =>
  [...html.matchAll(/<h2[^>]*>([^<]*)<\/h2>/g)].map(([, text = '']) => text);
const namesOf = ({ html }: { html: string }) =>
  [...html.matchAll(/<h3><a href="\/demo\/(?:practitioners|organizations)\/([^"]+)">([^<]*)/g)].map(
    ([, id = '', name = '']) => ({ id, name }),
  );
/** The address behind a link that has this text, or this `rel`. */
const linkOf = ({ html }: { html: string }, wanted: string) =>
  new RegExp(`<a[^>]*href="([^"]*)"[^>]*${wanted}`).exec(html)?.[1]?.replaceAll('&amp;', '&') ?? '';

describe('two fields', () => {
  it('find who has a speciality in a town, and nobody in a street that has its name', async () => {
    const found = await people('pédiatre', 'Villeurbanne');
    const { entry = [] } = await reader.ask('Practitioner?qualification=pediatrie&_count=200');
    const there = entry.filter(({ resource }) =>
      (resource as fhir3.Practitioner).address?.some(({ city }) => city === 'Villeurbanne'),
    );
    expect(namesOf(found).map(({ id }) => id)).toEqual(there.map(({ resource }) => resource?.id));
    expect(headingOf(found)).toBe('1\u00a0professionnel pour «\u00a0pédiatre, Villeurbanne\u00a0»');
    expect(found.html).toContain('<title>pédiatre, Villeurbanne – Annuaire – Mirabelle</title>');
    // A paediatrician works on the Quai de Lyon of La Roche-sur-Yon.
    const atLyon = await people('Pédiatrie', 'lyon');
    expect([headingOf(atLyon), namesOf(atLyon)]).toEqual([
      '0\u00a0professionnel pour «\u00a0Pédiatrie, lyon\u00a0»',
      [],
    ]);
  });

  it('mark the place that fits, and show it first', async () => {
    for (const [where, town] of [
      ['59', '59300 Valenciennes'],
      ['Claircourt', '48310 Claircourt'],
    ]) {
      const { html } = await people('du chardey', where);
      expect([...html.matchAll(/<p class="town">(.*?)<\/p>/g)][0]?.[1]).toBe(`<mark>${town}</mark>`);
    }
  });

  it('read a name with a profession, a number, a mailbox and a telephone', async () => {
    expect(namesOf(await people('dr mathilde du chardey pédiatre'))).toEqual([
      { id: '819082680976', name: 'Dr Mathilde Du Chardey' },
    ]);
    expect(namesOf(await people('19 082 680 976'))).toHaveLength(1);
    expect(headingOf(await people('vincent.beldes.a4@masseur-kinesitherapeute.mssante.example'))).toMatch(
      /^1\u00a0prof/,
    );
    const { total } = await reader.ask(
      'Practitioner?_has:PractitionerRole:practitioner:organization=F694000027&_count=0',
    );
    expect(headingOf(await people('02 61 91 24 43'))?.split('\u00a0')[0]).toBe(String(total));
    expect(namesOf(await structures('02 61 91 24 43'))).toEqual([
      { id: 'F694000027', name: 'Hopital Prive Villeurbanne' },
    ]);
  });

  it('say how many of the other kind there are, and keep the words for them', async () => {
    const { html } = await people('martin', '75');
    const { total } = await reader.ask('Organization?name=martin&address-postalcode=75&_count=0');
    expect(html).toContain(
      `<a href="/demo/organizations?name=martin&amp;address=75">Structures <span class="count">${total}</span></a>`,
    );
  });

  it.each(['fr', 'en'])('offer examples before the first search alone, which find something (%s)', async (lang) => {
    for (const type of ['practitioners', 'organizations']) {
      const first = await reader.visit(`/demo/${type}?lang=${lang}`);
      const [examples = ''] = /<p class="examples">[\s\S]*?<\/p>/.exec(first.html) ?? [];
      const links = [...examples.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));
      expect(links.length).toBeGreaterThan(2);
      for (const link of links) {
        const found = await reader.visit(link);
        expect([link, namesOf(found).length > 0]).toEqual([link, true]);
        expect(found.html).not.toContain('class="examples"');
      }
    }
  });

  it('offer the words of the edition', async () => {
    const first = await reader.open('practitioners');
    expect(first.html).toMatch(/<option value="Infirmier"><\/option>/);
    expect(first.html).toMatch(/<option value="pédiatre">Pédiatrie<\/option>/);
  });

  it('keep the criteria of old links, and let them be taken away', async () => {
    const found = await reader.open('practitioners', { qualification: '10', name: 'martin' });
    expect(found.html).toContain('<input type="hidden" id="qualification" name="qualification" value="10">');
    const { total } = await reader.ask('Practitioner?qualification=10&name=martin&_count=0');
    expect(headingOf(found)).toMatch(new RegExp(`^${total}\u00a0`));
    const without = linkOf(found, 'aria-label="Sans ce critère');
    expect(headingOf(await reader.visit(without))).toBe('36\u00a0professionnels pour «\u00a0martin\u00a0»');
  });

  it('name the structure whose professionals a link asks for', async () => {
    const { html } = await reader.open('practitioners', { organization: 'Organization/F694000027' });
    expect(html).toContain('exerce à Hopital Prive Villeurbanne<input type="hidden" id="organization"');
    expect(html).toContain('<title>Hopital Prive Villeurbanne – Annuaire – Mirabelle</title>');
  });
});

describe('the order', () => {
  it('puts who has exactly the family name first, in a group with its count, and goes through all pages', async () => {
    const all = await reader.ask('Practitioner?name=martin&_count=200');
    const families = new Map(
      all.entry?.map(({ resource }) => [resource?.id, (resource as fhir3.Practitioner).name?.[0]?.family]),
    );
    const exact = [...families.values()].filter((family) => family === 'MARTIN').length;
    const others = families.size - exact;
    const ids: string[] = [];
    const headings: string[] = [];
    let page = await people('martin');
    for (let at = 1; at <= 4; at += 1) {
      ids.push(...namesOf(page).map(({ id }) => id));
      headings.push(...groupsOf(page));
      expect(textOf(page)).toContain(`${at * 10 - 9}-${Math.min(36, at * 10)} sur 36`);
      if (at < 4) page = await reader.visit(linkOf(page, '>Suivants'));
    }
    expect(new Set(ids)).toEqual(new Set(families.keys()));
    expect(ids).toHaveLength(families.size);
    expect(ids.slice(0, exact).every((id) => families.get(id) === 'MARTIN')).toBe(true);
    const [first, second] = [`MARTIN (${exact})`, `Autres noms commençant par martin (${others})`];
    expect(headings).toEqual([first, first, second, second, second]);
    const beyond = await reader.visit(linkOf(await people('martin'), '>Autres noms'));
    expect(namesOf(beyond).map(({ id }) => id)).toEqual(ids.slice(exact, exact + 10));
    const back = await reader.visit(linkOf(page, '>Précédents'));
    expect(namesOf(back).map(({ id }) => id)).toEqual(ids.slice(20, 30));
  });

  it('shows the exact names of a long list by themselves, with the way to all', async () => {
    const directory = openDirectory(service.settings.directory.url, reader.token);
    const search = readSearch('Practitioner', { name: 'martin' }, vocabulariesOf([]).Practitioner);
    const first = await find(directory, search, { from: 1, all: false }, 20);
    expect([first.total, first.groups.map(({ family, total }) => [family, total])]).toEqual([36, [['MARTIN', 18]]]);
    const next = await find(directory, search, { from: 11, link: first.next?.['next'], all: false }, 20);
    expect([next.groups[0]?.family, next.groups[0]?.people.length, next.next]).toEqual(['MARTIN', 8, undefined]);
    expect(next.beyond).toEqual({ query: { name: 'martin', all: '1' }, total: 36, all: true });
    expect((await find(directory, search, { from: 1, all: true }, 20)).total).toBe(36);
  });

  it('puts who works in the town itself before towns whose names have the word in them', async () => {
    const found = await people('', 'belault');
    expect(namesOf(found).map(({ id }) => id)).toEqual(['819109032029', '819099177339']);
    expect(found.html).toMatch(/<mark>\d{5} Belault<[\s\S]*<mark>\d{5} Sainte-Geneviève-de-Belault</);
  });

  it('is that of the directory where a list is long', async () => {
    const found = await people('ma');
    const { total } = await reader.ask('Practitioner?name=ma&_count=0');
    expect(total).toBeGreaterThan(200);
    expect(headingOf(found)).toBe(`${total}\u00a0professionnels pour «\u00a0ma\u00a0»`);
    expect(found.html).toContain('<a class="phone" href="tel:+33');
    const next = await reader.visit(linkOf(found, '>Suivants'));
    expect(textOf(next)).toContain(`11-20 sur ${total}`);
    const back = await reader.visit(linkOf(next, '>Précédents'));
    expect(namesOf(back)).toEqual(namesOf(found));
  });
});

describe('a structure', () => {
  it('is found by its kind or by its name, whatever finds more, and the other meaning is a link', async () => {
    const [byName, byKind] = await Promise.all(
      ['name=hopital', 'type=hopital'].map(async (query) => (await reader.ask(`Organization?${query}&_count=0`)).total),
    );
    expect(byName).toBeGreaterThan(byKind ?? 0);
    const found = await structures('hopital');
    expect(headingOf(found)).toBe(`${byName}\u00a0structures pour «\u00a0hopital\u00a0»`);
    const also = await reader.visit(linkOf(found, '>Aussi\u00a0: '));
    expect(headingOf(also)).toMatch(new RegExp(`^${byKind}\u00a0structures`));
  });
});

describe('an empty result', () => {
  it('says what was understood, and offers what finds something, each with its total', async () => {
    const found = await people('du chardey', '67');
    expect(textOf(found)).toContain('\nnom «\u00a0du chardey\u00a0» · code postal «\u00a067\u00a0»\n');
    const offered = [...found.html.matchAll(/<li><a href="([^"]+)">([^<]+)<\/a> <span class="count">([^<]+)</g)];
    expect(offered.length).toBeGreaterThan(0);
    for (const [, link = '', , count = ''] of offered) {
      const other = await reader.visit(link.replaceAll('&amp;', '&'));
      expect(headingOf(other)?.split(' pour')[0]).toBe(count);
    }
  });

  it.each([
    ['pédiatre', 'lyon', 'pédiatre'],
    ['pédiatre', '69003', 'pédiatre, 69'],
    ['pediatr', '', 'pediatre'],
    ['infirmere', '49', 'infirmier, 49'],
    ['du chardey villeurbanne', '', 'du chardey, villeurbanne'],
    ['du chardey', '"rue lyon"', 'du chardey'],
  ])('of %j in %j offers %j', async (who, where, offer) => {
    const found = await people(who, where);
    expect(headingOf(found)).toMatch(/^0\u00a0professionnel pour/);
    const offered = [...found.html.matchAll(/<li><a [^>]*>([^<]+)<\/a>/g)].map(([, text]) => text);
    expect(offered).toContain(offer);
  });

  it('passes on what the directory suggests, which leaves its help out while it is busy', async () => {
    await until(
      async () => /<li><a [^>]*>martin<\/a>/.test((await people('marttin')).html),
      'another spelling is offered',
    );
  });

  it('does not offer another town where the one that was typed is known', async () => {
    const directory = openDirectory(service.settings.directory.url, reader.token);
    const offers = async (where: string) => {
      const search = readSearch('Practitioner', { name: 'martin', address: where }, vocabulariesOf([]).Practitioner);
      const note = 'Practitioner?name=martin&address-city=angers finds 1: angers instead of another town.';
      const found = await repairs(directory, search, [note], vocabulariesOf([]));
      return found.map(({ query }) => query);
    };
    expect((await offers('angrs'))[0]).toEqual({ name: 'martin', address: 'angers' });
    expect(await offers('lyon')).not.toContainEqual({ name: 'martin', address: 'angers' });
  });

  it('leads to the structure whose number was typed among people', async () => {
    expect((await people('694000027')).html).toContain('href="/demo/organizations?name=694000027">694000027</a>');
  });
});

describe('a search that cannot be made', () => {
  it.each([
    ['m', ''],
    ['', ''],
    ['--', 'lyon'],
  ])('of %j says what to type', async (who, where) => {
    expect(textOf(await people(who, where))).toContain('Tapez au moins deux lettres, un numéro ou une ville.');
  });

  it('is told in the language of the reader, with what the directory said in a fold', async () => {
    const { status, html } = await reader.open('practitioners', { name: 'x'.repeat(300) });
    expect(status).toBe(400);
    expect(html).toContain('L’annuaire n’a pas compris cette recherche.');
    expect(html).toMatch(/<details><summary>Ce que dit l’annuaire, en anglais \(HTTP 400\)<\/summary>/);
  });

  it('never sends the token away, whatever a link says', async () => {
    const found = await people('martin', '', { next: 'https://elsewhere.example/steal', from: '-5' });
    expect(headingOf(found)).toBe('36\u00a0professionnels pour «\u00a0martin\u00a0»');
  });
});

describe('SEC-54 one search of a person', () => {
  it('is read at once, also where a pattern could be tried in billions of ways', async () => {
    expect((await people(`"${' '.repeat(4000)}xy`)).status).toBe(200);
  });

  it('asks the directory a few times, however many of its words could be meant in another way', async () => {
    const { url } = service.settings.directory;
    const { vocabularies } = await createDirectoryFacts()(url);
    const begun = vocabularies.Practitioner.options.flatMap(
      ({ value }) => /^\p{L}{7,}/u.exec(value)?.[0].slice(0, -1) ?? [],
    );
    const search = readSearch(
      'Practitioner',
      { name: [...new Set(begun)].slice(0, 24).join(' '), address: '69003' },
      vocabularies.Practitioner,
    );
    const directory = openDirectory(url, reader.token);
    let asked = 0;
    const counted: typeof directory = {
      ...directory,
      search: (type, parameters) => {
        asked += 1;
        return directory.search(type, parameters);
      },
    };
    await repairs(counted, search, [], vocabularies);
    expect(asked).toBeGreaterThan(5);
    expect(asked).toBeLessThan(15);
  });
});
