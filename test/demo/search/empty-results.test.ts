// What the demo's search says where nothing is found, or nothing can be searched.

import { describe, expect, it } from '@jest/globals';
import { openDirectory } from '#demo/directory.ts';
import { repairs } from '#demo/search/repairs.ts';
import { createDirectoryFacts, vocabulariesOf } from '#demo/search/vocabulary.ts';
import { readSearch } from '#demo/search/words.ts';
import { headingOf, textOf, withReader } from '#support/demo/reader.ts';
import { until } from '#support/until.ts';

describe('pages without results', () => {
  const on = withReader();
  const { service, people } = on;

  describe('an empty result', () => {
    it('says what was understood, and offers what finds something, each with its total', async () => {
      const found = await people('du chardey', '67');
      expect(textOf(found)).toContain('\nnom «\u00a0du chardey\u00a0» · code postal «\u00a067\u00a0»\n');
      const offered = [...found.html.matchAll(/<li><a href="([^"]+)">([^<]+)<\/a> <span class="count">([^<]+)</g)];
      expect(offered.length).toBeGreaterThan(0);
      for (const [, link = '', , count = ''] of offered) {
        const other = await on.reader.visit(link.replaceAll('&amp;', '&'));
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
      ['xyzzyx pédiatre', 'lyonn', 'pédiatre'],
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
      const directory = openDirectory(service.settings.directory.url, on.reader.token);
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
      const { status, html } = await on.reader.open('practitioners', { name: 'x'.repeat(300) });
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
      const directory = openDirectory(url, on.reader.token);
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
});
