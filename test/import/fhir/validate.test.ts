// Directory import: resources of FHIR sources are validated one by one: what is served must be valid STU3, and a
// invalid one is left out with its line or entry and the reason.

import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ImportReport } from '#import/judgement/import-report.ts';
import { bundle, clinic, exact, group, jeanne, load, ndjson, role } from '#support/import/fhir-resources.ts';
import { openBench } from '#support/import/register-files.ts';
import { openedForEach } from '#support/opened.ts';

describe('validation of resources', () => {
  const bench = openedForEach(openBench);

  const practitioner = (elements: object) => ({ resourceType: 'Practitioner', id: 'x', ...elements });

  /** An invalid resource, and the reason why it is left out. */
  const INVALID: [resource: unknown, reason: RegExp][] = [
    [{ resourceType: 'Location', id: 'x' }, /a resource of type "Location": the directory takes Practitioner/],
    [{ resourceType: 'Practitioner' }, /Practitioner without id/],
    [practitioner({ birthDate: '2023-02-30' }), /birthDate is not of type date: there is no such day/],
    [practitioner({ name: [{ family: 'A\ud800' }] }), /family holds half a character/],
    [practitioner({ name: [{ family: '\u200b \u00ad' }] }), /family holds characters that nobody sees/],
    [JSON.parse('{"resourceType":"Practitioner","id":"x","__proto__":{"a":1}}'), /__proto__ is no element/],
    [practitioner({ name: [{ text: 'x'.repeat(1 << 20) }] }), /larger than 1 MiB/],
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

  describe('import: what JSON lets pass', () => {
    it('a Bundle with two lists of entries is refused', async () => {
      const file = bench.file('x.json', bundle([clinic]).replace('{', '{"entry":[],'));
      await expect(bench.run([file])).rejects.toThrow(/the member "entry" stands twice/);
    });

    it('ids that differ by case only are two resources', async () => {
      await bench.run([bench.file('x', ndjson(clinic, { ...clinic, id: 'CLINIC', name: 'B' }, group))]);
      expect(await bench.read('Organization', 'CLINIC')).toMatchObject({ name: 'B' });
      expect(await bench.read('Organization', 'clinic')).toMatchObject({ name: clinic.name });
    });

    it('is kept and found by its plain spelling: a name and an identifier with something invisible in them', async () => {
      const telecom = [{ system: 'email', value: 'A\u2060@b.example' }];
      const odd = practitioner({ name: [{ family: 'MAR\u200bTIN' }], identifier: [{ value: '12\u00ad34' }], telecom });
      await load(bench, bench.file('x', ndjson(odd)));
      expect(await bench.read('Practitioner', 'x')).toEqual(odd);
      expect(await exact(bench, 'Practitioner', 'identifier', '1234')).toEqual(['x']);
      expect(await exact(bench, 'Practitioner', 'telecom', 'a@b.example')).toEqual(['x']);
    });
  });
});
