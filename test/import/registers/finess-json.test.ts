// Directory import: the FINESS JSON flow `finess-structures-1`, alone, beside other files, and compared with the text. The
// names are those of the published schema v1.0.0 and its sample; the structures are invented.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { indexOfColumns } from '#import/collect/columns.ts';
import { FINESS_TEXT_CELLS, splitFinessLine } from '#import/registers/finess-text.ts';
import { zip } from '#support/import/archive.ts';
import { finessAsJson } from '#support/import/finess-as-json.ts';
import { establishment, finessJson, legalEntity } from '#support/import/finess-json-files.ts';
import {
  activity,
  finessEstablishment,
  finessFile,
  finessLegalEntity,
  openBench,
  registerText,
} from '#support/import/register-files.ts';
import { openedForEach } from '#support/opened.ts';

describe('FINESS as JSON', () => {
  const bench = openedForEach(openBench);

  describe('import: FINESS JSON, name by name', () => {
    it('the schema’s names become an Organization', async () => {
      await bench.run([bench.file('x', finessJson([legalEntity()]))]);
      expect(await bench.read('Organization', 'F690000013')).toEqual({
        resourceType: 'Organization',
        id: 'F690000013',
        identifier: [
          { use: 'official', system: 'urn:oid:1.2.250.1.71.4.2.2', value: '1690000013' },
          { use: 'official', system: 'https://finess.esante.gouv.fr', value: '690000013' },
          { use: 'official', system: 'https://sirene.fr', value: '99000000100011' },
          {
            use: 'official',
            system: 'https://hygie.example/fhir/Identifier/organization-technical-id',
            value: 'F690000013',
          },
        ],
        active: true,
        type: [
          { coding: [{ system: expect.stringContaining('TRE_R73'), code: '1' }] },
          { coding: [{ system: expect.stringContaining('TRE_R66'), code: '355' }] },
        ],
        name: 'CENTRE HOSPITALIER DES LILAS',
        alias: ['CH LILAS'],
        telecom: [
          { system: 'phone', value: '0199000001', use: 'work' },
          { system: 'phone', value: '0199000002', use: 'work' },
          { system: 'fax', value: '0199000003', use: 'work' },
          { system: 'email', value: 'accueil@lilas.example', use: 'work' },
        ],
        address: [
          {
            extension: [
              expect.objectContaining({ valueCoding: expect.objectContaining({ code: '69383' }) }),
              {
                url: 'http://hl7.org/fhir/StructureDefinition/geolocation',
                extension: [
                  { url: 'latitude', valueDecimal: 45.75 },
                  { url: 'longitude', valueDecimal: 4.85 },
                ],
              },
            ],
            use: 'work',
            line: ['SITE NORD', 'BATIMENT A', '12 BIS AV DES LILAS', 'BP 7', '69003 LYON CEDEX 03'],
            city: 'LYON',
            postalCode: '69003',
          },
        ],
        partOf: { reference: 'Organization/F690000021' },
      });
      expect(await bench.read('Organization', 'F690000021')).toMatchObject({ name: 'GROUPE DES LILAS' });
    });

    it('takes the postal line of the street where its parts are empty, and the only address whatever its use', async () => {
      const adresse = [
        {
          usageAdresse: '06',
          ligneQuatre: '1 PLACE DU MARCHE',
          cogCommune: '2A004',
          codePostal: '20000',
          ligneAcheminement: '20000 AJACCIO',
        },
      ];
      await bench.run([bench.file('x', finessJson([legalEntity({ ege: [establishment({ adresse })] })]))]);
      expect(await bench.read('Organization', 'F690000013')).toMatchObject({
        address: [{ line: ['SITE NORD', '1 PLACE DU MARCHE', '20000 AJACCIO'], city: 'AJACCIO', postalCode: '20000' }],
      });
    });

    it('leaves closed structures out, but for a legal entity that an open establishment belongs to', async () => {
      const closed = { etatObjet: 'I' };
      const info = (numFinessEge: string) => ({
        informationsGeneralesEGE: { numFinessEge, nomEgeLong: 'X', nomEgeCourt: 'X' },
      });
      const report = await bench.run([
        bench.file(
          'x',
          finessJson([
            legalEntity({ ...closed, ege: [establishment(closed), establishment(info('690000039'))] }),
            legalEntity({ ...closed, informationsGeneralesPMEJ: { numFinessPm: '690000047' }, ege: [] }),
          ]),
        ),
      ]);
      expect(report.resources.Organization).toBe(2);
      expect(await bench.read('Organization', 'F690000021')).toMatchObject({ name: 'GROUPE DES LILAS' });
      expect(report.warnings).toContainEqual(expect.objectContaining({ kind: 'closed-structure', count: 2 }));
      expect(report.files[0]).toMatchObject({ lines: 4, leftOut: 0, parts: { structureej: 1, structureet: 1 } });
    });

    it('an invalid structure is left out with the number of its legal entity and the reason', async () => {
      const many = Array.from({ length: 400 }, (_, index) =>
        legalEntity({
          informationsGeneralesPMEJ: { numFinessPm: String(690100000 + index), denominationPm: 'FOYER' },
          ege: [],
        }),
      );
      const report = await bench.run(
        [
          bench.file(
            'x',
            finessJson([
              ...many.slice(0, 1),
              legalEntity({ informationsGeneralesPMEJ: { numFinessPm: '12' } }),
              legalEntity({ ege: [establishment(), establishment({ informationsGeneralesEGE: {} }), 'x'] }),
              7,
              ...many.slice(1),
            ]),
          ),
        ],
        { accept: [{ name: 'partial' }, { name: 'needed-keys' }, { name: 'fill-floors' }] },
      );
      expect(report.linesLeftOut.examples.map(({ unit, line, reason }) => `${unit} ${line}: ${reason}`)).toEqual([
        'legal entity 2: FINESS number of the legal entity missing or malformed (its establishments are left out with it)',
        'legal entity 3: establishment 2: FINESS number missing or malformed',
        'legal entity 3: establishment 3: not a JSON object',
        'legal entity 4: not a JSON object',
      ]);
      expect(report.outcome).toBe('imported');
      expect(report.resources.Organization).toBe(402);
    });

    it('refuses a truncated file, and files of two days', async () => {
      const text = finessJson([legalEntity(), legalEntity()]);
      await expect(bench.run([bench.file('x', text.slice(0, -20))])).rejects.toThrow(
        /x: behind legal entity 1: it ends before it is closed: it is truncated\. Download or export it again/,
      );
      const other = bench.file('y', text.replace('2026-11-20', '2026-11-21'));
      await expect(bench.run([bench.file('x', text), other])).rejects.toThrow(/is of another edition than/);
    });
  });

  describe('import: FINESS JSON beside other files', () => {
    it('finds the owners of secure mail, and is completed by the register of activities', async () => {
      await bench.run([
        bench.file(
          'pa',
          registerText('activities', [
            activity({ 19: '99000000100011', 21: '690000013', 23: 'F690000013', 24: 'CH (PA)' }),
          ]),
        ),
        bench.file(
          'mss',
          registerText('mailboxes', [{ 0: 'ORG', 1: 'urgences@lilas.example', 5: 'SIRET', 6: '99000000100011' }]),
        ),
        bench.file('x', finessJson([legalEntity()])),
      ]);
      expect(await bench.read('Organization', 'F690000013')).toMatchObject({
        name: 'CH (PA)',
        alias: ['CENTRE HOSPITALIER DES LILAS', 'CH LILAS'],
        telecom: expect.arrayContaining([expect.objectContaining({ value: 'urgences@lilas.example' })]),
      });
    });

    it('both forms together: the JSON flow is kept, because the text files are no longer renewed', async () => {
      const report = await bench.run([
        bench.file('x', finessJson([legalEntity()])),
        bench.file(
          'y',
          finessFile(
            finessEstablishment({ 3: 'OLD NAME' }),
            finessLegalEntity({ 2: 'OLD' }),
            finessLegalEntity({ 1: '690000047' }),
          ),
        ),
      ]);
      expect(await bench.read('Organization', 'F690000013')).toMatchObject({
        name: 'CENTRE HOSPITALIER DES LILAS',
        alias: ['CH LILAS'],
      });
      expect(await bench.read('Organization', 'F690000047')).toMatchObject({ name: 'GROUPE' });
      expect(report.warnings).toContainEqual(expect.objectContaining({ kind: 'both-finess-forms', count: 2 }));
    });
  });

  // Directory import: FINESS as JSON and as text give the same Organizations where they hold the same facts: the structures of the
  // shipped edition, written in both forms.
  describe('import: FINESS as JSON and as text', () => {
    const [J, E] = [indexOfColumns(FINESS_TEXT_CELLS.structureej), indexOfColumns(FINESS_TEXT_CELLS.structureet)];

    const organizations = async () => {
      const page = await (await bench.snapshot()).search({
        type: 'Organization',
        clauses: [],
        limit: 2000,
        total: false,
      });
      expect(page.more).toBe(false);
      return page.matches.map(({ json }) => {
        const { meta: _meta, ...resource } = JSON.parse(json) as Record<string, unknown>;
        return resource;
      });
    };

    const EDITION = join(import.meta.dirname, '../../../seeds/edition');
    const cellsOf = (name: string) =>
      gunzipSync(readFileSync(join(EDITION, readdirSync(EDITION).find((one) => one.includes(name)) ?? '')))
        .toString('utf8')
        .trimEnd()
        .split('\n')
        .slice(1)
        .filter((line) => !line.startsWith('geolocalisation'))
        .map(splitFinessLine);
    const [entities, establishments] = [cellsOf('cs1100501'), cellsOf('cs1100507')];

    const asJson = () => finessAsJson(entities, establishments);
    /** What the flow does not hold: labels, and departments but for their number. */
    const LABELS = {
      J: [J.statusLabel, J.categoryLabel, J.department],
      E: [E.categoryLabel, E.publicServiceLabel, E.department],
    };
    const asText = (without: boolean) => {
      const line = (cells: string[], labels: readonly number[]) =>
        cells
          .map((text, cell) => (without && labels.includes(cell) ? '' : text.includes(';') ? `"${text}"` : text))
          .join(';');
      return finessFile(
        ...entities.map((cells) => line(cells, LABELS.J)),
        ...establishments.map((cells) => line(cells, LABELS.E)),
      );
    };

    it('give the same Organizations', async () => {
      expect(establishments.length).toBeGreaterThan(100);
      // Without the labels that only text has.
      await bench.run([bench.file('finess.csv', asText(true))], { accept: [{ name: 'fill-floors' }] });
      const fromText = await organizations();
      expect(fromText.length).toBe(entities.length + establishments.length);
      const report = await bench.run([bench.file('finess.json.gz', gzipSync(asJson()))]);
      expect(report).toMatchObject({ outcome: 'imported', warnings: [], linesLeftOut: { count: 0 } });
      expect(report.changes?.Organization).toMatchObject({ added: 0, changed: 0, removed: 0 });
      expect(await organizations()).toEqual(fromText);
    });

    it('and but for labels and departments also when the text holds those', async () => {
      await bench.run([bench.file('finess.csv', asText(false))]);
      const fromText = await organizations();
      // Every label goes, which is more than changes in a day.
      await bench.run([bench.file('finess.json', asJson())], { accept: [{ name: 'changed' }] });
      const bare = (resource: unknown) =>
        JSON.parse(
          JSON.stringify(resource, (name, value) => (['display', 'district'].includes(name) ? undefined : value)),
        );
      expect(JSON.stringify(fromText)).toContain('"district"');
      expect(await organizations()).toEqual(fromText.map(bare));
    });

    it('the one can follow upon the other: the guard of registers takes them for the same', async () => {
      await bench.run([bench.file('finess.csv', asText(false))]);
      const report = await bench.run([bench.file('finess.zip', zip('x.json', Buffer.from(asJson())))]);
      const figures = report.guards.filter(({ name }) => name === 'registers').map((guard) => guard.figures);
      expect(figures).toEqual([expect.stringContaining('0.00 % fewer'), expect.stringContaining('0.00 % fewer')]);
      expect(report.files[0]).toMatchObject({
        kind: 'finess',
        edition: '2026-11-20T02:06',
        parts: { structureej: entities.length, structureet: establishments.length },
      });
    });
  });
});
