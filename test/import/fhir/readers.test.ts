// What the readers of FHIR files keep of each resource, with its line or entry, and what they say of the others.

import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { oddities, readBundle, readNdjson } from '#import/fhir/read-resources.ts';
import { clinic, group, jeanne, role } from '#support/import/fhir-resources.ts';

async function read(reader: typeof readNdjson, ...chunks: (string | Buffer)[]) {
  const collector = createCollector();
  const kept: unknown[] = [];
  const counted: number[] = [];
  const report = { name: 'x', kind: 'fhir' as const, lines: 0, leftOut: 0 };
  const source = { input: { name: 'x.json' }, recognised: { kind: 'fhir', headerLines: 0 }, report, file: 3 };
  const stream = (async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk as string);
  })();
  await reader(stream, source as never, {
    collector,
    keepResource: (resource, text, { file }, number) => kept.push([resource.id, JSON.parse(text), file, number]),
    onRead: (count) => counted.push(count),
  });
  return {
    kept,
    report,
    counted: counted.reduce((sum, count) => sum + count, 0),
    leftOut: collector.linesLeftOut().examples.map(({ line, reason }) => `${line}: ${reason}`),
    warnings: collector.warnings().flatMap(({ kind, examples }) => examples.map((example) => `${kind} ${example}`)),
    columns: collector.columns.all().map(({ register, column, filled }) => `${register} ${column.key} ${filled}`),
  };
}
const line = (resource: unknown) => `${JSON.stringify(resource)}\n`;
const { meta: _meta, text: _text, ...bare } = jeanne;

describe('directory import: lines of resources', () => {
  it('each valid one is kept without meta and narrative, but for its date', async () => {
    const found = await read(
      readNdjson,
      `\ufeff${line(jeanne)}\n${line(clinic)}`,
      line({ ...group, meta: { lastUpdated: 7 } }),
    );
    expect(found).toMatchObject({
      kept: [
        ['jeanne', { ...bare, meta: { lastUpdated: '2020-01-01T00:00:00Z' } }, 3, 1],
        ['clinic', clinic, 3, 3],
        ['group', group, 3, 4],
      ],
      report: { lines: 3, leftOut: 0, parts: { Practitioner: 1, Organization: 2 } },
      counted: 3,
      leftOut: [],
      warnings: [],
    });
    expect(found.columns).toEqual(
      expect.arrayContaining(['fhir Practitioner family 1', 'fhir Organization partOf 1', 'fhir Organization name 1']),
    );
  });

  it('each that cannot be used is left out with the reason', async () => {
    const padded = (length: number) => {
      const text = JSON.stringify({ ...clinic, alias: ['x'] });
      return `${text.replace('"x"', JSON.stringify('x'.repeat(length - text.length + 1)))}\n`;
    };
    const found = await read(
      readNdjson,
      ...[Buffer.from([0xe9, 10]), '{"a":\n', line([]), padded(1 << 20), padded((1 << 20) + 1), line(role)],
      '{"resourceType":"Organization","id":"x","name":"A","name":"B"}\n',
      '{"resourceType":"Organization","id":"x","name":"A","extension":[{"url":"u","valueDecimal":0.12345678901234567891}]}\n',
    );
    expect(found.leftOut).toEqual([
      '1: not UTF-8',
      '2: not valid JSON',
      '3: not a JSON object',
      '5: larger than 1 MiB',
      '7: the member "name" stands twice in one object',
      '8: the number 0.12345678901234567891 has more digits than can be kept',
    ]);
    expect([found.report.lines, found.report.leftOut, found.kept.length, found.counted]).toEqual([8, 6, 2, 8]);
  });

  it('a file that ends within a line is refused, and one without a line break at its end is not', async () => {
    await expect(read(readNdjson, line(clinic), '{"resourceType":')).rejects.toThrow(
      'x.json, line 2: the file ends in the middle: it is truncated. Download or export it again.',
    );
    expect((await read(readNdjson, line(clinic).trim())).kept).toHaveLength(1);
    expect((await read(readNdjson, 'x'.repeat((1 << 20) + 1))).leftOut).toEqual(['1: larger than 1 MiB']);
  });
});

