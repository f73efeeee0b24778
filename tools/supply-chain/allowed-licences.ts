// Which licences the packages may have, and whether an SPDX expression is met by them.

/** Licences that ask for no more than a notice. */
const PERMISSIVE = ['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0'];

const UNSAID = '';

/** What else a package may have, by the beginning of its name: what only development uses is not handed on with the service. */
const IN_DEVELOPMENT: readonly (readonly [name: string, licence: string])[] = [
  ['', 'CC0-1.0'],
  ['axe-core', 'MPL-2.0'],
  ['caniuse-lite', 'CC-BY-4.0'],
  // Own texts of the Lister Hill Center: use, change and distribution for any purpose.
  ['@lhncbc/ucum-lhc', 'SEE LICENSE IN LICENSE.md'],
  ['fhirpath', 'SEE LICENSE in LICENSE.md'],
  // These two of 2012 name no licence in their package.json.
  ['pause', UNSAID],
  ['emitter-component', UNSAID],
];

/** Whether a package of that name may have a licence (SPDX expression, without exceptions by WITH). */
export function isAllowed({
  name,
  licence = UNSAID,
  dev,
}: {
  name: string;
  licence?: string | undefined;
  dev: boolean;
}): boolean {
  const own = (dev ? IN_DEVELOPMENT : []).filter(([start]) => name.startsWith(start));
  const allowed = new Set([...PERMISSIVE, ...own.map(([, one]) => one)]);
  return allowed.has(licence) || isMet(licence, allowed);
}

/** SPDX 2.3 annex D: AND binds closer than OR. */
function isMet(expression: string, allowed: ReadonlySet<string>): boolean {
  const tokens = expression.match(/[()]|[^\s()]+/g) ?? [];
  let at = 0;
  const any = (): boolean => {
    let met = all();
    while (tokens[at] === 'OR') {
      at += 1;
      met = all() || met;
    }
    return met;
  };
  const all = (): boolean => {
    let met = one();
    while (tokens[at] === 'AND') {
      at += 1;
      met = one() && met;
    }
    return met;
  };
  const one = (): boolean => {
    const token = tokens[at];
    at += 1;
    if (token !== '(') return allowed.has(token ?? '');
    const met = any();
    const isClosed = tokens[at] === ')';
    at += 1;
    return met && isClosed;
  };
  return any() && at === tokens.length;
}
