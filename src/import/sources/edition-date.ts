// The date of an edition: what a source says in its content, else its name, else its archive or folder; and whether it can be.

/** `2026-10-08` or `2026-10-08T08:30`, without a zone: publishers name files by their own time, FINESS counts in UTC. */
export interface FoundDate {
  date: string;
  /** Why it cannot be the date of an edition. */
  fault?: string;
}

export interface EditionDate {
  date?: string;
  /** Why the date that was found cannot be, with the date. There is no `date` then. */
  fault?: string;
  /** The name says a date that is days from that of the content. */
  conflict?: string;
}

/** As in `..._202610080830.txt`, `2026-10-08/...`, `...-20261008T083000Z.zip`: a day, and a time where one follows. */
const DATE =
  /(?<!\d)((?:19|20|21)\d\d)([-_.]?)(\d\d)\2(\d\d)(?:([T_ -]?)([0-9]{2})[-:h_]?([0-9]{2})(?:[-:_]?[0-9]{2})?)?(?!\d)/g;
/** Ids and checksums, whose digits may look like a date. */
const HEXADECIMAL = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{24,}/gi;
/** Characters of fourteen digits in a row: a time to the second, or a SIRET number. */
const FOURTEEN = 14;
const EARLIEST = '2000';
const DAY = 86_400_000;
/** The clock of a machine that is behind this release is wrong, and makes no edition one of the future. */
const RELEASED = Date.UTC(2026, 10, 23);
/** Days by which the date in a name may differ from that of the content: a file is fetched the day after. */
const CONFLICT = 2;

interface DateInText extends FoundDate {
  index: number;
  length: number;
}

/** Every text in the form of a date, in its order. `now`: milliseconds since 1970. */
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

/** Whether digits behind this separator may be any number; behind none or `T` they are the time. */
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
 * Date of a source. `content`: the text in which it says its date; `names`: its own name and the others it has, then those
 * of its folders and archive, the nearest first. Of several dates in a name the earliest counts: the others say when it was
 * fetched or packed.
 */
export function editionDate(content: string | undefined, names: readonly string[], now = Date.now()): EditionDate {
  const [said] = content === undefined ? [] : datesIn(content, now);
  const named = nearest(names, now);
  const faulty = [said, named].find((one) => one?.fault !== undefined);
  if (faulty) return { fault: `its date, ${faulty.date}, ${faulty.fault}` };
  if (!said) return named ? { date: named.date } : {};
  // The name may know the time of the day that the content says.
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

/** Negative where `a` is older; 0 for one edition: of two that are not equally precise, as far as both say. */
export function compareDates(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  const [left, right] = [a.slice(0, length), b.slice(0, length)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Days from `a` to `b`, with fractions. */
export function daysBetween(a: string, b: string): number {
  return (instantOf(b) - instantOf(a)) / DAY;
}

/** Whether a date of the catalogue may be held against an edition: an older release took any. */
export function isPlausible(date: string, now = Date.now()): boolean {
  return faultOf(date, now) === undefined;
}

function instantOf(date: string): number {
  return Date.parse(date.length > 10 ? `${date}:00Z` : `${date}T00:00:00Z`);
}
