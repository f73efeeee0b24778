// Directory import: FINESS as JSON and as text give the same Organizations where they hold the same facts: the structures of the
// shipped edition, written in both forms.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { indexOfColumns } from '#import/collect/columns.ts';
import { FINESS_TEXT_CELLS, splitFinessLine } from '#import/registers/finess-text.ts';
import { zip } from '#support/import/archive.ts';
import { benchForEach } from '#support/import/bench.ts';
import { finessAsJson } from '#support/import/finess-as-json.ts';
import { finessFile } from '#support/import/register-files.ts';

const [J, E] = [indexOfColumns(FINESS_TEXT_CELLS.structureej), indexOfColumns(FINESS_TEXT_CELLS.structureet)];

const bench = benchForEach();

const organizations = async () => {
  const page = await (await bench.snapshot()).search({ type: 'Organization', clauses: [], limit: 2000, total: false });
  expect(page.more).toBe(false);
  return page.matches.map(({ json }) => {
    const { meta: _meta, ...resource } = JSON.parse(json) as Record<string, unknown>;
    return resource;
  });
};

describe('import: FINESS as JSON and as text', () => {
  const EDITION = join(import.meta.dirname, '../../../seeds/edition');
  const cellsOf = (name: string) =>
    gunzipSync(readFileSync(join(EDITION, readdirSync(EDITION).find((one) => one.includes(name)) ?? '')))
      .toString('utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map(splitFinessLine);
  const [entities, establishments] = [cellsOf('cs1100501'), cellsOf('cs1100502')];

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
