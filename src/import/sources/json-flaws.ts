// Finds parts of a JSON text that a parser would change or choose without a word: repeated members, and numbers that JavaScript writes in
// another way.

/** Flaws of a text. There is at most one example of each kind. */
export interface JsonFlaws {
  /** Name of a member that occurs twice in one object. A parser keeps the last one. */
  repeated?: string;
  /** A number to which a parser would give another value: 0.12345678901234567891. */
  beyond?: string;
  /** A number that keeps its value but changes its form: 1.00. */
  rewritten?: string;
}

export type FlawWatch = ReturnType<typeof createFlawWatch>;

/** Makes a watch that sees the tokens of a JSON text, one after the other. */
export function createFlawWatch() {
  const names: (Set<string> | undefined)[] = [];
  let last = '';
  let found: JsonFlaws = {};
  return {
    open: (object: boolean) => void names.push(object ? new Set() : undefined),
    close: () => void names.pop(),
    /** Takes a string. It is a name if a call of `colon` follows. */
    string(text: string): void {
      last = text;
    },
    /** Takes a colon, which makes the last string a name. Returns true if the same object had that name before. */
    colon(): boolean {
      const known = names.at(-1);
      const again = known?.has(last) === true;
      if (again) found.repeated ??= last;
      known?.add(last);
      return again;
    },
    number(text: string): void {
      const written = String(Number(text));
      if (written === text) return;
      if (digitsOf(written) === digitsOf(text)) found.rewritten ??= text;
      else found.beyond ??= text;
    },
    /** Returns the flaws that were found since the last call. */
    take(): JsonFlaws {
      const taken = found;
      found = {};
      return taken;
    },
    /** Returns the number of objects and arrays that are open. */
    depth: () => names.length,
  };
}

/** Returns the same text for numbers of equal value: the digits without leading and trailing zeros, and the position of the point. */
function digitsOf(number: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const kept = digits.replace(/0+$/, '');
  if (kept === '') return '0';
  return `${sign}${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`;
}

/** Describes the fault if a member occurs twice in one object. */
export function repeatedIssue({ repeated }: JsonFlaws): string | undefined {
  return repeated === undefined ? undefined : `the member "${repeated.slice(0, 40)}" stands twice in one object`;
}

/** Matches a blank before a colon, or a number that may be written in another way. A match inside a string does no harm. */
const UNUSUAL = /"\s+:|(?:":|[[,])\s*-?\d+(?:[.eE]|\d{15})/;
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:]|-?\d[\d.eE+-]*/gs;

/** Finds the flaws of a valid JSON text. `value` is the parsed text. */
export function flawsOf(text: string, value: unknown): JsonFlaws {
  // Most texts have no flaws. To know that, it is enough to count colons and members.
  if (!UNUSUAL.test(text) && colonsOf(text) === membersOf(value)) return {};
  const watch = createFlawWatch();
  for (const [token] of text.matchAll(TOKEN)) {
    const first = token.charAt(0);
    if (first === '"') watch.string(JSON.parse(token) as string);
    else if (first === ':') watch.colon();
    else if (first === '{' || first === '[') watch.open(first === '{');
    else if (first === '}' || first === ']') watch.close();
    else watch.number(token);
  }
  return watch.take();
}

/** Counts the colons that may follow a name. There are at least as many of them as members. */
function colonsOf(text: string): number {
  let count = 0;
  for (let at = text.indexOf('":'); at >= 0; at = text.indexOf('":', at + 2)) count++;
  return count;
}

/** Counts the members of all objects within a value. It uses no recursion, because objects may be nested deeply. */
function membersOf(value: unknown): number {
  let count = 0;
  const open: object[] = typeof value === 'object' && value !== null ? [value] : [];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const members: readonly unknown[] = Array.isArray(one) ? one : Object.values(one);
    if (members !== one) count += members.length;
    for (const member of members) if (typeof member === 'object' && member !== null) open.push(member);
  }
  return count;
}