describe('directory import: entries of a Bundle', () => {
  const bundle = (entry: unknown[], more: object = { type: 'collection' }) =>
    JSON.stringify({ resourceType: 'Bundle', ...more, entry });
  const base = 'https://other.example/fhir';
  const twice = (name: string) => `1: the member "${name}" stands twice in one object`;
  const tooLong = (number: string) => `1: the number ${number} has more digits than can be kept`;

  it('references to its own server become relative, others stay', async () => {
    const of = (type: string, id: string) => ({ reference: `${base}/${type}/${id}` });
    const own = { ...role, practitioner: of('Practitioner', 'jeanne'), organization: of('Organization', 'clinic') };
    const part = (id: string) => ({ ...clinic, id, partOf: of('Organization', 'group') });
    const found = await read(
      readBundle,
      bundle([
        { fullUrl: `${base}/PractitionerRole/role`, resource: own },
        { fullUrl: `${base}/Organization/a`, resource: part('a') },
        { fullUrl: 'https://third.example/Organization/b', resource: part('b') },
        { fullUrl: `${base}/Organization/other`, resource: part('c') },
        { resource: part('d') },
      ]),
    );
    const references = found.kept.map((one) => {
      const [, resource] = one as [string, Record<string, { reference?: string }>];
      return ['practitioner', 'organization', 'partOf'].flatMap((name) => resource[name]?.reference ?? []);
    });
    const absolute = [`${base}/Organization/group`];
    expect(references).toEqual([
      ['Practitioner/jeanne', 'Organization/clinic'],
      ['Organization/group'],
      ...[absolute, absolute, absolute],
    ]);
    expect(found.kept.map((one) => (one as unknown[])[3])).toEqual([1, 2, 3, 4, 5]);
  });

  it('outcomes are no lines, deletions and empty entries are left out', async () => {
    const found = await read(
      readBundle,
      bundle(
        [
          { resource: { resourceType: 'OperationOutcome' }, search: { mode: 'outcome' } },
          { request: { method: 'DELETE' }, resource: clinic },
          { fullUrl: 'urn:uuid:1' },
          null,
          { resource: clinic, search: { mode: 'match' }, request: { method: 'PUT' } },
          { resource: 7, fullUrl: 'x' },
        ],
        { type: 'batch', link: [{ relation: 'self' }, null, { relation: 'next' }] },
      ),
    );
    expect(found).toMatchObject({
      leftOut: [
        '2: the entry asks for a deletion, which an edition cannot hold',
        ...['3: entry without resource', '4: entry without resource', '6: not a JSON object'],
      ],
      report: { lines: 5, leftOut: 4, parts: { Organization: 1 } },
      warnings: ['further-pages x.json'],
    });
    expect((await read(readBundle, bundle([], { link: [{ relation: 'self' }] }))).warnings).toEqual([]);
  });

  it.each([
    [
      bundle([], { type: 'history' }),
      'x.json: is a Bundle of type history, which also holds earlier versions. Export the current state: a collection, a search, or NDJSON.',
    ],
    [
      '{"entry":[],"resourceType":"List"}',
      'x.json: is not a FHIR Bundle: its resourceType says otherwise. Download or export it again.',
    ],
  ])('%s is refused', async (text, message) => {
    await expect(read(readBundle, text)).rejects.toThrow(message);
  });

  const decimal = (number: string) =>
    `{"resourceType":"Practitioner","id":"x","extension":[{"url":"https://x.example","valueDecimal" : ${number}}]}`;
  it.each<[resource: string, said: string[]]>([
    ['{"resourceType":"Practitioner","id":"x","active":true,"active":false}', [twice('active')]],
    ['{"resourceType":"Practitioner","id":"x","active" :true,"active":false}', [twice('active')]],
    ['{"resourceType":"Practitioner","id":"x","name":[{"family":"\\":","f\\u0061mily":"B"}]}', [twice('family')]],
    ['{"resourceType":"Practitioner","id":"x","name":[{"family":"a\\":b"},{"family":"c: \\"d\\":{"}]}', []],
    [
      '{"resourceType":"Practitioner","id":"x","__proto__":{"active":true}}',
      ['1: Practitioner.__proto__ is no element of STU3'],
    ],
    ['{"resourceType":"Practitioner","id":"x","meta":{"lastUpdated":{"toString":1}}}', []],
    ['{"resourceType":"Practitioner","id":{"toString":1}}', ['1: Practitioner without id']],
    [decimal('48.85'), []],
    [decimal('1.00'), ['rewritten-number']],
    [decimal('1e2'), ['rewritten-number']],
    [decimal('0.12345678901234567891'), [tooLong('0.12345678901234567891')]],
    [decimal('9007199254740993'), [tooLong('9007199254740993')]],
    ['{"resourceType":"Practitioner","id":"x","name":[{"family":"MAR\\u200bTIN"}]}', ['invisible-in-resource']],
    ['{"resourceType":"Practitioner","id":"x","birthDate":"2999-01"}', ['implausible-birth-date']],
    ['{"resourceType":"Practitioner","id":"x","birthDate":"1700"}', ['implausible-birth-date']],
    ['{"resourceType":"Practitioner","id":"x","birthDate":"1960-02-29"}', []],
  ])('what JSON lets pass is said of a line as of an entry: %s', async (resource, said) => {
    for (const { leftOut, warnings } of [
      await read(readNdjson, `${resource}\n`),
      await read(readBundle, bundle(['HERE']).replace('"HERE"', `{"resource":${resource}}`)),
    ])
      expect([...leftOut, ...warnings.map((one) => one.replace(' Practitioner/x', ''))]).toEqual(said);
  });

  it('oddities are reported, each by its kind', () => {
    const odd = (resource: object, text = '', flaws = {}) => oddities(resource as never, text, flaws);
    expect(odd({ resourceType: 'Organization', birthDate: '1700' }, 'a\u200b', { rewritten: '1.0' })).toEqual([
      ...['rewritten-number', 'invisible-in-resource'],
    ]);
    expect(odd({ resourceType: 'Practitioner', birthDate: '1700-01-01' })).toEqual(['implausible-birth-date']);
    expect(odd({ resourceType: 'Practitioner' })).toEqual([]);
    const year = new Date().getUTCFullYear();
    const born = (age: number) => odd({ resourceType: 'Practitioner', birthDate: String(year - age) }).length;
    expect([born(-2), born(0), born(129), born(132)]).toEqual([1, 0, 0, 1]);
  });
});
