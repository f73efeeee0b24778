// The third pass: what the records of a structure become, what is said of them, and what stays as it was before.

import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { createStructureComparison } from '#import/consistency/structures.ts';
import { STRUCTURE_RECORD } from '#import/passes/buckets.ts';
import { organizationOf } from '#import/passes/map-structures.ts';
import { createMapper, STRUCTURES } from '#import/passes/mapper.ts';
import { createPreviousResources } from '#import/passes/previous-resources.ts';
import { finessRow } from '#import/registers/finess-row.ts';
import { A, M } from '#import/registers/person-columns.ts';
import { snapshotFolder } from '#store/snapshots/folder.ts';
import { readPointer } from '#store/snapshots/registry.ts';
import { type Cells, lineOf, mappingContext, warningsOf } from '#support/import/lines.ts';
import {
  activity,
  finessEstablishment,
  finessFile,
  finessLegalEntity,
  openBench,
  registerText,
} from '#support/import/register-files.ts';
import { newFolder } from '#support/new-folder.ts';

describe('import: the third pass', () => {
  const record = (kind: number, row: readonly string[], line = 2) => ({ kind, row, file: 1, line });
  const text = (cells: Cells) =>
    record(2, finessRow(new Map(Object.entries({ line: 'structureet', finess: '690000013', ...cells }))));
  const flow = (cells: Cells) => ({ ...text(cells), kind: 3 });
  const reference = record(4, ['690000013']);
  const position = (form: string, latitude: string) => record(8, [form, latitude, '4.85']);
  const box = (cells: Cells) => record(5, lineOf(M, { address: 'a@x.example', ...cells }));
  function mapped(records: ReturnType<typeof record>[], { finess = ['structureet'], areas = new Map() } = {}) {
    const collector = createCollector();
    const kinds = new Set(finess);
    const compare = createStructureComparison(kinds, collector);
    const context = { mapping: mappingContext(collector), finess: kinds, areas, compare, collector };
    const found = organizationOf('F690000013', records as never, context) as { resource?: Record<string, unknown> };
    return { found, resource: found.resource, warnings: warningsOf(collector), collector };
  }

  it('repeated records count once, in any order', () => {
    const records = [
      text({ name: 'SITE', phone: '0199000001' }),
      record(1, lineOf(A, { name: 'CH', finess: '690000013' })),
      reference,
    ];
    const { resource, warnings, collector } = mapped([...records, records[0] as (typeof records)[0], box({}), box({})]);
    expect(mapped(records.toReversed()).resource).toEqual({
      ...resource,
      telecom: [expect.objectContaining({ value: '0199000001' })],
    });
    expect(resource).toMatchObject({
      name: 'CH',
      alias: ['SITE'],
      telecom: [{ value: '0199000001' }, { value: 'a@x.example' }],
    });
    expect(warnings).toEqual([]);
    expect(collector.consistency.all.mailStructures).toMatchObject({ checked: 1, odd: 0 });
  });

  it('structures that hardly anything is known of are warnings', () => {
    const unknown = record(1, lineOf(A, { name: 'CH', finess: '690000013' }));
    expect(mapped([box({ name: 'EHPAD' })])).toMatchObject({
      resource: { name: 'EHPAD' },
      warnings: ['mail-without-structure F690000013'],
    });
    expect(mapped([reference]).warnings).toEqual(['known-by-reference F690000013']);
    expect(mapped([unknown]).warnings).toEqual(['unknown-structure Organization/F690000013, FINESS 690000013']);
    expect(mapped([unknown], { finess: [] }).warnings).toEqual([]);
    expect(mapped([record(1, lineOf(A, { name: 'CH' }))]).warnings).toEqual([]);
    expect(mapped([text({ line: 'structureej', name: 'G' })]).warnings).toEqual([]);
  });

  it('FINESS JSON stands in place of the text, and its position too', () => {
    const { resource, warnings } = mapped([
      ...[text({ name: 'LES LILAS', routing: '69003 LYON' }), flow({ name: 'LES LILAS ROSES', routing: '69003 LYON' })],
      ...[position('finessText', '45.7'), position('finessJson', '45.8')],
    ]);
    expect(warnings).toEqual(['both-finess-forms Organization/F690000013']);
    expect(resource).toMatchObject({ name: 'LES LILAS ROSES' });
    expect(JSON.stringify(resource)).toContain(
      '{"url":"latitude","valueDecimal":45.8},{"url":"longitude","valueDecimal":4.85}',
    );
    const areas = new Map([['69', { centre: { latitude: 40, longitude: 4.85 }, metres: 1000 }]]);
    const far = mapped([text({ name: 'A', routing: '69003 LYON' }), position('finessText', '45.7')], { areas });
    expect(far.warnings).toEqual(['impossible-position Organization/F690000013, 45.7 4.85']);
    expect(JSON.stringify(far.resource)).not.toContain('latitude');
  });

  it('two structures under one number are doubtful, and the last of them is taken, without a position', () => {
    const [north, south] = [
      text({ name: 'CLINIQUE DU NORD', street: 'LILAS', routing: '69003 LYON', siret: '99000000100011' }),
      text({ name: 'EHPAD DU SUD', street: 'PORT', routing: '13001 MARSEILLE', siret: '99100000100012' }),
    ];
    const { found } = mapped([south, north, position('finessText', '45.7'), reference]);
    expect(found).toMatchObject({
      doubtful: { type: 'Organization', id: 'F690000013' },
      fallbackText: 'one of them is taken',
      fallback: [{ type: 'Organization', id: 'F690000013', resource: { name: 'EHPAD DU SUD' } }],
      warning: {
        kind: 'fused-structures',
        text: '"CLINIQUE DU NORD" in 69003 (structureet) and "EHPAD DU SUD" in 13001 (structureet)',
      },
    });
    expect(JSON.stringify(found)).not.toMatch(/NORD"|latitude.*valueDecimal/);
  });

  it('a resource that came as FHIR stays as it is, and one of which nothing else is known stays as it was', () => {
    const given = (name: string, line: string) =>
      record(6, ['3', line, JSON.stringify({ resourceType: 'Organization', id: 'F690000013', name })]);
    const { resource, warnings } = mapped([given('B', '9'), given('A', '8'), reference]);
    expect([resource, warnings]).toEqual([
      { resourceType: 'Organization', id: 'F690000013', name: 'A' },
      ['conflicting-resource Organization/F690000013'],
    ]);
    expect(mapped([given('A', '8'), text({})]).warnings).toEqual(['resource-over-register Organization/F690000013']);
    const kept = record(7, []);
    expect(mapped([kept, position('finessText', '45')]).found).toEqual({
      doubtful: { type: 'Organization', id: 'F690000013' },
      fallback: [],
      fallbackText: '',
    });
    expect(mapped([kept, text({ name: 'A' })]).resource).toMatchObject({ name: 'A' });
  });

  it('mappers share the buckets, and their files have these names', () => {
    const folder = newFolder();
    const job = {
      folder,
      sources: [],
      namespace: 'x',
      buckets: { people: 7, structures: 4 },
      large: false,
      mappers: 3,
      mailboxKeys: { id: new Set(), siret: new Set(), national: new Set() },
      areas: new Map(),
      finess: new Set(),
    };
    const shares = [0, 1, 2].map((number) => {
      const mapper = createMapper(job as never, number);
      void mapper.close();
      return [mapper.share('people'), mapper.share('structures')];
    });
    expect(shares).toEqual([
      [
        [0, 3, 6],
        [0, 3],
      ],
      [[1, 4], [1]],
      [[2, 5], [2]],
    ]);
    expect([STRUCTURES.read, STRUCTURES.of(2), STRUCTURE_RECORD.kept]).toEqual(['structures', 'structures-2', 7]);
  });
});

it('import: resources of the edition before are found again: a person with its own roles, and organizations up to the last one', async () => {
  const bench = await openBench();
  const lines = [activity({ 21: '690000013', 22: '690000021', 23: 'F690000013' }), activity({ 1: '19000000026' })];
  await bench.run([
    bench.file('pa', registerText('activities', lines)),
    bench.file('f', finessFile(finessEstablishment(), finessLegalEntity())),
  ]);
  const { current } = await readPointer(bench.database);
  const previous = createPreviousResources(join(snapshotFolder(bench.dataFolder), `${current}.sqlite`));
  const doubt = (type: 'Practitioner' | 'Organization', id: string, isGiven?: (one: object) => boolean) =>
    previous.of({ doubtful: { type, id }, fallback: [], fallbackText: '', ...(isGiven && { isGiven }) });
  const person = await doubt('Practitioner', '819000000018');
  expect(person?.map(({ type, id }) => [type, id])).toEqual([
    ['Practitioner', '819000000018'],
    ['PractitionerRole', expect.stringMatching(/^819000000018-/)],
  ]);
  expect(person?.some(({ resource }) => 'meta' in resource)).toBe(false);
  const isGiven = (one: object) => (one as { resourceType: string }).resourceType === 'Practitioner';
  expect((await doubt('Practitioner', '819000000018', isGiven))?.map(({ type }) => type)).toEqual(['PractitionerRole']);
  expect((await doubt('Organization', 'F690000013'))?.map(({ id }) => id)).toEqual(['F690000013']);
  expect(await doubt('Practitioner', 'absent')).toBeUndefined();
  expect(await previous.organizationsOf(person?.[1] as never)).toEqual(['F690000013', 'F690000021']);
  expect(
    await previous.organizationsOf({ resource: { organization: { reference: 'Organization/absent' } } } as never),
  ).toEqual(['absent']);
  expect(await previous.organizationsOf({ resource: {} } as never)).toEqual([]);
  await previous.close();
  await bench.close();
  const none = createPreviousResources(undefined);
  expect(
    await none.of({ doubtful: { type: 'Practitioner', id: '1' }, fallback: [], fallbackText: '' }),
  ).toBeUndefined();
  await none.close();
});
