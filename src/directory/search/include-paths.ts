// The references that `_include` and `_revinclude` can follow. They come from the parameter tables. This file also parses the values of
// `_include` and `_revinclude`.

import { parameterError, shownName } from '#directory/errors.ts';
import { TABLES } from '#directory/resources/resource-types.ts';
import type { ResourceType } from '#search-index/index.ts';

/** A reference from resources of one type to resources of another. */
export interface IncludePath {
  source: ResourceType;
  /** The search parameter of `source` that finds resources by this reference. */
  name: string;
  target: ResourceType;
  /** The field of the index that holds the reference. */
  field: string;
  /** The element of the source that holds the reference. */
  element: string;
}

/** A path along which a search includes resources. With `reverse`, the path is followed from its target to its source. */
export interface Inclusion {
  path: IncludePath;
  reverse: boolean;
  /** True if the path is also followed from included resources. */
  recurse: boolean;
}

/** The two types that an inclusion connects: it begins at resources of the type `from` and includes resources of the type `to`. */
export function endsOf({ path, reverse }: Pick<Inclusion, 'path' | 'reverse'>): {
  from: ResourceType;
  to: ResourceType;
} {
  return reverse ? { from: path.target, to: path.source } : { from: path.source, to: path.target };
}

export const INCLUDE_PATHS: readonly IncludePath[] = TABLES.flatMap(({ type: source, parameters }) =>
  parameters.flatMap((parameter) =>
    parameter.matching === 'reference'
      ? [{ source, name: parameter.name, target: parameter.target, field: parameter.field, element: parameter.element }]
      : [],
  ),
);

/** Matches `_include` and `_revinclude`, with or without a modifier. `iterate` is R4's word for STU3's `recurse`. */
const NAME = /^(_include|_revinclude)(?::(recurse|iterate))?$/;

/** The inclusion parameters that can include something in a search for the type. */
export function includeNames(type: ResourceType): readonly string[] {
  return [
    ...(recurseValues(type, { reverse: false }).length > 0 ? ['_include'] : []),
    ...(recurseValues(type, { reverse: true }).length > 0 ? ['_revinclude'] : []),
  ];
}

/**
 * The values that an inclusion parameter takes without a modifier, as the CapabilityStatement writes them. Their paths begin at the type.
 * With `reverse`, their paths lead to the type.
 */
export function includeValues(type: ResourceType, { reverse }: { reverse: boolean }): readonly string[] {
  return INCLUDE_PATHS.filter((path) => endsOf({ path, reverse }).from === type).map(pathText);
}

/**
 * The values with which `:recurse` can include something in a search for the type. Their paths begin at the type, or at a type that other
 * inclusions can reach. With `reverse`, each path is followed backwards.
 */
export function recurseValues(type: ResourceType, { reverse }: { reverse: boolean }): readonly string[] {
  const reached = new Set<ResourceType>([type]);
  for (let before = 0; reached.size > before; ) {
    before = reached.size;
    for (const { source, target } of INCLUDE_PATHS) {
      if (reached.has(source)) reached.add(target);
      if (reached.has(target)) reached.add(source);
    }
  }
  return INCLUDE_PATHS.filter((path) => reached.has(endsOf({ path, reverse }).from)).map(pathText);
}

/** Checks whether the name of a parameter is that of an inclusion. */
export function isInclude(name: string): boolean {
  return NAME.test(name);
}

/**
 * Parses the value of an inclusion parameter: `Type:parameter`, `Type:parameter:Target`, `Type:*`, or `*`.
 * @throws FhirError 400 for an unknown path, and for a path that this search could never follow
 */
export function parseInclusions(type: ResourceType, parameter: string, value: string): Inclusion[] {
  const [, name = '', again] = NAME.exec(parameter) ?? [];
  const reverse = name === '_revinclude';
  const recurse = again !== undefined;
  const start = (path: IncludePath) => endsOf({ path, reverse }).from;
  const inclusion = (path: IncludePath): Inclusion => ({ path, reverse, recurse });
  // STU3 writes the wildcard in place of the parameter (`Type:*`). HAPI also takes `*` alone.
  const all = INCLUDE_PATHS.filter((path) => value === '*' || value === `${path.source}:*`);
  const followed = all.filter((path) => recurse || start(path) === type);
  if (value === '*' || followed.length > 0) return followed.map(inclusion);
  const [source, path, target, ...more] = value.split(':');
  const found = INCLUDE_PATHS.find(
    (one) => one.source === source && one.name === path && (target ?? one.target) === one.target && more.length === 0,
  );
  if (!found) throw parameterError(parameter, takes(type, name, { reverse, recurse, value }));
  // A path that begins at another type is refused, because it would never include anything although the client expects it to.
  if (!recurse && start(found) !== type)
    throw parameterError(
      parameter,
      `${pathText(found)} begins at a ${start(found)}, and this search finds each ${type}: to follow what is included, write ${name}:recurse.`,
    );
  return [inclusion(found)];
}

/** Writes a refusal that names the values of the parameter in a search for the type. If there is no such value, it names the remedy. */
function takes(
  type: ResourceType,
  name: string,
  { reverse, recurse, value }: { reverse: boolean; recurse: boolean; value: string },
): string {
  const values = recurse ? recurseValues(type, { reverse }) : includeValues(type, { reverse });
  if (values.length > 0) return `takes ${values.join(', ')} or * in a search for ${type}, not "${shownName(value)}".`;
  const remedy =
    recurse || recurseValues(type, { reverse }).length === 0
      ? 'leave it out'
      : `to follow what comes along by ${reverse ? '_include' : '_revinclude'}, write ${name}:recurse`;
  return `has nothing to follow in a search for ${type}: ${remedy}.`;
}

/** Writes a path as the value of an inclusion parameter. */
export function pathText({ source, name }: IncludePath): string {
  return `${source}:${name}`;
}

/** Removes duplicate inclusions. If two differ only in `recurse`, the one with `recurse` stays. */
export function distinctInclusions(inclusions: readonly Inclusion[]): Inclusion[] {
  const distinct = new Map<string, Inclusion>();
  for (const inclusion of inclusions) {
    const key = `${inclusion.reverse} ${inclusion.path.source} ${inclusion.path.field}`;
    if (inclusion.recurse || !distinct.has(key)) distinct.set(key, inclusion);
  }
  return [...distinct.values()];
}

/** Lists every type that the inclusions can lead to, from resources of one type. */
export function includedTypes(type: ResourceType, inclusions: readonly Inclusion[]): ReadonlySet<ResourceType> {
  const included = new Set<ResourceType>();
  for (let before = -1; included.size > before; ) {
    before = included.size;
    for (const inclusion of inclusions) {
      const { from, to } = endsOf(inclusion);
      if (from === type || (inclusion.recurse && included.has(from))) included.add(to);
    }
  }
  return included;
}
