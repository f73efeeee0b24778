// operations.md, "sandbox": the files of a fictional edition are the same for the same options, in every run and release, and each number in them
// has its check digit. Sandboxes that make their data anew must find the same people.

import { createHash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { finessOf, formerIdOf, sirenOf, siretOf, technicalIdOf, withCheckDigit } from '#sandbox/numbers.ts';
import { SHIPPED_EDITION } from '#sandbox/shipped-edition.ts';
import { bytesOfEdition, writeEdition } from '#sandbox/write-edition.ts';
import { newFolder } from '#support/new-folder.ts';
import { rows } from '#support/rows.ts';

interface File {
  name: string;
  text: string;
}

async function made(options: { practitioners: number; seed: number; day: number }, packs = false) {
  const folder = newFolder();
  const counts: number[] = [];
  const { date, files } = await writeEdition(folder, { ...options, packs }, (count) => counts.push(count));
  const read = files.map(({ name, bytes, lines }): File => {
    const content = readFileSync(join(folder, name));
    const text = (packs ? gunzipSync(content) : content).toString();
    expect([name, bytes, lines]).toEqual([name, content.length, text.split('\n').length - 1]);
    return { name, text };
  });
  rmSync(folder, { recursive: true });
  return { date, counts, files: read };
}

const digestOf = ({ name, text }: File) =>
  `${name} ${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;

describe('operations.md: the files of a fictional edition', () => {
  it.each([
    ['of one copy of the structures', { practitioners: 1100, seed: 1, day: 0 }],
    ['of several copies, with another seed', { practitioners: 5000, seed: 77, day: 0 }],
    ['of a later day, on which people left, moved and joined', { practitioners: 1100, seed: 1, day: 400 }],
  ])('%s are the same every time', async (_, options) => {
    const { date, counts, files } = await made(options);
    const thousands = Array.from({ length: Math.floor(options.practitioners / 1000) }, (_x, at) => (at + 1) * 1000);
    expect(counts).toEqual(thousands);
    expect([date, ...files.map(digestOf)]).toMatchSnapshot();
  });

  it('are the same packed', async () => {
    const options = { practitioners: 100, seed: 3, day: 2 };
    const [plain, packed] = [await made(options), await made(options, true)];
    expect(packed.files.map(({ name, text }) => [name.replace(/\.gz$/, ''), text])).toEqual(
      plain.files.map(({ name, text }) => [name, text]),
    );
    expect(packed.files.every(({ name }) => name.endsWith('.gz'))).toBe(true);
  });

  it('begin with those of the shipped edition, on the day that it has', () => {
    const { date, names, people, structures } = SHIPPED_EDITION;
    const counts = Object.fromEntries(Object.entries(structures).map(([key, lines]) => [key, lines.length]));
    expect(rows({ date, names, people: people.length, ...counts })).toMatchSnapshot();
  });

  it('take about as much room as is asked for before', async () => {
    expect([bytesOfEdition(100, false), bytesOfEdition(10_000, false), bytesOfEdition(10_000, true)]).toEqual([
      1_600_000, 8_000_000, 1_500_000,
    ]);
  });
});

describe('numbers of fictional people and structures', () => {
  it('have the check digit after Luhn', () => {
    expect(['7992739871', '2A0000001', '190000000'].map(withCheckDigit)).toEqual([
      '79927398713',
      expect.stringMatching(/^2A0000001\d$/),
      expect.stringMatching(/^190000000\d$/),
    ]);
  });

  it('are those of the edition in copy 0, and others of their kind in each further one', () => {
    const [finess] = SHIPPED_EDITION.structures.legalEntities[0]?.split(';').slice(1, 2) ?? [];
    const siren = SHIPPED_EDITION.structures.legalEntities[0]?.split(';')[20] ?? '';
    const siret = SHIPPED_EDITION.structures.establishments[0]?.split(';')[22] ?? '';
    const inCopy = (copy: number) => [
      finessOf(finess ?? '', copy),
      sirenOf(siren, copy),
      siretOf(siret, copy),
      ...[`F${finess}`, `C${siret}`, 'R10000000000001', 'R20000000000001'].map((id) => technicalIdOf(id, copy)),
      ...[`1${finess}`, `3${siret}`, '400000000000001', '419000000000001'].map((id) => formerIdOf(id, copy)),
    ];
    expect(rows([0, 1, 2, 999].map(inCopy))).toMatchSnapshot();
    for (const copy of [1, 7]) expect([finessOf('', copy), sirenOf('', copy), siretOf('', copy)]).toEqual(['', '', '']);
  });
});
