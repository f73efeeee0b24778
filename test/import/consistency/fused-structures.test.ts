// Directory import: different structures under one FINESS number are named and not made into one; issue "two people under
// one id", the structures.

import { describe, expect, it } from '@jest/globals';
import { benchForEach } from '#support/import/bench.ts';
import { establishment, finessJson, legalEntity } from '#support/import/finess-json-files.ts';
import {
  activity,
  type Cells,
  finessEstablishment,
  finessFile,
  finessLegalEntity,
  registerText,
} from '#support/import/register-files.ts';

const bench = benchForEach();

const NORTH: Cells = {
  1: '690000013',
  3: 'CLINIQUE DU NORD',
  7: '1',
  9: 'DES LILAS',
  15: '69003 LYON',
  22: '99000000100011',
};
const SOUTH: Cells = {
  1: '690000013',
  3: 'EHPAD DU SUD',
  7: '9',
  9: 'DU PORT',
  15: '13001 MARSEILLE',
  22: '99100000100012',
};

/** Some buckets, and so several threads. */
const MANY_BUCKETS = { bucketBytes: 10_000 };

const text = (name: string, ...lines: string[]) => bench.file(name, finessFile(...lines));
const nameNow = async (id = 'F690000013') => (await bench.read('Organization', id))?.['name'];
const fused = (report: { warnings: { kind: string; examples: string[] }[] }) =>
  report.warnings.filter(({ kind }) => kind === 'fused-structures').flatMap(({ examples }) => examples);

describe('import: two structures under one FINESS number', () => {
  it('are named; the one of the edition before stays as it was, its version included', async () => {
    await bench.run([text('a', finessEstablishment(NORTH))]);
    const before = await (await bench.snapshot()).read('Organization', 'F690000013');
    const report = await bench.run([
      text('b', finessEstablishment({ ...NORTH, 3: 'CLINIQUE' }), finessEstablishment(SOUTH)),
    ]);
    expect(report.outcome).toBe('imported');
    expect(fused(report)).toEqual([
      'Organization/F690000013: "CLINIQUE" in 69003 (structureet) and "EHPAD DU SUD" in 13001 (structureet); left as it was',
    ]);
    expect(await (await bench.snapshot()).read('Organization', 'F690000013')).toEqual({ ...before, position: 0 });
  });

  it('in several threads, too; but where other people are meant nothing stays', async () => {
    const people = Array.from({ length: 400 }, (_, index) =>
      activity({ 1: `190000${String(index).padStart(5, '0')}` }),
    );
    const edition = [bench.file('pa', registerText('activities', people)), text('a', finessEstablishment(NORTH))];
    await bench.run(edition);
    const both = [edition[0] ?? '', text('b', finessEstablishment(NORTH), finessEstablishment(SOUTH))];
    await bench.run(both, MANY_BUCKETS);
    expect(await nameNow()).toBe('CLINIQUE DU NORD');
    await bench.run([...both, text('c', finessLegalEntity())], {
      accept: [{ name: 'other-people' }, { name: 'partial' }],
    });
    expect(await nameNow()).toBe('EHPAD DU SUD');
  });

  it('at a first load one of them is taken, without lines of the other', async () => {
    const report = await bench.run([text('a', finessEstablishment(NORTH), finessEstablishment(SOUTH))]);
    expect(fused(report)).toHaveLength(1);
    const found = await bench.read('Organization', 'F690000013');
    expect(found).toMatchObject({ name: 'EHPAD DU SUD', address: [{ city: 'MARSEILLE' }] });
    expect(JSON.stringify(found)).not.toContain('NORD');
  });

  it('an establishment under the number of a legal entity', async () => {
    await bench.run([text('a', finessLegalEntity({ 1: '690000021', 2: 'GROUPE' }))]);
    const report = await bench.run([
      text(
        'b',
        finessLegalEntity({ 1: '690000021', 2: 'GROUPE' }),
        finessEstablishment({ 1: '690000021', 3: 'GROUPE' }),
      ),
    ]);
    expect(fused(report)).toHaveLength(1);
    expect(await nameNow('F690000021')).toBe('GROUPE');
  });

  it('in FINESS JSON', async () => {
    const other = {
      informationsGeneralesEGE: {
        numFinessEge: '690000013',
        nomEgeCourt: 'EHPAD',
        nomEgeLong: 'EHPAD DU SUD',
        siret: '99100000100012',
      },
      adresse: [],
    };
    await bench.run([bench.file('a', finessJson([legalEntity()]))]);
    const report = await bench.run([
      bench.file('b', finessJson([legalEntity({ ege: [establishment(other), establishment()] })])),
    ]);
    expect(fused(report)).toHaveLength(1);
    expect(await nameNow()).toBe('CENTRE HOSPITALIER DES LILAS');
  });

  it.each([
    ['a name that changed', { 3: 'EHPAD DU SUD' }],
    ['a site that changed', { 9: 'DU PORT', 15: '13001 MARSEILLE' }],
    ['a legal unit that changed', { 22: '99100000100012' }],
    ['another site of the same SIRET', { 3: 'EHPAD', 9: 'DU PORT' }],
  ])('not: %s', async (_, cells: Cells) => {
    expect(
      fused(await bench.run([text('a', finessEstablishment(NORTH), finessEstablishment({ ...NORTH, ...cells }))])),
    ).toEqual([]);
  });

  const OTHER = { 3: 'EHPAD DU SUD', 9: 'DU PORT', 15: '13001 MARSEILLE', 22: '99100000100012' };
  it.each([
    ['a quite different structure in the other form', {}, 1],
    ['not: the forms of one structure, months apart: a long word of the name', { 3: 'EHPAD DES LILAS' }, 0],
    ['not: the legal unit', { 22: '99000000100077' }, 0],
    ['not: the postal code', { 15: '69003 LYON' }, 0],
  ])('%s', async (_, cells: Cells, count) => {
    const files = [
      bench.file('x', finessJson([legalEntity()])),
      text('a', finessEstablishment({ ...OTHER, ...cells })),
    ];
    expect(fused(await bench.run(files))).toHaveLength(count);
    expect(await nameNow()).toBe('CENTRE HOSPITALIER DES LILAS');
  });
});
