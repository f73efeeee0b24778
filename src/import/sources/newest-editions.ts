// Draws conclusions from the names of files: which files are incomplete, and which are the newest edition. The same rules apply to a
// watched folder and to a folder that an operator gives.

import type { Warn } from '#import/collect/warnings.ts';
import { compareDates, datesIn, type EditionDate, editionDate } from './edition-date.ts';

/** The files that are imported, and those that are left out. */
interface Choice<File> {
  taken: File[];
  /** Files with an older date than the newest file of the same register. */
  older: File[];
  /** Files with an impossible date. */
  implausible: File[];
}

const PACKING = /\.(gz|gzip|zip)$/i;
/**
 * Matches the number of a part or of a copy in the name of a file, such as `_part2`, `-02` or `(1)`. It stands after the date or at the end
 * of the name.
 */
const PART = /[-_. ]*(?:\(\d{1,3}\)|[-_. ](?:part[-_]?)?\d{1,4})(?=\.|$)/i;

/** Tells whether a name is one that download programs, rsync or editors give to incomplete files. */
export function isIncoming(name: string): boolean {
  return /^\.|\.(part|partial|tmp|temp|crdownload|filepart|download|aria2|!ut|swp)$|~$/i.test(name);
}

/**
 * Chooses the newest files of one register. Files without a date are taken as well. A file with an impossible date is never the newest. But
 * if all dates are impossible, all files are taken, so that the import refuses them and names them.
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
 * Chooses the newest files of a folder by their names. If the names of files differ only by a date, the files are taken for editions of one
 * register. `name` is the path within the folder, with `/` as its separator. Files of one register with different names can only be
 * compared later, when their content is known (`registers/choose-files.ts`).
 */
export function newestByName<File extends { name: string }>(files: readonly File[]): Choice<File & EditionDate> {
  const groups = Map.groupBy(files, ({ name }) => nameWithoutDate(name));
  const choice: Choice<File & EditionDate> = { taken: [], older: [], implausible: [] };
  for (const group of groups.values()) {
    const chosen = newestOf(group.map((file) => ({ ...file, ...editionDate(undefined, namesOf(file.name)) })));
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

/** Returns the names in a path, from the file up to the outermost folder. `!` separates the name of an archive from that of its member. */
export function namesOf(path: string): string[] {
  return path.split(/[/\\!]/).reverse();
}

/** Returns the name of a file without folders, packing and dates, and without the number of a part or copy. */
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
