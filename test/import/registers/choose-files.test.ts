// Directory data, renewal: files that are given by hand or found in a folder belong to one edition, by one rule for all
// registers.

import { describe, expect, it } from '@jest/globals';
import { oneEdition } from '#import/registers/choose-files.ts';
import { recognise } from '#import/registers/recognise.ts';
import { HEADERS } from '#support/import/register-files.ts';

interface File {
  path: string;
  text: string;
  /** What stands behind the bytes by which it is recognised. */
  rest?: string;
}

/** `given` of each file is the folder or archive it was found in, or its own path where it was named. */
async function choose(files: readonly File[], { named = false } = {}) {
  const warnings: string[] = [];
  const candidates = files.map(({ path, text, rest = '' }) => {
    const head = Buffer.from(text);
    const recognised = recognise(path, head);
    if (!recognised) throw new Error(`${path} is no register`);
    const names = path.split('/').reverse();
    const open = async () =>
      (async function* () {
        yield head;
        yield Buffer.from(rest);
      })();
    const opening = { size: 1, plainSize: 1, publishedIn: [], check: async () => {}, open };
    return { input: { name: path, named, given: named ? path : 'in', names, ...opening }, recognised, head };
  });
  const taken = await oneEdition(candidates, (kind, example) => warnings.push(`${kind}: ${example}`));
  return { taken: taken.map(({ input, date }) => `${input.name} ${date}`), warnings };
}

const skills = (path: string, more = ''): File => ({ path, text: `${HEADERS.skills}\n${more}` });
const finess = (path: string, kind: string, date: string | undefined, more = ''): File => ({
  path,
  text: `${date === undefined ? '' : `finess;etalab;101;${date}\n`}${kind};690000013${more}\n`,
});
const json = (path: string, generatedAt: string): File => ({ path, text: JSON.stringify({ generatedAt, pmej: [] }) });
const fhir = (path: string, id = '1'): File => ({ path, text: `{"resourceType":"Practitioner","id":"${id}"}\n` });

const OTHER = /second.* is of another edition than .*first/s;

describe('renewal: two editions of one register', () => {
  const PAIRS: readonly (readonly [string, File, File])[] = [
    ['a register of people', skills('first_202610080830.txt'), skills('second_202610090830.txt', '1')],
    ['FINESS text', finess('first', 'structureet', '2026-10-08'), finess('second', 'structureet', '2026-10-09')],
    [
      'FINESS text, 502 and 507',
      finess('first_502', 'structureet', '2026-10-08'),
      finess('second_507', 'structureet', '2026-10-09'),
    ],
    [
      'FINESS text by name',
      finess('first_20261008', 'structureej', undefined),
      finess('second_20261009', 'structureej', undefined, ';x'),
    ],
    ['FINESS JSON', json('first', '2026-10-08T02:06:22.1Z'), json('second', '2026-10-09T02:06:22.1Z')],
    ['FHIR', fhir('first/p_20261008.ndjson'), fhir('second/p_20261009.ndjson')],
  ];

  it.each(PAIRS)('%s: named by the operator they are refused, both by name', async (_, first, second) => {
    await expect(choose([second, first], { named: true })).rejects.toThrow(OTHER);
  });

  it.each(PAIRS)('%s: of a folder the newest is taken, and the other is warned of', async (_, first, second) => {
    const { taken, warnings } = await choose([first, second]);
    expect(taken).toEqual([expect.stringContaining('second')]);
    expect(warnings).toEqual([expect.stringMatching(/^passed-over-edition: .*first.*2026-10-08/)]);
  });

  it('registers of their own dates, and parts of one edition, are all read', async () => {
    const files = [
      finess('501.csv', 'structureej', '2026-05-11'),
      finess('502.csv', 'structureet', '2026-05-12'),
      finess('507.csv', 'structureet', '2026-05-12', ';geo'),
      json('s.json', '2026-10-08T02:06:22.1Z'),
      skills('a_20261008.txt', '1'),
      skills('b_202610080830.txt', '2'),
      fhir('Practitioner-1.ndjson', '1'),
      fhir('Practitioner-2.ndjson', '2'),
      fhir('corrections_20261008.ndjson', '3'),
      fhir('others_20261009.ndjson', '4'),
    ];
    for (const named of [true, false]) {
      const { taken, warnings } = await choose(files, { named });
      expect([taken.length, warnings]).toEqual([files.length, []]);
    }
  });
});

