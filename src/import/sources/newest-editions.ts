// Says what the names of files tell: which files are incomplete, and which are the newest edition. The same rules apply to a watched folder
// and to a folder that an operator gives.

import type { Warn } from '#import/collect/warnings.ts';
import { compareDates, datesIn, type EditionDate, editionDate } from './edition-date.ts';

/** A choice among files: those that are taken, and those that are left out. */
interface Choice<File> {
  taken: File[];
  /** Older editions of the files that are taken. */
  older: File[];
  /** Files with an impossible date. */
  implausible: File[];
}

const PACKING = /\.(gz|gzip|zip)$/i;
/** Matches the number of a part or a copy, after the date or at the end of the name. */
const PART = /[-_. ]*(?:\(\d{1,3}\)|[-_. ](?:part[-_]?)?\d{1,4})(?=\.|$)/i;

/** Recognises the names of incomplete files, which downloads, rsync and editors give them. */
export function isIncoming(name: string): boolean {
  return /^\.|\.(part|partial|tmp|temp|crdownload|filepart|download|aria2|!ut|swp)$|~$/i.test(name);
}

/**
 * Chooses the newest files of one register, and those without a date. A file with an impossible date is never the newest. If every file has
 * an impossible date, all are taken, so that they are refused by name.
 */
export function newestOf<File extends EditionDate>(files: readonly File[]): Choice<File> {
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
 * Chooses the newest files of a folder by their names. Files with names that differ only by a date are editions of one register. `name` is
 * the path within the folder, with `/`. Files of one register with different names are compared later, when they are opened
 * (`one-edition.ts`).
 */
export function newestByName<File extends { name: string }>(
  files: readonly File[],
  now = Date.now(),
): Choice<File & EditionDate> {
  const groups = Map.groupBy(files, ({ name }) => nameWithoutDate(name));
  const choice: Choice<File & EditionDate> = { taken: [], older: [], implausible: [] };
  for (const group of groups.values()) {
    const chosen = newestOf(group.map((file) => ({ ...file, ...editionDate(undefined, namesOf(file.name), now) })));
    for (const key of ['taken', 'older', 'implausible'] as const) choice[key].push(...chosen[key]);
  }
  return choice;
}

export function warnOfPassedOver<File extends EditionDate>(
  { older, implausible }: Choice<File>,
  nameOf: (file: File) => string,
  warn: Warn,
): void {
  for (const file of older) warn('passed-over-edition', `${nameOf(file)}: ${file.date}`);
  for (const file of implausible) warn('implausible-date', `${nameOf(file)}: ${file.fault}`);
}

/** Returns the steps of a path, the nearest first. `!` stands between an archive and its members. */
export function namesOf(path: string): string[] {
  return path.split(/[/\\!]/).reverse();
}

/** Returns the name of a file without its folders, its packing, its dates, and the number of a part or copy. */
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
