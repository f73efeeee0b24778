// Chooses the newest edition of each register among files, by the dates in names of files and folders.

/** As in `..._202610080830.txt`, `2026-10-08/...`, `...-20261008T083000Z.zip`. */
const DATE =
  /(?<!\d)(20\d\d)[-_.]?(0[1-9]|1[0-2])[-_.]?(0[1-9]|[12]\d|3[01])(?:[T_ -]?([01]\d|2[0-3])[-:h_]?([0-5]\d)(?:[-:_]?([0-5]\d))?)?(?!\d)/;
const PACKING = /\.(gz|gzip|zip)$/i;

interface Choice<File> {
  taken: File[];
  /** Older editions of what is taken. */
  passedOver: File[];
  /** Sentences about files of which the newest is unclear; nothing should be loaded then. */
  unclear: string[];
}

/** `name`: path within the watched folder, with `/`. Files whose names differ by a date only are editions of one register. */
export function newestEditions<File extends { name: string }>(files: readonly File[]): Choice<File> {
  const groups = new Map<string, { file: File; date: string | undefined }[]>();
  for (const file of files) {
    const { register, date } = editionIn(file.name);
    const group = groups.get(register) ?? [];
    groups.set(register, group);
    group.push({ file, date });
  }
  const choice: Choice<File> = { taken: [], passedOver: [], unclear: [] };
  for (const group of groups.values()) {
    const newest = group.reduce<string | undefined>((best, { date }) => later(best, date), undefined);
    const undated = group.filter(({ date }) => date === undefined);
    if (newest !== undefined && undated.length > 0) {
      const names = group.map(({ file }) => file.name).join(', ');
      choice.unclear.push(
        `${names}: which is newest is unclear, because not all names have a date. Leave the newest only.`,
      );
    }
    for (const { file, date } of group) (date === newest ? choice.taken : choice.passedOver).push(file);
  }
  return choice;
}

/** The register that a file is an edition of, by its name without date and packing, and the date, which sorts as text. */
export function editionIn(name: string): { register: string; date: string | undefined } {
  const steps = name.split('/');
  const file = (steps.pop() ?? '').replace(PACKING, '');
  const own = DATE.exec(file);
  if (own) {
    const [before, after] = [file.slice(0, own.index), file.slice(own.index + own[0].length)];
    return { register: (before.replace(/[-_. ]+$/, '') + after).toLowerCase(), date: sortable(own) };
  }
  for (const folder of steps.reverse()) {
    const found = DATE.exec(folder);
    if (found) return { register: file.toLowerCase(), date: sortable(found) };
  }
  return { register: file.toLowerCase(), date: undefined };
}

function sortable([, ...parts]: RegExpExecArray): string {
  return parts.map((part) => part ?? '').join('');
}

function later(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return a > b ? a : b;
}