describe('renewal: files without a date', () => {
  const UNCLEAR = /first.* is of the same register as .*second.*which is newer is unclear/;

  it.each([
    ['neither of two', skills('first'), skills('second', '1')],
    ['one of two', skills('first'), skills('second_20261008', '1')],
    ['neither, FINESS', finess('first', 'structureet', undefined), finess('second', 'structureet', undefined, ';x')],
    ['one of two, FHIR', fhir('first/p.ndjson'), fhir('second/p_20261008.ndjson', '2')],
  ])('%s says its date: refused by name', async (_, first, second) => {
    for (const named of [true, false]) await expect(choose([first, second], { named })).rejects.toThrow(UNCLEAR);
  });

  it('the same content twice is one file, of the date that one of them says', async () => {
    const files = [skills('copy', '1'), skills('first_20261008', '1')];
    for (const named of [true, false]) {
      expect(await choose(files, { named })).toEqual({
        taken: ['first_20261008 2026-10-08'],
        warnings: ['repeated-file: copy, as first_20261008'],
      });
    }
    const beginAlike = [
      { ...skills('first'), rest: '1' },
      { ...skills('second'), rest: '2' },
    ];
    await expect(choose(beginAlike)).rejects.toThrow(UNCLEAR);
    expect((await choose([skills('a_20261007'), skills('b_20261008')], { named: true })).taken).toEqual([
      'b_20261008 2026-10-08',
    ]);
  });
});

describe('renewal: dates that cannot be', () => {
  it.each([
    ['no day', skills('x_20261345.txt'), /x_20261345\.txt: cannot be an edition: its date, 2026-13-45, is no day/],
    ['the future', skills('x_209901010000.txt'), /its date, 2099-01-01T00:00, is in the future/],
    ['the future in FINESS text', finess('x', 'structureej', '2099-01-01'), /its date, 2099-01-01, is in the future/],
    ['the future in FINESS JSON', json('x', '2099-01-01T02:06:22Z'), /its date, 2099-01-01/],
    ['no day in FHIR', fhir('x_20260230.ndjson'), /its date, 2026-02-30/],
  ])('%s: refused by name where it was named, and where it is the only one', async (_, wrong, refusal) => {
    for (const named of [true, false]) await expect(choose([wrong], { named })).rejects.toThrow(refusal);
  });

  it('neither blocks nor is loaded where the folder holds another file of the register', async () => {
    const { taken, warnings } = await choose([
      skills('wrong_209901010000.txt'),
      skills('right_202610080830.txt'),
      finess('wrong', 'structureet', '2099-01-01'),
      finess('right', 'structureet', '2026-10-08'),
    ]);
    expect(taken).toEqual(['right_202610080830.txt 2026-10-08T08:30', 'right 2026-10-08']);
    expect(warnings).toEqual([
      expect.stringMatching(/^implausible-date: wrong_209901010000\.txt: its date, 2099-01-01T00:00, is in the future/),
      expect.stringMatching(/^implausible-date: wrong: its date, 2099-01-01/),
    ]);
  });

  it('a name that says another day than the content is warned of', async () => {
    const { warnings } = await choose([finess('x_20261011', 'structureet', '2026-10-08')]);
    expect(warnings).toEqual(['other-date: x_20261011: 2026-10-08 in the content, 2026-10-11 in the name']);
  });
});
