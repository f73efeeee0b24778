// Directory import: the FINESS JSON feed `finess-structures-1`, alone, beside other files, and compared with the text. The
// names are those of the published schema v1.0.0 and its sample; the structures are invented.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { indexOfColumns } from '#import/collect/columns.ts';
import { FINESS_TEXT_CELLS, splitFinessLine } from '#import/registers/finess-text.ts';
import { zip } from '#support/import/archive.ts';
import { finessAsJson } from '#support/import/finess-as-json.ts';
import { finessJson, legalEntity } from '#support/import/finess-json-files.ts';
import { finessFile, openBench } from '#support/import/register-files.ts';
import { openedForEach } from '#support/opened.ts';

describe('FINESS as JSON', () => {
  const bench = openedForEach(openBench);

  it('import: FINESS JSON, name by name the schema’s names become an Organization', async () => {
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
