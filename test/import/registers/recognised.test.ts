// What is known of a file by its first bytes, and what is said of one that is no register, word for word.

import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { recognise } from '#import/registers/recognise.ts';
import { recogniseInputs } from '#import/registers/recognise-inputs.ts';
import { finessEstablishment, finessLegalEntity, HEADERS } from '#support/import/register-files.ts';

const recognised = (text: string | Buffer) => recognise('a.dat', Buffer.from(text as string));
const refusal = (text: string | Buffer): string => {
  try {
    return JSON.stringify(recognised(text));
  } catch (error) {
    return (error as Error).message;
  }
};
const skills = HEADERS.skills.split('|');

describe('directory data 2: what is known of a register', () => {
  it.each([
    [
      `${HEADERS.skills}|\r\nx`,
      {
        kind: 'skills',
        headerLines: 1,
        binding: { positions: skills.map((_, at) => at), cells: 13, trailing: true, inOrder: true, drifted: [] },
      },
    ],
    ['finess;etalab;101;2026-10-08\n', { kind: 'finess', headerLines: 1, edition: '2026-10-08' }],
    ['\ufefffiness;etalab;101;2026-10-08T03:00', { kind: 'finess', headerLines: 1, edition: '2026-10-08' }],
    ['"finess";"etalab";"101";"08/10/2026"', { kind: 'finess', headerLines: 1 }],
    [finessLegalEntity({ 3: '2026-10-08' }), { kind: 'finess', headerLines: 0 }],
    [finessEstablishment(), { kind: 'finess', headerLines: 0 }],
    ['geolocalisation;690000013;1;2;x;2026-10-08', { kind: 'finess', headerLines: 0 }],
    ['{"resourceType":"Organization","id":"a"}\n', { kind: 'fhir', headerLines: 0, form: 'ndjson' }],
    ['{"broken\n{"resourceType":"Practitioner"}\n', { kind: 'fhir', headerLines: 0, form: 'ndjson' }],
    [' \n{"resourceType":"Practitioner","id":', { kind: 'fhir', headerLines: 0, form: 'ndjson' }],
    ['{"resourceType":"Bundle","entry":[', { kind: 'fhir', headerLines: 0, form: 'bundle' }],
    ['{"entry":[{', { kind: 'fhir', headerLines: 0, form: 'bundle' }],
    [
      '{"schemaVersion":"v1.0.0","generatedAt":"2026-11-20T02:00:00Z","gcc":[',
      { kind: 'finess', form: 'finess-json', headerLines: 0, edition: '2026-11-20T02:00:00Z', schema: 'v1.0.0' },
    ],
    [
      '{"metadata":{"schema_version":"v2","GeneratedAt":"2026-11-20"},"GCO":[',
      { kind: 'finess', form: 'finess-json', headerLines: 0, edition: '2026-11-20', schema: 'v2' },
    ],
    ['{"generatedAt":7,"pmej":[', { kind: 'finess', form: 'finess-json', headerLines: 0 }],
  ])('%s', (text, expected) => expect(recognised(text)).toEqual(expected));

  it.each([
    '',
    'a|b|c',
    `${skills.slice(0, 6).join('|')}`,
    `\u0001${HEADERS.skills}`,
    '{"entry":1,"resourceType":"List"}\n',
    '{"resourceType":"Practitioner",\n"id":"a"}',
    '{"resourceType":"List","id":"a"}\n',
    '{"pmej":[{"activitesAutorisees":[]}]}',
    '{"other":[]}',
    '{a:1}',
    '["resourceType"]',
    'null',
  ])('nothing of %j', (text) => expect(recognised(text)).toBeUndefined());

  it('headers of half of the columns are those of a register, which lacks the others', () => {
    expect(refusal(skills.slice(0, 7).join('|'))).toBe(
      'a.dat, line 1, column "Code type savoir-faire": the header of PS_LibreAcces_SavoirFaire lacks this column and "Libellé type savoir-faire", "Code savoir-faire", "Libellé savoir-faire". Take the file as published; if its layout has changed, Hygie needs an update.',
    );
    expect(refusal(skills.slice(0, 12).join('|'))).toBe(
      'a.dat, line 1, column "Libellé savoir-faire": the header of PS_LibreAcces_SavoirFaire lacks this column. Take the file as published; if its layout has changed, Hygie needs an update.',
    );
    const half = HEADERS.activities.split('|').slice(0, 28).join('|');
    expect(refusal(half)).toContain('the header of PS_LibreAcces_Personne_activite lacks this column and ');
    // As many headers again that nobody knows.
    const unknown = Array.from({ length: 14 }, (_, at) => `x${at}`);
    expect(recognised([...skills, ...unknown].join('|'))).toBeUndefined();
    expect(recognised([...skills, ...unknown.slice(1)].join('|'))?.kind).toBe('skills');
  });

  it('a header in quotes, or in another encoding', () => {
    const quoted = skills.map((header) => ` "${header}" `).join('|');
    expect(refusal(quoted)).toBe(
      `a.dat, line 1, column "Type d'identifiant PP": cells are in quotes: PS_LibreAcces_SavoirFaire is published without, and there a quote is content. Take the file as published; another program has written this one anew.`,
    );
    expect(refusal(Buffer.from(HEADERS.skills, 'latin1'))).toBe(
      'a.dat, line 1: the header is not UTF-8. Take the file as published, or convert it: iconv -f WINDOWS-1252 -t UTF-8.',
    );
    expect(recognised(Buffer.from('Prénom|Nom|Ville|Téléphone', 'latin1'))).toBeUndefined();
  });
});

