// Oddities that a good edition of a country holds, and that no guard may refuse: addresses unlike the name, people called TEST or DOE, a few
// people twice, a secretariat that many share. Editions of a country are larger than a string, so they are changed line by line.

import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { withCheckDigit } from '#sandbox/numbers.ts';
import { isOfPerson, shareOf, UNLIKE, unlikeAddress } from './damages/mailboxes.ts';
import { A, M } from './damages/rows.ts';

/** One in so many people stands there twice. */
const TWICE = 33_333;
/** People who share the mailbox of a secretariat. */
const SHARING = 20;
/** People of these names exist. */
const NAMES = [
  ['TEST', 'Marie'],
  ['DOE', 'Jean'],
] as const;

/** Writes the files of an edition once more, with the oddities; those of a person are the same on every day. */
export async function writeOddEdition(from: string, into: string): Promise<void> {
  await mkdir(into, { recursive: true });
  for (const name of await readdir(from)) {
    if (!/\.(txt|csv)$/.test(name)) continue;
    const change = /MSSante/.test(name)
      ? oddMailboxes()
      : /activite/.test(name)
        ? oddActivities()
        : (line: string) => [line];
    const lines = createInterface({ input: createReadStream(join(from, name)), crlfDelay: Number.POSITIVE_INFINITY });
    await pipeline(changed(lines, change), createWriteStream(join(into, name)));
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
    const [family, given] = NAMES[number % 100_000] ?? [];
    if (number > 100 && family !== undefined && given !== undefined) row.splice(A.family, 2, family, given);
    if (number === 0 || number % TWICE !== 0) return [row.join('|')];
    const other = withCheckDigit(`18${(row[A.number] ?? '').slice(2, -1)}`);
    return [row.join('|'), row.with(A.number, other).with(A.nationalId, `8${other}`).join('|')];
  };
}
