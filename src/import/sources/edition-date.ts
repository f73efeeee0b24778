// Finds the date of an edition. The date is taken from the content of a source, otherwise from its name, otherwise from the name of its
// archive or folder. Also checks that the date is possible.

/**
 * A date, such as `2026-10-08` or `2026-10-08T08:30`. It has no time zone, because no single one is right for all dates: publishers name
 * files by their local time, and FINESS uses UTC.
 */
interface FoundDate {
  date: string;
  /** Reason why the edition cannot have this date. Absent if the date is possible. */
  fault?: string;
}

export interface EditionDate {
  date?: string;
  /** Set instead of `date` if the date that was found is impossible. The text contains that date and the reason. */
  fault?: string;
  /** Set if the date in the name of the file differs by some days from the date in its content. The text contains both dates. */
  conflict?: string;
}

/** Matches a day, and the time if one follows, as in `..._202610080830.txt`, `2026-10-08/...`, `...-20261008T083000Z.zip`. */
const DATE =
  /(?<!\d)((?:19|20|21)\d\d)([-_.]?)(\d\d)\2(\d\d)(?:([T_ -]?)([0-9]{2})[-:h_]?([0-9]{2})(?:[-:_]?[0-9]{2})?)?(?!\d)/g;
/** Matches ids and checksums. They are ignored, because some of their digits may look like a date. */
const HEXADECIMAL = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{24,}/gi;
/**
 * Number of digits of a date with a time to the second, such as `20261008083000`. A SIRET number has fourteen digits too. So fourteen
 * digits that do not begin with a day of the calendar are taken for a SIRET number, and not for an impossible date.
 */
const FOURTEEN = 14;
const EARLIEST = '2000';
const DAY = 86_400_000;
/**
 * The day of this release. If the clock shows an earlier time, the clock is wrong, so this day is used to decide whether an edition lies in
 * the future.
 */
const RELEASED = Date.UTC(2026, 10, 23);
/**
 * Maximum number of days between the date in the name and the date in the content of a file. They may differ a little, because files are
 * often fetched the day after their publication.
 */
const CONFLICT = 2;

interface DateInText extends FoundDate {
  index: number;
  length: number;
}

/** Finds all dates in a text, in the order of the text. `now` is in milliseconds since 1970. */
export function datesIn(text: string, now = Date.now()): DateInText[] {
  const readable = text.replace(HEXADECIMAL, (id) => '#'.repeat(id.length));
  return [...readable.matchAll(DATE)].flatMap((found) => {
    const [whole, year = '', , month = '', day = '', separator, hour, minute] = found;
    const place = { index: found.index, length: whole.length };
    const ofDay = `${year}-${month}-${day}`;
    if (!isDay(ofDay)) {
      return /^\d+$/.test(whole) && whole.length === FOURTEEN
        ? []
        : [{ ...place, date: ofDay, fault: 'is no day of the calendar' }];
    }
    const timed = hour !== undefined && minute !== undefined;
    const isTime = timed && hour < '24' && minute < '60';
    const date = timed && (isTime || !isNumber(separator)) ? `${ofDay}T${hour}:${minute}` : ofDay;
    const fault = date.length > ofDay.length && !isTime ? 'is no time of a day' : faultOf(date, now);
    return [{ ...place, date, ...(fault !== undefined && { fault }) }];
  });
}

/**
 * Tells whether the digits after a day may be something other than a time, such as the number of a part. `separator` stands between the day
 * and the digits. If it is empty or `T`, the digits must be a time.
 */
function isNumber(separator: string | undefined): boolean {
  return separator !== '' && separator !== 'T';
}

function isDay(date: string): boolean {
  const instant = new Date(`${date}T00:00:00Z`);
  return !Number.isNaN(instant.getTime()) && instant.toISOString().startsWith(date);
}

function faultOf(date: string, now: number): string | undefined {
  if (date < EARLIEST) return `is before ${EARLIEST}`;
  const latest = Math.max(now, RELEASED) + DAY;
  if (instantOf(date) <= latest) return undefined;
  return `is in the future (the clock says ${new Date(now).toISOString().slice(0, 16)} UTC)`;
}

/**
 * Returns the date of a source. `content` is the text in its content that has the date. `names` are the names that may have the date: its
 * own, then those of its folders and archive, the nearest first. If a name has several dates, the earliest is taken, because the later ones
 * tell when the file was downloaded or packed.
 */
export function editionDate(content: string | undefined, names: readonly string[], now = Date.now()): EditionDate {
  const [said] = content === undefined ? [] : datesIn(content, now);
  const named = nearest(names, now);
  const faulty = [said, named].find((one) => one?.fault !== undefined);
  if (faulty) return { fault: `its date, ${faulty.date}, ${faulty.fault}` };
  if (!said) return named ? { date: named.date } : {};
  // If the content only states the day, the time comes from the name.
  if (named && compareDates(said.date, named.date) === 0 && named.date.length > said.date.length) {
    return { date: named.date };
  }
  const own = nearest(names.slice(0, 1), now);
  if (!own || Math.abs(daysBetween(said.date, own.date)) <= CONFLICT) return { date: said.date };
  return { date: said.date, conflict: `${said.date} in the content, ${own.date} in the name` };
}

function nearest(names: readonly string[], now: number): FoundDate | undefined {
  for (const name of names) {
    const found = datesIn(name, now).sort((a, b) => (a.date < b.date ? -1 : 1));
    const date = found.find(({ fault }) => fault === undefined) ?? found[0];
    if (date) return date;
  }
  return undefined;
}

/**
 * Returns a negative number if `a` is older, a positive number if `b` is older, and 0 if both belong to the same edition. If only one of
 * them has a time, only the days are compared.
 */
export function compareDates(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  const [left, right] = [a.slice(0, length), b.slice(0, length)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Returns the number of days from `a` to `b`, with fractions. It is negative if `b` is earlier. */
export function daysBetween(a: string, b: string): number {
  return (instantOf(b) - instantOf(a)) / DAY;
}

function instantOf(date: string): number {
  return Date.parse(date.length > 10 ? `${date}:00Z` : `${date}T00:00:00Z`);
}
