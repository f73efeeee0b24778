// Directory import: names, values and cells of FINESS files that are not those of the published schema.

import { describe, expect, it } from '@jest/globals';
import type { ImportReport } from '#import/judgement/import-report.ts';
import { establishment, finessJson, legalEntity, type Names } from '#support/import/finess-json-files.ts';
import { openBench } from '#support/import/register-files.ts';
import { openedForEach } from '#support/opened.ts';

describe('layout of FINESS files', () => {
  const bench = openedForEach(openBench);

  // Directory import: the names of FINESS JSON in other spellings, unknown ones, and values of another kind.
  describe('import: FINESS JSON of another layout', () => {
    const load = (text: string, name = 'x') => bench.run([bench.file(name, text)]);
    const organizations = async () => [
      await bench.read('Organization', 'F690000013'),
      await bench.read('Organization', 'F690000021'),
    ];
    const warned = ({ warnings }: ImportReport) =>
      Object.fromEntries(
        warnings
          .filter(({ kind }) => kind !== 'bad-check-digit')
          .map(({ kind, examples }) => [kind, examples.map((one) => one.replace(/^\S*x: /, ''))]),
      );

    /** The text with every name changed, wherever it stands. */
    const renamed = (text: string, change: (name: string) => string) =>
      text.replace(/"([^"]+)"(?=\s*:)/g, (_, name) => JSON.stringify(change(name)));

    describe('import: names of FINESS JSON in other spellings', () => {
      it.each([
        [
          'as schema drafts have them',
          (name: string) =>
            name.replace('categorieentite', 'categorieEntite').replace('GeneralesPMEJ', 'GeneralesPmej'),
        ],
        ['in capitals', (name: string) => name.toUpperCase()],
        ['with underscores', (name: string) => name.replace(/(?=[A-Z])/g, '_').toLowerCase()],
        ['with accents', (name: string) => name.replaceAll('e', 'é')],
      ])('%s: give the same structures, and a warning', async (_, change) => {
        await load(finessJson([legalEntity()]), 'usual');
        const usual = await organizations();
        expect(usual).not.toContain(undefined);
        const report = await load(renamed(finessJson([legalEntity()]), change));
        expect(await organizations()).toEqual(usual);
        expect(Object.keys(warned(report))).toEqual(['respelled-key']);
        expect(report.files[0]).toMatchObject({ edition: '2026-11-20T02:06' });
      });

      it('side by side: the first that holds something counts', async () => {
        const ege = { categorieEntiteGeographiqueExercice: '355', categorieentiteGeographiqueExercice: '' };
        await load(finessJson([legalEntity({ ege: [establishment(ege)] })]));
        expect(JSON.stringify((await organizations())[0])).toContain('"355"');
      });

      it('the date and the version stand in `metadata` in schema 1.0.1', async () => {
        const { schemaVersion, generatedAt, ...rest } = JSON.parse(finessJson([legalEntity()])) as Names;
        const report = await load(JSON.stringify({ metadata: { schemaVersion, generatedAt }, ...rest }));
        expect(report.files[0]).toMatchObject({ edition: '2026-11-20T02:06' });
        expect(warned(report)).toEqual({});
      });
    });

    describe('import: names of FINESS JSON that nobody knows', () => {
      it('are named with the place, how often, and where first', async () => {
        const more = { nouveau: 1, adresse: [{ usageAdresse: '03', etage: '2' }] };
        const text = finessJson([legalEntity(), legalEntity({ ege: [establishment(more), establishment(more)] })]);
        expect(warned(await load(text.replace('"gcc"', '"autres"')))).toEqual({
          'unknown-key': expect.arrayContaining([
            'pmej[].ege[].nouveau, 2 times, first in legal entity 2',
            'pmej[].ege[].adresse[].etage, 2 times, first in legal entity 2',
          ]),
        });
      });

      it('at the root; an empty list is no matter', async () => {
        const text = finessJson([legalEntity()]).replace('"gcc": []', '"groupes": [1]');
        expect(warned(await load(text))).toEqual({ 'unknown-key': ['groupes, at the root'] });
      });

      it('are counted together beyond a limit, as if identifiers had become names', async () => {
        const many = Object.fromEntries(Array.from({ length: 300 }, (_, number) => [`n${number}`, 1]));
        const report = await load(finessJson([legalEntity(many)]));
        expect(report.warnings.find(({ kind }) => kind === 'unknown-key')?.count).toBe(51);
      });

      it('what is as long as the file, or of another name each time, does not make the judgement as large', async () => {
        const odd = (number: number) => `${number}`.padEnd(20_000, 'x');
        const entities = Array.from({ length: 100 }, (_, number) =>
          legalEntity({ [odd(number)]: 1, etatObjet: odd(number), ege: [] }),
        );
        const root = Array.from({ length: 100 }, (_, number) => `,"${odd(number)}": [1]`).join('');
        const report = await load(finessJson(entities).replace(/\}$/, `${root}}`));
        expect(report.warnings).toContainEqual(
          // 50 at the root; 50 of the entities and all others.
          expect.objectContaining({ kind: 'unknown-key', count: 101 }),
        );
        expect(report.guards).toContainEqual(
          expect.objectContaining({
            name: 'unknown-state',
            figures: expect.stringMatching(/1 structures of the state "49x{18}…"[^;]*$/),
          }),
        );
        expect(JSON.stringify(report).length).toBeLessThan(100_000);
      });

      it.each(['"autre": "2026-11-20"', '"generatedAt": "20/11/2026"', '"generatedAt": 7'])(
        'a file without a date: %s',
        async (date) => {
          const report = await load(finessJson([legalEntity()]).replace(/"generatedAt": "[^"]*"/, date));
          expect(warned(report)['misfit-value']).toEqual(['generatedAt, which gives no date']);
          expect(report.files[0]).not.toHaveProperty('edition');
        },
      );
    });

    describe('import: values of FINESS JSON of another kind', () => {
      it('lists and single objects are read for each other', async () => {
        await load(finessJson([legalEntity()]), 'usual');
        const usual = await organizations();
        const wrap = (names: Names, name: string) => ({ [name]: [names[name]] });
        const one = (names: Names, name: string) => ({ [name]: (names[name] as unknown[]).at(-1) });
        const ege = establishment();
        const entity = legalEntity();
        const text = finessJson([
          {
            ...entity,
            ...wrap(entity, 'informationsGeneralesPMEJ'),
            ...one(entity, 'adresse'),
            ege: { ...ege, ...wrap(ege, 'informationsGeneralesEGE'), ...one(ege, 'adresse'), etatObjet: ['a'] },
          },
        ]);
        expect(warned(await load(text))).toEqual({});
        expect(await organizations()).toEqual(usual);
      });

      it('null is nothing; numbers, flags, objects and lists for a text are named', async () => {
        const info = {
          numFinessEge: '690000013',
          nomEgeCourt: null,
          nomEgeLong: 'CENTRE',
          siret: 99000000100011,
          espic: [1],
        };
        const adresse = [
          { usageAdresse: '03', lieuDit: true, codePostal: ['69003', '69004'], ligneAcheminement: { ville: 'LYON' } },
          null,
        ];
        const report = await load(
          finessJson([
            legalEntity({ ege: [establishment({ informationsGeneralesEGE: info, adresse, contact: 'x' })] }),
          ]),
        );
        const at = 'pmej[].ege[].';
        expect(warned(report)['misfit-value']).toEqual([
          `${at}informationsGeneralesEGE.siret, 1 times, such as the number 99000000100011 (legal entity 1)`,
          `${at}informationsGeneralesEGE.espic[], 1 times, such as the number 1 (legal entity 1)`,
          `${at}adresse[].lieuDit, 1 times, such as the boolean true (legal entity 1)`,
          `${at}adresse[].ligneAcheminement, 1 times, such as an object (legal entity 1)`,
          `${at}adresse[].codePostal, 1 times, such as a list (legal entity 1)`,
        ]);
        expect(await bench.read('Organization', 'F690000013')).toMatchObject({
          name: 'CENTRE',
          address: [{ postalCode: '69003' }],
        });
      });

      it('of a text for an object, the first letters are told', async () => {
        const ege = establishment({ adresse: `12 rue des Lilas, ${'très '.repeat(9)}loin` as never });
        const told = warned(await load(finessJson([legalEntity({ ege: [ege] })])))['misfit-value'];
        const text = 'the string 12 rue des Lilas, très très t';
        expect(told?.[0]).toBe(`pmej[].ege[].adresse[].usageAdresse, 1 times, such as ${text} (legal entity 1)`);
      });
    });
  });
});
