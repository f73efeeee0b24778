// Chooses the newest edition among files, by their dates: the one rule of folders, watched or given by hand.

import type { Warn } from '#import/collect/warnings.ts';
import { compareDates, datesIn, editionDate } from './edition-date.ts';

/** A file as far as the choice goes. */
export interface Dated {
  date?: string;
  /** Why its date cannot be. */
  fault?: string;
}

export interface Choice<File> {
  taken: File[];
  /** Older editions of what is taken. */
  older: File[];
  /** Files whose date cannot be, beside others. */
  implausible: File[];
}

const PACKING = /\.(gz|gzip|zip)$/i;
/** Behind the date, or behind all of a name: the number of a part, or of a copy. */
const PART = /[-_. ]*(?:\(\d{1,3}\)|[-_. ](?:part[-_]?)?\d{1,4})(?=\.|$)/i;

/**
 * The newest of the files of one register, and with them those that have no date. A date that cannot be makes no file the
 * newest; where no file has a better one, they are all taken, to be refused by name.
 */
export function newestOf<File extends Dated>(files: readonly File[]): Choice<File> {
  const plausible = files.filter(({ fault }) => fault === undefined);
  if (plausible.length === 0) return { taken: [...files], older: [], implausible: [] };
  const newest = plausible
    .flatMap(({ date }) => date ?? [])
    .reduce((best, date) => (best === '' || compareDates(best, date) < 0 ? date : best), '');
  const isOlder = ({ date }: File) => date !== undefined && compareDates(date, newest) < 0;
  return {
    taken: plausible.filter((file) => !isOlder(file)),
    older: plausible.filter(isOlder),
    implausible: files.filter(({ fault }) => fault !== undefined),
  };
}

/**
 * The same among files of a folder of which only the names are known: those whose names differ by a date only are editions
 * of one. `name`: path within the folder, with `/`. What becomes of files of one register under other names is known when
 * they are opened (`one-edition.ts`).
 */
export function newestByName<File extends { name: string }>(
  files: readonly File[],
  now = Date.now(),
): Choice<File & Dated> {
  const groups = Map.groupBy(files, ({ name }) => nameWithoutDate(name));
  const choice: Choice<File & Dated> = { taken: [], older: [], implausible: [] };
  for (const group of groups.values()) {
    const chosen = newestOf(group.map((file) => ({ ...file, ...editionDate(undefined, namesOf(file.name), now) })));
    for (const key of ['taken', 'older', 'implausible'] as const) choice[key].push(...chosen[key]);
  }
  return choice;
}

export function warnOfPassedOver<File extends Dated>(
  { older, implausible }: Choice<File>,
  nameOf: (file: File) => string,
  warn: Warn,
): void {
  for (const file of older) warn('older-edition', `${nameOf(file)}: ${file.date}`);
  for (const file of implausible) warn('implausible-date', `${nameOf(file)}: ${file.fault}`);
}

/** Steps of a path, the nearest first; archives among them with `!` before what they hold. */
export function namesOf(path: string): string[] {
  return path.split(/[/\\!]/).reverse();
}

/** Name of a file without folders, packing, dates, and the number of a part or copy. */
export function nameWithoutDate(path: string): string {
  const name = (namesOf(path)[0] ?? '').replace(PACKING, '');
  const dates = datesIn(name);
  const last = dates.at(-1);
  if (!last) return name.replace(PART, '').toLowerCase();
  let before = '';
  let from = 0;
  for (const { index, length } of dates) {
    before = (before + name.slice(from, index)).replace(/[-_. ]+$/, '');
    from = index + length;
  }
  return (before + name.slice(from).replace(PART, '')).toLowerCase();
}