describe('directory data 2: the inputs of an edition', () => {
  const input = (name: string, content: string | Buffer, more: object = {}) => ({
    name,
    named: false,
    given: 'in',
    names: [name],
    size: 1,
    plainSize: 1,
    publishedIn: [] as string[],
    check: async () => {},
    open: async () =>
      (async function* () {
        yield Buffer.from(content as string);
      })(),
    ...more,
  });
  const run = async (inputs: ReturnType<typeof input>[], incoming: string[] = []) => {
    const collector = createCollector();
    const sources = await recogniseInputs(inputs, collector, incoming);
    return { sources, warnings: collector.warnings().flatMap(({ kind, examples }) => [kind, ...examples]) };
  };

  it('are ordered, with the report of each begun', async () => {
    const drifted = HEADERS.skills.replace('Libellé type savoir-faire', 'Libellé type savoir-faire (PP)');
    const { sources, warnings } = await run([
      input('p.ndjson', '{"resourceType":"Practitioner","id":"a"}\n'),
      input('b.json', '{"resourceType":"Bundle","entry":['),
      input('di', HEADERS.diplomas),
      input('sf_20261008', drifted, { publishedIn: ['SHA256SUMS'] }),
      input('pa', HEADERS.activities),
      input('f', '{"generatedAt":"2026-10-08T02:00:00Z","pmej":['),
      input('mss', HEADERS.mailboxes),
      input('readme', 'x'),
    ]);
    const report = (name: string, kind: string, more: object = {}) => ({ name, kind, lines: 0, leftOut: 0, ...more });
    expect(sources.map((source) => source.report)).toEqual([
      report('mss', 'mailboxes'),
      report('f', 'finess', { edition: '2026-10-08T02:00', unit: 'legal entity' }),
      report('pa', 'activities'),
      report('sf_20261008', 'skills', { edition: '2026-10-08', comparedWith: ['SHA256SUMS'] }),
      report('di', 'diplomas'),
      report('p.ndjson', 'fhir'),
      report('b.json', 'fhir', { unit: 'entry' }),
    ]);
    expect(sources.map(({ file, checksum }) => [file, checksum])).toEqual(
      [6, 5, 4, 3, 2, 0, 1].map((file) => [file, '']),
    );
    expect(warnings).toEqual([
      ...['drifted-header', 'sf_20261008: "Libellé type savoir-faire (PP)" is taken for "Libellé type savoir-faire"'],
      ...['not-a-register', 'readme'],
    ]);
  });

  it('are known by their first 64 KiB, however long they are', async () => {
    let read = 0;
    const open = async () =>
      (async function* () {
        for (let part = `${HEADERS.activities}\n`.padEnd(1 << 15, 'x'); read < 10; read += 1) yield Buffer.from(part);
      })();
    await run([input('pa', '', { open })]).catch(() => {});
    expect(read).toBe(1);
  });

  it('are compared with what is stated of them', async () => {
    const check = () => Promise.reject(new Error('another size'));
    await expect(run([input('pa', HEADERS.activities, { check })])).rejects.toThrow('another size');
  });

  const tar = Buffer.alloc(300);
  tar.write('ustar', 257);
  const packed = (name: string) =>
    `x: is packed by ${name}, which Hygie does not open here. Unpack it, and give its files: plain, or each of them packed once, by gzip or zip.`;
  const UTF16 = 'x: is UTF-16, not UTF-8. Take the file as published, or convert it: iconv -f UTF-16 -t UTF-8.';
  const KNOWN =
    'Known are PS_LibreAcces_Personne_activite, PS_LibreAcces_Dipl_AutExerc, PS_LibreAcces_SavoirFaire, Extraction_Correspondance_MSSante, FINESS etalab-cs1100501, 502, 507 and finess-structures (JSON), FHIR STU3 resources as Bundle or NDJSON, plain, gzip or zip. Take the file as published.';
  it.each<[string, Buffer, string]>([
    ['zip', Buffer.from('PK\x03\x04....'), packed('zip')],
    ['gzip', Buffer.from('\x1f\x8b....', 'latin1'), packed('gzip')],
    ['7-Zip', Buffer.from("7z\xbc\xaf'\x1c..", 'latin1'), packed('7-Zip')],
    ['RAR', Buffer.from('Rar!\x1a\x07..', 'latin1'), packed('RAR')],
    ['xz', Buffer.from('\xfd7zXZ\x00..', 'latin1'), packed('xz')],
    ['Zstandard', Buffer.from('\x28\xb5\x2f\xfd..', 'latin1'), packed('Zstandard')],
    ['bzip2', Buffer.from('BZh9....'), packed('bzip2')],
    ['tar', tar, packed('tar')],
    ['UTF-16 with its mark', Buffer.from('\ufeff\u4e00\u4e01', 'utf16le'), UTF16],
    ['UTF-16 with its mark, turned', Buffer.from('\ufeff\u4e00\u4e01', 'utf16le').swap16(), UTF16],
    ['UTF-16 without', Buffer.from('ab', 'utf16le'), UTF16],
    ['UTF-16 without, turned', Buffer.from('ab', 'utf16le').swap16(), UTF16],
    [
      'JSON',
      Buffer.from('{"a":1}'),
      'x: is JSON, but neither FHIR nor FINESS: it has no "resourceType", "entry" or "pmej" at its root. Take the file as published; if its layout has changed, Hygie needs an update.',
    ],
    ['nothing', Buffer.alloc(0), `x: is empty. ${KNOWN}`],
    [
      'three bytes',
      Buffer.from([0xff, 0xfe, 0]),
      `x: is not a register that Hygie knows: its first line is not the header of any. ${KNOWN}`,
    ],
    [
      'some zeros',
      Buffer.from([1, 0, 1, 0, 0, 0, 1, 1]),
      `x: is not a register that Hygie knows: its first line is not the header of any. ${KNOWN}`,
    ],
  ])('%s is no register', async (_what, content, message) => {
    // Alone, named by the operator, and under the name of a register.
    await expect(run([input('x', content)])).rejects.toThrow(message);
    const others = [input('a', 'a'), input('pa', HEADERS.activities)];
    await expect(run([...others, input('x', content, { named: true })])).rejects.toThrow(message);
    await expect(run([...others, input('PS_LibreAcces_x', content)])).rejects.toThrow(`PS_LibreAcces_${message}`);
    expect((await run([...others, input('x', content)])).sources).toHaveLength(1);
  });

  it('several that are none are named, five at most; a packed one among them tells', async () => {
    const others = (count: number) => Array.from({ length: count }, (_, at) => input(`f${at}`, 'x'));
    const give = 'Give the files of the public extractions, or folders that hold them.';
    await expect(run(others(5))).rejects.toThrow(
      `None of these is a register that Hygie knows: f0, f1, f2, f3, f4. ${give}`,
    );
    await expect(run(others(7), ['x.part', 'PS_LibreAcces_SavoirFaire.part'])).rejects.toThrow(
      `None of these is a register that Hygie knows: f0, f1, f2, f3, f4, 2 more. PS_LibreAcces_SavoirFaire.part is still being written, by its name. ${give}`,
    );
    await expect(run([])).rejects.toThrow(`There is no file to read. ${give}`);
    await expect(run([...others(2), input('x', 'BZh9')])).rejects.toThrow(packed('bzip2'));
  });
});
