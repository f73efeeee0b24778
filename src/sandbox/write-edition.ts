// Writes the files of a fictional edition, block by block. They have the format in which the public registers publish their files.

import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { finessOf, sirenOf, siretOf } from './numbers.ts';
import { copiesOfStructures, type FictionalEdition, peopleOfDay, structureMailbox } from './people.ts';
import { FILE_KEYS, type FileKey, fileName, headOf, PIPE_REGISTERS, SHIPPED_EDITION } from './shipped-edition.ts';

const packed = promisify(gzip);
const DAY = 86_400_000;
/** A block is written once it has at least this many characters. */
const BLOCK = 2 ** 20;
/** Columns of the FINESS files that contain a number of a structure, each with the function that makes the number in a copy. */
const FINESS_COLUMNS = {
  legalEntities: { 1: finessOf, 20: sirenOf },
  establishments: { 1: finessOf, 2: finessOf, 22: siretOf },
  coordinates: { 1: finessOf },
};

interface WrittenEdition {
  /** Date of the edition, `YYYY-MM-DD`. */
  date: string;
  files: readonly { name: string; bytes: number; lines: number }[];
}

/** Estimates the size of an edition in bytes. */
export function bytesOfEdition(practitioners: number, packs: boolean): number {
  return Math.max(practitioners, 2000) * (packs ? 150 : 800);
}

/**
 * Writes an edition. If this rejects, the files in the folder are incomplete.
 * @param folder an empty folder
 */
export async function writeEdition(
  folder: string,
  options: FictionalEdition & { packs: boolean },
  onPeople: (count: number) => void = () => {},
): Promise<WrittenEdition> {
  const day = dayOf(options.day);
  const date = day.replaceAll('-', '');
  const writers = new Map<FileKey, Writer>();
  const writer = (key: FileKey) => writers.get(key) as Writer;
  try {
    for (const key of FILE_KEYS) {
      const name = fileName(key, date) + (options.packs ? '.gz' : '');
      writers.set(key, createWriter(name, await open(join(folder, name), 'wx'), options.packs));
      writer(key).add(headOf(key, date));
    }
    await writePeople(writer, options, onPeople);
    for (let copy = 0; copy < copiesOfStructures(options); copy++) {
      addStructures(writer, copy);
      for (const target of writers.values()) if (target.isFull()) await target.flush();
    }
    for (let copy = 0; copy < copiesOfStructures(options); copy++)
      for (const line of SHIPPED_EDITION.structures.coordinates) writer('establishments').add(inOtherPlace(line, copy));
    const files: WrittenEdition['files'][number][] = [];
    for (const target of writers.values()) files.push(await target.finish());
    return { date: day, files };
  } finally {
    for (const { handle } of writers.values()) await handle.close();
  }
}

type WriterOf = (key: FileKey) => Writer;

/** Writes the lines of all people, and calls `onPeople` after each thousand of them. */
async function writePeople(
  writer: WriterOf,
  options: FictionalEdition,
  onPeople: (count: number) => void,
): Promise<void> {
  let count = 0;
  for (const person of peopleOfDay(options)) {
    for (const register of PIPE_REGISTERS) {
      const target = writer(register);
      for (const line of person.lines[register]) target.add(line);
      if (target.isFull()) await target.flush();
    }
    if (++count % 1000 === 0) onPeople(count);
  }
}

/** Adds the lines of one copy of all structures, except for their coordinates, which stand at the end of a file. */
function addStructures(writer: WriterOf, copy: number): void {
  const { mailboxes, legalEntities, establishments } = SHIPPED_EDITION.structures;
  for (const line of mailboxes) writer('mailboxes').add(structureMailbox(line, copy));
  for (const line of legalEntities) writer('legalEntities').add(finessLine(line, 'legalEntities', copy));
  for (const line of establishments) writer('establishments').add(finessLine(line, 'establishments', copy));
}

/** Returns the date of the edition of a day, `YYYY-MM-DD`. Day 0 has the date of the shipped edition. */
function dayOf(day: number): string {
  const first = SHIPPED_EDITION.date.replace(/(....)(..)(..)/, '$1-$2-$3');
  return new Date(Date.parse(first) + day * DAY).toISOString().slice(0, 10);
}

function finessLine(line: string, key: keyof typeof FINESS_COLUMNS, copy: number): string {
  if (copy === 0) return line;
  const cells = line.split(';');
  for (const [column, numberOf] of Object.entries(FINESS_COLUMNS[key])) {
    cells[Number(column)] = numberOf(cells[Number(column)] ?? '', copy);
  }
  return cells.join(';');
}

/** Maximum metres by which a copy stands north or south of its structure, and also east or west of it. */
const AWAY = 3000;

/** Converts the line with a structure's coordinates to the line for a copy of the structure, which stands some streets away. */
function inOtherPlace(line: string, copy: number): string {
  const cells = finessLine(line, 'coordinates', copy).split(';');
  for (const [column, factor] of [
    [2, 7919],
    [3, 6857],
  ] as const) {
    const away = ((copy * factor + AWAY) % (2 * AWAY + 1)) - AWAY;
    cells[column] = (Number(cells[column]) + away).toFixed(1);
  }
  return cells.join(';');
}

type Writer = ReturnType<typeof createWriter>;

/** Collects the lines of a file into blocks. In a gzip file, each block is a gzip member of its own. */
function createWriter(name: string, handle: FileHandle, packs: boolean) {
  let text = '';
  let bytes = 0;
  let lines = 0;
  const flush = async () => {
    const plain = Buffer.from(text);
    const block = packs ? await packed(plain) : plain;
    text = '';
    await handle.appendFile(block);
    bytes += block.length;
  };
  return {
    handle,
    add: (line: string): void => {
      text += `${line}\n`;
      lines += 1;
    },
    isFull: () => text.length >= BLOCK,
    flush,
    /** Writes the remaining lines. The file is on the disk when this resolves. */
    finish: async () => {
      await flush();
      await handle.sync();
      return { name, bytes, lines };
    },
  };
}
