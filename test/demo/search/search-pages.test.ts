// The search of the demo over HTTP, on the fictional edition: what two fields find, in which order, and what an empty result offers.

import { describe, expect, it } from '@jest/globals';
import { openDirectory } from '#demo/directory.ts';
import { find } from '#demo/search/find.ts';
import { vocabulariesOf } from '#demo/search/vocabulary.ts';
import { readSearch } from '#demo/search/words.ts';
import { addCorrections } from '#store/snapshots/corrections.ts';
import { groupsOf, headingOf, linkOf, namesOf, textOf, withReader } from '#support/demo/reader.ts';
import { createPerson } from '#support/person.ts';
import { until } from '#support/until.ts';

describe('pages of a search', () => {
  const on = withReader();
  const { service, people, structures } = on;

  /** The towns that the page completes the second field with. */
  const townsOf = ({ html }: { html: string }) =>
    [...(/<datalist id="towns".*?<\/datalist>/.exec(html)?.[0] ?? '').matchAll(/value="([^"]+)"/g)].map(
      ([, town = '']) => town,
    );

  describe('the town', () => {
    it('is completed with large ones that the edition has, those with most structures first, without a script', async () => {
      const towns = townsOf(await on.reader.open('practitioners'));
      expect(towns).toEqual(expect.arrayContaining(['Lyon', 'Villeurbanne']));
      const totals: number[] = [];
      for (const town of towns)
        totals.push((await on.reader.ask(`Organization?address-city=${town}&_count=0`)).total ?? 0);
      expect(totals).toEqual(totals.toSorted((one, other) => other - one));
      expect(totals.at(-1)).toBeGreaterThan(0);
    });

    it.each([
      ['pontv', ['Pontval-sur-Orge']],
      ['VILLEURB', ['Villeurbanne']],
      ['lyo', ['Lyon']],
      ['69', []],
      ['12 rue de lyon', []],
      ['x', []],
      ['', []],
    ])('%j is completed by a script with %j', async (begin, towns) => {
      const { html } = await on.reader.open('towns', { begin });
      expect(JSON.parse(html)).toEqual(towns);
    });

    it('is told to signed-in people alone', async () => {
      expect((await createPerson(service.issuer).visit('/demo/towns?begin=lyo')).status).toBe(401);
    });
  });

  describe('two fields', () => {
    it('find who has a speciality in a town, and nobody in a street that has its name', async () => {
      const found = await people('pédiatre', 'Villeurbanne');
      const { entry = [] } = await on.reader.ask('Practitioner?qualification=pediatrie&_count=200');
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

    it('find only who has both of two professions, by the address of a structure too', async () => {
      expect(headingOf(await people('infirmier pédiatre', 'Villeurbanne'))?.split('\u00a0')[0]).toBe('0');
    });

    it('find somebody by the address of the structure alone, with an exact total', async () => {
      const there = 'Practitioner?qualification=orthophoniste&address-city=lyon&_count=200';
      const { entry: [first] = [], total = 0 } = await on.reader.ask(there);
      const id = first?.resource?.id ?? '';
      const { total: roles } = await on.reader.ask(
        `PractitionerRole?practitioner=${id}&organization.address-city=lyon`,
      );
      expect(roles).toBeGreaterThan(0);
      const correction = {
        record: `Practitioner/${id}`,
        what: 'address',
        reason: 'moved',
        madeBy: 'operator:ops',
      } as const;
      await addCorrections(service.database, [correction]);
      await until(async () => (await on.reader.ask(there)).total === total - 1, 'the own addresses are hidden');
      const found = await people('orthophoniste', 'lyon');
      expect(headingOf(found)?.split('\u00a0')[0]).toBe(String(total));
      expect(namesOf(found).map((one) => one.id)).toContain(id);
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
      const { total } = await on.reader.ask(
        'Practitioner?_has:PractitionerRole:practitioner:organization=F694000027&_count=0',
      );
      expect(headingOf(await people('02 61 91 24 43'))?.split('\u00a0')[0]).toBe(String(total));
      expect(namesOf(await structures('02 61 91 24 43'))).toEqual([
        { id: 'F694000027', name: 'Hopital Prive Villeurbanne' },
      ]);
    });

    it('say how many of the other kind there are, and keep the words for them', async () => {
      const { html } = await people('martin', '75');
      const { total } = await on.reader.ask('Organization?name=martin&address-postalcode=75&_count=0');
      expect(html).toContain(
        `<a href="/demo/organizations?name=martin&amp;address=75">Structures <span class="count">${total}</span></a>`,
      );
    });

    it.each(['fr', 'en'])('offer examples before the first search alone, which find something (%s)', async (lang) => {
      for (const type of ['practitioners', 'organizations']) {
        const first = await on.reader.visit(`/demo/${type}?lang=${lang}`);
        const [examples = ''] = /<p class="examples">[\s\S]*?<\/p>/.exec(first.html) ?? [];
        const links = [...examples.matchAll(/href="([^"]*)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));
        expect(links.length).toBeGreaterThan(2);
        for (const link of links) {
          const found = await on.reader.visit(link);
          expect([link, namesOf(found).length > 0]).toEqual([link, true]);
          expect(found.html).not.toContain('class="examples"');
        }
      }
    });

    it('offer the words of the edition', async () => {
      const first = await on.reader.open('practitioners');
      expect(first.html).toMatch(/<option value="Infirmier"><\/option>/);
      expect(first.html).toMatch(/<option value="pédiatre">Pédiatrie<\/option>/);
    });

    it('keep the criteria of old links, and let them be taken away', async () => {
      const found = await on.reader.open('practitioners', { qualification: '10', name: 'martin' });
      expect(found.html).toContain('<input type="hidden" id="qualification" name="qualification" value="10">');
      const { total } = await on.reader.ask('Practitioner?qualification=10&name=martin&_count=0');
      expect(headingOf(found)).toMatch(new RegExp(`^${total}\u00a0`));
      const without = linkOf(found, 'aria-label="Sans ce critère');
      expect(headingOf(await on.reader.visit(without))).toBe('36\u00a0professionnels pour «\u00a0martin\u00a0»');
    });

    it('name the structure whose professionals a link asks for', async () => {
      const { html } = await on.reader.open('practitioners', { organization: 'Organization/F694000027' });
      expect(html).toContain('exerce à Hopital Prive Villeurbanne<input type="hidden" id="organization"');
      expect(html).toContain('<title>Hopital Prive Villeurbanne – Annuaire – Mirabelle</title>');
    });
  });

  describe('the order', () => {
    it('puts who has exactly the family name first, in a group with its count, and goes through all pages', async () => {
      const all = await on.reader.ask('Practitioner?name=martin&_count=200');
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
        if (at < 4) page = await on.reader.visit(linkOf(page, '>Suivants'));
      }
      expect(new Set(ids)).toEqual(new Set(families.keys()));
      expect(ids).toHaveLength(families.size);
      expect(ids.slice(0, exact).every((id) => families.get(id) === 'MARTIN')).toBe(true);
      // Within a group, people without any place of work come last.
      const roles = await on.reader.ask('PractitionerRole?practitioner.name=martin&_elements=practitioner&_count=200');
      const works = new Set(
        roles.entry?.map(({ resource }) => (resource as fhir3.PractitionerRole).practitioner?.reference?.split('/')[1]),
      );
      for (const group of [ids.slice(0, exact), ids.slice(exact)]) {
        const working = group.filter((id) => works.has(id));
        expect([working.length < group.length, group.slice(0, working.length)]).toEqual([true, working]);
      }
      const [first, second] = [`MARTIN (${exact})`, `Autres noms commençant par martin (${others})`];
      expect(headings).toEqual([first, first, second, second, second]);
      const beyond = await on.reader.visit(linkOf(await people('martin'), '>Autres noms'));
      expect(namesOf(beyond).map(({ id }) => id)).toEqual(ids.slice(exact, exact + 10));
      const back = await on.reader.visit(linkOf(page, '>Précédents'));
      expect(namesOf(back).map(({ id }) => id)).toEqual(ids.slice(20, 30));
    });

    it('can be narrowed to a profession among people of one name, each with its number', async () => {
      const { html } = await people('martin');
      const [narrow = ''] = /<p class="also narrow">Seulement[\s\S]*?<\/p>/.exec(html) ?? [];
      const links = [...narrow.matchAll(/href="([^"]+)">[^<]+<\/a>\u00a0<span class="count">(\d+)</g)];
      expect(links.length).toBeGreaterThan(2);
      for (const [, link = '', count = ''] of links) {
        const found = await on.reader.visit(link.replaceAll('&amp;', '&'));
        expect([link, headingOf(found)?.split('\u00a0')[0]]).toEqual([link, count]);
        expect(found.html).not.toContain('Seulement');
      }
      expect((await people('martin pharmacien')).html).not.toContain('Seulement');
    });

    it('shows the exact names of a long list by themselves, with the way to all', async () => {
      const directory = openDirectory(service.settings.directory.url, on.reader.token);
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
      const { total } = await on.reader.ask('Practitioner?name=ma&_count=0');
      expect(total).toBeGreaterThan(200);
      expect(headingOf(found)).toBe(`${total}\u00a0professionnels pour «\u00a0ma\u00a0»`);
      expect(found.html).toContain('<a class="phone" href="tel:+33');
      const next = await on.reader.visit(linkOf(found, '>Suivants'));
      expect(textOf(next)).toContain(`11-20 sur ${total}`);
      const back = await on.reader.visit(linkOf(next, '>Précédents'));
      expect(namesOf(back)).toEqual(namesOf(found));
    });
  });

  describe('a structure', () => {
    it('is found by its kind or by its name, whatever finds more, and the other meaning is a link', async () => {
      const [byName, byKind] = await Promise.all(
        ['name=hopital', 'type=hopital'].map(
          async (query) => (await on.reader.ask(`Organization?${query}&_count=0`)).total,
        ),
      );
      expect(byName).toBeGreaterThan(byKind ?? 0);
      const found = await structures('hopital');
      expect(headingOf(found)).toBe(`${byName}\u00a0structures pour «\u00a0hopital\u00a0»`);
      const also = await on.reader.visit(linkOf(found, '>Aussi\u00a0: '));
      expect(headingOf(also)).toMatch(new RegExp(`^${byKind}\u00a0structures`));
    });
  });
});
