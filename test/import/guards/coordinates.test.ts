// Guard on one position for all structures: `near` would find them all in one place.

import { expect, it } from '@jest/globals';
import type { EditionToJudge } from '#import/guards/measured-edition.ts';
import { guardCommonValues } from '#import/guards/values.ts';
import { sentencesOf } from '#import/guards/verdict.ts';
import { statisticsOf } from '#import/judgement/statistics.ts';
import { FINESS_TEXT_CELLS } from '#import/registers/finess-text.ts';
import { countedEdition } from '#support/import/counted-columns.ts';

const common = (edition: EditionToJudge) => sentencesOf(guardCommonValues(edition).filter(({ passed }) => !passed));

it('one coordinate for most structures, from 300 lines on, and no other positions than before', () => {
  const columns = FINESS_TEXT_CELLS.geolocalisation;
  const positions = (same: number, all: number, before?: EditionToJudge) => {
    const edition = countedEdition([], before && { before });
    for (let line = 1; line <= all; line++) {
      const x = line <= same ? '652709.4' : `${600000 + line + (before ? 5000 : 0)}.1`;
      const row = ['geolocalisation', `75${line}`, x, '6862305.1', 'L93_METROPOLE', '2026-10-09'];
      edition.collector.columns.count('geo.csv', 'finess geolocalisation', columns, row.with(3, `68${x}`), line);
    }
    return { ...edition, statistics: statisticsOf(edition.collector) };
  };
  expect(common(positions(150, 300))).toEqual([]);
  expect(common(positions(151, 300))).toEqual([
    expect.stringContaining('column "coordxet": 151 of 300 values (50.3 %) are "652709.4"'),
    expect.stringContaining('column "coordyet"'),
  ]);
  expect(common(positions(299, 299))).toEqual([]);
});
