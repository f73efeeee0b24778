// Oddities that a good edition of a country holds, and that no guard may refuse: addresses unlike the name, people called TEST or DOE, a few
// people twice, a secretariat that many share. Editions of a country are larger than a string, so they are changed line by line.

import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { withCheckDigit } from '#sandbox/numbers.ts';
import { isOfPerson, shareOf, UNLIKE, unlikeAddress } from './damages/mailboxes.ts';
import { A, D, M } from './damages/rows.ts';

/** One in so many people stands there twice. */
const TWICE = 33_333;
/** People who share the mailbox of a secretariat. */
const SHARING = 20;
/** People of these names exist: one person in so many has each of them, in all registers. */
const NAMED = 50_000;
const NAMES = [
  ['TEST', 'Marie'],
  ['DOE', 'Jean'],
] as const;
/** The register that a file's name tells, and its columns of the national identifier and of the family name, which the given name follows. */
const NAME_COLUMNS = [
  { file: /activite/, id: A.nationalId, family: A.family },
  { file: /Dipl_AutExerc|SavoirFaire/, id: D.nationalId, family: 3 },
  { file: /MSSante/, id: M.nationalId, family: M.family },
] as const;

/** Writes the files of an edition once more, with the oddities; those of a person are the same on every day. */
export async function writeOddEdition(from: string, into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  for (const name of await readdir(from)) {
    if (!/\.(txt|csv)$/.test(name)) continue;
    const rename = renaming(name);
    const change = /MSSante/.test(name) ? oddMailboxes() : /activite/.test(name) ? oddActivities() : undefined;
    const lines = createInterface({ input: createReadStream(join(from, name)), crlfDelay: Number.POSITIVE_INFINITY });
    await pipeline(
      changed(lines, (line, number) => change?.(rename(line), number) ?? [rename(line)]),
      createWriteStream(join(into, name)),
    );
  }
}

async function* changed(lines: AsyncIterable<string>, change: (line: string, number: number) => string[]) {
  let [number, text] = [0, ''];
  for await (const line of lines) {
    for (const one of change(line, number)) text += `${one}\n`;
    number++;
    if (text.length < 1 << 20) continue;
    yield text;
    text = '';
  }
  yield text;
}

function renaming(name: string): (line: string) => string {
  const at = NAME_COLUMNS.find(({ file }) => file.test(name));
  return (line) => {
    // The last digit is a check digit. A header has no number.
    const number = at && Number(line.split('|', at.id + 1)[at.id]?.slice(1, -1));
    const called = NAMES[number ? number % NAMED : -1];
    return at && called
      ? line
          .split('|')
          .toSpliced(at.family, 2, ...called)
          .join('|')
      : line;
  };
}

function oddMailboxes() {
  let sharing = 0;
  return (line: string, number: number): string[] => {
    const row = line.split('|');
    if (number === 0 || !isOfPerson(row)) return [line];
    if (shareOf(row) < UNLIKE) row[M.address] = unlikeAddress(row);
    else if (number > 1000 && sharing++ < SHARING) row[M.address] = 'secretariat.cardiologie@hopital.mssante.example';
    return [row.join('|')];
  };
}

function oddActivities() {
  return (line: string, number: number): string[] => {
    const row = line.split('|');
    if (number === 0 || number % TWICE !== 0) return [row.join('|')];
    const other = withCheckDigit(`18${(row[A.number] ?? '').slice(2, -1)}`);
    return [row.join('|'), row.with(A.number, other).with(A.nationalId, `8${other}`).join('|')];
  };
}
