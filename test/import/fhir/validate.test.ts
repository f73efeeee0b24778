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
    /** What is said of a resource in a file of lines, and of one in a Bundle that differs in its id. */
    const inForms = async (one: string) => {
      const others = [clinic, group].map((resource) => ({ ...resource, id: `${resource.id}-2` }));
      const inBundle = bundle(['HERE', ...others]).replace('"HERE"', one.replace('"id":"x"', '"id":"y"'));
      const { linesLeftOut, warnings } = await load(
        bench,
        bench.file('x.ndjson', `${one}\n${ndjson(clinic, group)}`),
        bench.file('x.json', inBundle),
      );
      const said = [
        ...linesLeftOut.examples.map(({ file, reason }): [string, string] => [file, reason]),
        ...warnings.flatMap(({ kind, examples }) => examples.map((example): [string, string] => [example, kind])),
      ];
      const of = (form: RegExp) => said.filter(([place]) => form.test(place)).map(([, what]) => what);
      const forms = { lines: of(/x\.ndjson|\/x$/), bundle: of(/x\.json|\/y$/) };
      expect(said).toHaveLength(forms.lines.length + forms.bundle.length);
      return forms;
    };
    const twice = (what: string) => [`the member "${what}" stands twice in one object`];
    const decimal = (number: string) =>
      `{"resourceType":"Practitioner","id":"x","extension":[{"url":"https://x.example","valueDecimal" : ${number}}]}`;

    it.each([
      ['{"resourceType":"Practitioner","id":"x","active":true,"active":false}', twice('active')],
      ['{"resourceType":"Practitioner","id":"x","active" :true,"active":false}', twice('active')],
      ['{"resourceType":"Practitioner","id":"x","name":[{"family":"\\":","f\\u0061mily":"B"}]}', twice('family')],
      ['{"resourceType":"Practitioner","id":"x","name":[{"family":"a\\":b"},{"family":"c: \\"d\\":{"}]}', []],
      ['{"resourceType":"Practitioner","id":"x","__proto__":{"active":true}}', [/__proto__ is no element of STU3/]],
      ['{"resourceType":"Practitioner","id":"x","meta":{"lastUpdated":{"toString":1}}}', []],
      ['{"resourceType":"Practitioner","id":{"toString":1}}', [/Practitioner without id/]],
      [decimal('48.85'), []],
      [decimal('1.00'), ['rewritten-number']],
      [decimal('1e2'), ['rewritten-number']],
      [decimal('0.12345678901234567891'), [/the number 0\.12345678901234567891 has more digits than can be kept/]],
      [decimal('9007199254740993'), [/the number 9007199254740993 has more digits/]],
      ['{"resourceType":"Practitioner","id":"x","name":[{"family":"MAR\\u200bTIN"}]}', ['invisible-in-resource']],
      ['{"resourceType":"Practitioner","id":"x","birthDate":"2999-01"}', ['implausible-birth-date']],
      ['{"resourceType":"Practitioner","id":"x","birthDate":"1700"}', ['implausible-birth-date']],
      ['{"resourceType":"Practitioner","id":"x","birthDate":"1960-02-29"}', []],
    ])('%s', async (one, expected) => {
      const matching = expected.map((reason) => (typeof reason === 'string' ? reason : expect.stringMatching(reason)));
      expect(await inForms(one)).toEqual({ lines: matching, bundle: matching });
    });

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
