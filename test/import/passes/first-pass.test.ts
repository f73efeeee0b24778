// The first pass: where each line of a file goes and what is said of those that cannot be used.

import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { bucketOfPerson } from '#import/passes/buckets.ts';
import { readSource } from '#import/passes/read-sources.ts';
import { recognise } from '#import/registers/recognise.ts';
import { finessJson, legalEntity } from '#support/import/finess-json-files.ts';
import {
  activity,
  finessEstablishment,
  finessFile,
  finessLegalEntity,
  HEADERS,
  registerText,
} from '#support/import/register-files.ts';

/** A source of a file in memory, which comes in chunks. */
function sourceOf(name: string, ...chunks: (string | Buffer)[]) {
  const content = chunks.map((chunk) => Buffer.from(chunk as string));
  const open = async (onRead: (bytes: number) => void) =>
    (async function* () {
      for (const chunk of content) {
        onRead(chunk.length);
        yield chunk;
      }
    })();
  const recognised = recognise(name, Buffer.concat(content));
  const report = { name, kind: recognised?.kind ?? 'skills', lines: 0, leftOut: 0 };
  return { input: { name, size: 10, plainSize: 10, open }, recognised, report, file: 3, checksum: '' };
}
async function read(source: ReturnType<typeof sourceOf>) {
  const collector = createCollector();
  const calls: unknown[] = [];
  const metered: unknown[] = [];
  const progress = { bytes: 0, lines: 0 };
  const note =
    (name: string) =>
    (...given: unknown[]) =>
      void calls.push([name, ...given]);
  const targets = {
    people: {
      buckets: 7,
      add: (bucket: number, kind: number, file: number, line: number, bytes: Buffer, start: number, end: number) =>
        calls.push(['person', bucket, kind, file, line, bytes.toString('utf8', start, end)]),
      addText: note('person text'),
    },
    structures: { add: note('structure'), addReference: note('reference') },
    mailboxes: {
      read: (text: string, _binding: unknown, _source: unknown, line: number) => {
        calls.push(['mailbox', line]);
        return text.includes('bad') ? 'bad' : undefined;
      },
    },
    mail: { add: note('mail') },
    areas: { add: note('area') },
    counted: new Set<string>(),
    collector,
    meter: { count: async (_input: unknown, chunk: number, own: number) => void metered.push([chunk, own]) },
    onProgress: (bytes: number, lines: number) => {
      progress.bytes += bytes;
      progress.lines += lines;
    },
  };
  await readSource(source as never, targets as never);
  const leftOut = collector.linesLeftOut().examples.map(({ line, reason }) => `${line}: ${reason}`);
  const warnings = collector
    .warnings()
    .flatMap(({ kind, examples }) => examples.map((example) => `${kind} ${example}`));
  return { calls, metered, progress, leftOut, warnings, report: source.report, checksum: source.checksum };
}
const bucket = (id: string) => bucketOfPerson(Buffer.from(id), 0, id.length, 7);

