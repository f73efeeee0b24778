// Directory import: resources of FHIR sources are validated one by one: what is served must be valid STU3, and a
// invalid one is left out with its line or entry and the reason.

import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ImportReport } from '../../../src/import/judgement/import-report.ts';
import { bundle, clinic, exact, group, jeanne, load, ndjson, role } from '../../support/import/fhir-resources.ts';
import { type Bench, openBench } from '../../support/import/register-files.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench.close());

const practitioner = (elements: object) => ({ resourceType: 'Practitioner', id: 'x', ...elements });

/** An invalid resource, and the reason why it is left out. */
const INVALID: [resource: unknown, reason: RegExp][] = [
  [{ resourceType: 'Location', id: 'x' }, /a resource of type "Location": the directory takes Practitioner/],
  [{ id: 'x' }, /no resourceType/],
  [{ resourceType: 'Practitioner' }, /Practitioner without id/],
  [practitioner({ id: 'a/b' }), /"a\/b" is no FHIR id/],
  [practitioner({ id: 'x'.repeat(65) }), /is no FHIR id/],
  [practitioner({ name: 'MARTIN' }), /Practitioner\.name is not an array/],
  [practitioner({ name: [{ family: ['MARTIN'] }] }), /Practitioner\.name\.family is not of type string/],
  [practitioner({ name: [{ family: 'A' }, { family: '' }] }), /Practitioner\.name\[1\]\.family is not of type string/],
  [practitioner({ name: [] }), /Practitioner\.name is not an array with content/],
  [practitioner({ name: [{ given: [null] }] }), /given is not of type string/],
  [practitioner({ active: 'yes' }), /Practitioner\.active is not of type boolean/],
  [practitioner({ gender: 'F' }), /Practitioner\.gender is not one of the codes/],
  [practitioner({ birthDate: '1970-13-01' }), /birthDate is not of type date/],
  [practitioner({ qualification: [{ period: { start: '2000' } }] }), /Practitioner\.qualification\.code is required/],
  [practitioner({ nickname: 'x' }), /Practitioner\.nickname is no element of STU3/],
  [JSON.parse('{"resourceType":"Practitioner","id":"x","__proto__":{"a":1}}'), /__proto__ is no element/],
  [practitioner({ telecom: [{ value: 'a@b.example' }] }), /has a value without system/],
  [practitioner({ contained: [] }), /contained is not accepted/],
  [practitioner({ implicitRules: 'https://x.example' }), /implicitRules can change the meaning/],
  [practitioner({ extension: [{ url: 'https://x.example' }] }), /extension needs either one value or extensions/],
  [practitioner({ extension: [{ url: 'https://x.example', valueDosage: {} }] }), /valueDosage is no element/],
  [{ resourceType: 'Organization', id: 'x', active: true }, /without identifier and name \(org-1\)/],
  [{ resourceType: 'Organization', id: 'x', name: 'A', telecom: [{ use: 'home' }] }, /telecom is of use home/],
  [{ resourceType: 'Organization', id: 'x', name: 'A', partOf: { reference: '#g' } }, /leads nowhere: write Type\/id/],
  [
    { resourceType: 'Organization', id: 'x', name: 'A', partOf: { reference: 'Practitioner/g' } },
    /is not of the form Organization\/id/,
  ],
  [{ ...role, practitioner: { reference: 'urn:uuid:5b1' } }, /leads nowhere/],
  [practitioner({ name: [{ text: 'x'.repeat(1 << 20) }] }), /larger than 1 MiB/],
  [practitioner({ name: [{ text: 'a\u0007' }] }), /control characters/],
  [[], /not a JSON object/],
  ['text', /not a JSON object/],
];

describe('import: an invalid resource is left out with its line or entry number and the reason', () => {
  const good = Array.from({ length: INVALID.length }, (_, index) => ({
    resourceType: 'Organization',
    id: `o${index}`,
    name: 'X',
  }));
  const mixed = good.flatMap((resource, index) => [resource, INVALID[index]?.[0]]);
  let lines: ImportReport;
  let entries: ImportReport;

  beforeAll(async () => {
    const own = await openBench();
    lines = await load(own, own.file('x.ndjson', ndjson(...mixed)));
    entries = await load(own, own.file('x.json', bundle(mixed)));
    await own.close();
  });

  it.each(INVALID.map(([, reason], index) => [reason, index] as const))('%s', (reason, index) => {
    for (const [report, unit] of [
      [lines, undefined],
      [entries, 'entry'],
    ] as const) {
      const example = report.linesLeftOut.examples.find(({ line }) => line === 2 * index + 2);
      expect(example).toEqual({
        file: expect.any(String),
        line: 2 * index + 2,
        reason: expect.stringMatching(reason),
        ...(unit && { unit }),
      });
    }
  });

  it('and all others are taken', () => {
    for (const report of [lines, entries]) {
      expect(report.linesLeftOut.count).toBe(INVALID.length);
      expect(report.files[0]).toMatchObject({ lines: mixed.length, leftOut: INVALID.length });
      expect(report.resources.Organization).toBe(good.length);
    }
  });
});

describe('import: validation', () => {
  it('takes what STU3 allows: extensions, parts of primitives, periods, photos', async () => {
    const rich = practitioner({
      language: 'fr',
      extension: [
        { url: 'https://x.example/a', extension: [{ url: 'b', valueCoding: { system: 'urn:x', code: 'c' } }] },
      ],
      _birthDate: { extension: [{ url: 'https://x.example/t', valueInstant: '1970-01-01T10:00:00.5+01:00' }] },
      birthDate: '1970-01-01',
      gender: 'female',
      name: [
        { given: ['A', 'B'], _given: [null, { id: 'x' }], period: { start: '2001-02', end: '2020-01-01T00:00:00Z' } },
      ],
      telecom: [{ system: 'phone', value: '+33 6 39 98 00 01', rank: 1 }],
      photo: [{ contentType: 'image/png', data: 'iVBORw0KGgo=', size: 7 }],
      communication: [{ coding: [{ system: 'urn:ietf:bcp:47', code: 'fr' }] }],
    });
    const report = await bench.run([bench.file('x', ndjson(rich))]);
    expect(report.linesLeftOut.count).toBe(0);
    expect(await bench.read('Practitioner', 'x')).toEqual(rich);
    expect(await exact(bench, 'Practitioner', 'telecom', '0639980001')).toEqual(['x']);
  });

  it('too many unusable ones are a refusal', async () => {
    const report = await bench.run([bench.file('x', ndjson(jeanne, { resourceType: 'Location', id: 'l' }))]);
    expect(report.outcome).toBe('refused');
    expect(report.guards).toContainEqual(
      expect.objectContaining({
        name: 'unusable-lines',
        passed: false,
        figures: expect.stringContaining('1 of 2 lines'),
      }),
    );
  });

  it('names single broken lines, and goes on behind them', async () => {
    const text = `${ndjson(jeanne)}{"resourceType":"Practitioner",\n${ndjson(clinic)}\u0000\u0001\n${ndjson(group, role)}`;
    const report = await load(bench, bench.file('x', text));
    expect(report.linesLeftOut.examples.map(({ line, reason }) => [line, reason])).toEqual([
      [2, 'not valid JSON'],
      [4, 'not valid JSON'],
    ]);
    expect(report.resources).toEqual({ Practitioner: 1, Organization: 2, PractitionerRole: 1 });
  });
});