describe('import: the first pass', () => {
  it('lines of people go to the bucket of their national identifier', async () => {
    const line = (id: string) => `8|1|${id}|A|B${'|'.repeat(8)}`;
    const lines = [
      ...[
        line('819000000018'),
        line(' 3/12 '),
        line('12-4.Z/z9'),
        line('123'),
        line('A234'),
        line('1,234'),
        line('12`4'),
      ],
      ...[
        line('12[4'),
        '',
        line('12@4'),
        line('1/34'),
        line('8190\u200b00'),
        `${line('8190')}${'x'.repeat(65_536)}`,
        '8|1',
      ],
    ];
    const source = sourceOf(
      'sf.txt',
      Buffer.from(`${HEADERS.skills}\r\n${lines.join('\n')}\n`),
      Buffer.from([56, 124, 233, 10]),
    );
    const found = await read(source);
    expect(found.calls).toEqual([
      ...[
        ['819000000018', 2],
        ['3/12', 3],
        ['12-4.Z/z9', 4],
        ['1/34', 12],
      ].map(([id, at]) => ['person', bucket(String(id)), 3, 3, at, lines[Number(at) - 2]]),
      ['person', bucket('819000'), 3, 3, 13, line('819000')],
    ]);
    const missing = 'national identifier missing or malformed';
    expect(found.leftOut).toEqual([
      ...[5, 6, 7, 8, 9, 11].map((at) => `${at}: ${missing}`),
      ...['14: longer than 64 KiB', `15: ${missing}`, '16: not UTF-8'],
    ]);
    expect(found.warnings).toEqual(['invisible-character sf.txt, line 13']);
    expect(found.report).toMatchObject({ lines: 14, leftOut: 9 });
    expect(found.progress.lines).toBe(14);
  });

  it('lines of the mail register are of a person, or of a structure', async () => {
    const line = (type: string, national: string, structure: string) =>
      `${type}|a@x.example|8|1|${national}|FINESS|${structure}${'|'.repeat(24)}`;
    const lines = [
      ...[line('PER', '8190', '1'), line('per', '8191', '1'), line('ORG', '8192', ''), line('ORG', '8193', '1')],
      ...[line(' PER\u200b', '8194', '1'), line('ORG', 'bad', '1'), line('ORG', '', '')],
    ];
    const { calls, leftOut } = await read(sourceOf('mss.txt', `${HEADERS.mailboxes}\n${lines.join('\n')}\n`));
    expect(calls.map((one) => (one as unknown[]).slice(0, 5))).toEqual([
      ['person', bucket('8190'), 4, 3, 2],
      ['person', bucket('8191'), 4, 3, 3],
      ['person', bucket('8192'), 4, 3, 4],
      ['mailbox', 5],
      ['person', bucket('8194'), 4, 3, 6],
      ['mailbox', 7],
    ]);
    expect(leftOut).toEqual(['7: bad', '8: national identifier missing or malformed']);
  });

  it('structures of FINESS count once, with their owner of mailboxes, references and positions', async () => {
    const text = finessFile(
      finessLegalEntity({ 20: '990202640' }),
      finessEstablishment({ 4: 'CENTRE', 22: '99020264000019' }),
      finessEstablishment({ 4: 'CENTRE', 22: '99020264000019' }),
      'geolocalisation;690000013;843000.0;6520000.0;L93;2026-10-08',
      'geolocalisation;690000013;0;0;L93;2026-10-08',
      'geolocalisation;690000013;;;;2026-10-08',
    );
    const { calls, report, warnings, progress, checksum, metered } = await read(
      sourceOf('f.csv', text.slice(0, 40), text.slice(40)),
    );
    const short = calls.map((one) => {
      const [name, ...given] = one as [string, ...unknown[]];
      return name === 'structure' ? [name, given[0], given[1], given[3] ?? given[2]] : [name, ...given];
    });
    const site = [
      ['reference', '690000021'],
      ['mail', 'F690000013', { siret: '99020264000019', name: 'CENTRE' }],
    ];
    expect(short).toEqual([
      ...[
        ['reference', ''],
        ['mail', 'F690000021', { siret: '', name: 'GROUPE' }],
      ],
      ['structure', 'F690000021', 2, { file: 3, line: 2 }],
      ...site,
      ['structure', 'F690000013', 2, { file: 3, line: 3 }],
      ...site,
      ['structure', 'F690000013', 2, { file: 3, line: 4 }],
      ['area', '690000013', { latitude: expect.closeTo(45.764611, 6), longitude: expect.closeTo(4.84001, 6) }],
      ['structure', 'F690000013', 8, ['finessText', '45.764611', '4.840010']],
    ]);
    expect(report).toMatchObject({ lines: 6, leftOut: 0, parts: { structureej: 1, structureet: 1 } });
    expect(warnings).toEqual(['impossible-position 690000013, f.csv, line 6']);
    expect(progress).toEqual({ bytes: text.length, lines: 6 });
    expect(checksum).toBe(createHash('blake2b512').update(text).digest('hex').slice(0, 64));
    expect(metered).toEqual([
      [40, 40],
      [text.length - 40, text.length],
    ]);
  });

  it('four structures of a legal entity count in the windows of lines', async () => {
    const sites = Array.from({ length: 5 }, (_, at) => ({
      etatObjet: 'A',
      informationsGeneralesEGE: { numFinessEge: `69000001${at}`, nomEgeLong: 'X' },
    }));
    const { calls, report } = await read(
      sourceOf('f.json', finessJson([legalEntity({ ege: sites }), legalEntity({ ege: [] })])),
    );
    const lines = calls.flatMap((one) => {
      const [name, , kind, , at] = one as [string, string, number, unknown, { line: number }];
      return name === 'structure' && kind === 3 ? [at.line] : [];
    });
    expect(lines).toEqual([1, 1, 1, 1, 0, 0, 2]);
    expect(report).toMatchObject({ lines: 7, parts: { structureet: 5, structureej: 1 } });
  });

  it('FHIR resources go to the bucket of their person, or of their structure', async () => {
    const [person, clinic] = [
      { resourceType: 'Practitioner', id: '8190' },
      { resourceType: 'Organization', id: 'F1', name: 'A' },
    ];
    const texts = [person, clinic].map((resource) => JSON.stringify(resource));
    const { calls, progress } = await read(sourceOf('x.ndjson', `${texts.join('\n')}\n`));
    expect(calls).toEqual([
      ['person text', bucket('8190'), 5, 3, 1, texts[0]],
      ['structure', 'F1', 6, ['3', '2', texts[1]]],
    ]);
    expect(progress.lines).toBe(2);
  });

  it('files that were cut off are refused, and those with holes', async () => {
    const people = registerText('activities', [activity(), activity()]);
    await expect(read(sourceOf('pa.txt', people.slice(0, -9)))).rejects.toThrow('pa.txt, line 3: the file ends in the');
    await expect(read(sourceOf('pa.txt', people, Buffer.alloc(256)))).rejects.toThrow(
      'pa.txt, line 4: the file has a hole',
    );
    const sites = finessFile(finessEstablishment());
    await expect(read(sourceOf('etalab-cs1100507.csv', sites))).rejects.toThrow('coordinates for 0 of its 1');
  });

  it('a line without end is refused', async () => {
    const source = sourceOf(
      'pa.txt',
      `${registerText('activities', [activity()])}`,
      ...Array.from({ length: 5 }, () => 'x'.repeat(1 << 20)),
    );
    await expect(read(source)).rejects.toThrow(
      'pa.txt, line 3: this line goes on for more than 4.2 MB: no register has such lines. Take the file as published.',
    );
  });
});
