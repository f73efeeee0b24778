// Finds the resources that a page includes by `_include` and `_revinclude`. Each resource is included only once. The number of included
// resources has a limit (`LIMITS.included`).

import { type Issue, issueOf } from '#directory/errors.ts';
import { LIMITS } from '#directory/limits.ts';
import { Abandoned, type ResourceType, referenceKey, type Snapshot, type StoredResource } from '#search-index/index.ts';
import { endsOf, type Inclusion, pathText } from './include-paths.ts';
import { type IncludedUnit, shareRoom } from './include-shares.ts';

interface Included {
  type: ResourceType;
  resource: StoredResource;
}

export interface Inclusions {
  included: readonly Included[];
  /**
   * One issue for each inclusion that found more than the page had places for. The issue names the resources that were left out. Empty if
   * everything was included.
   */
  incomplete: readonly Issue[];
}

/** Maximum number of references or searches that one issue names. The issue also tells how many more were left out. */
const NAMED = 20;
/**
 * One search finds the resources that refer to any of at most `KEYS` given resources. It reads at most `READ_FOR_EACH` times as many
 * resources as were given.
 */
const [KEYS, READ_FOR_EACH] = [50, 4];

/** The resources that one resource includes by one inclusion. */
interface Unit extends IncludedUnit {
  /** The text by which an issue names the unit: the reference to its resource, or the search that finds its resources. */
  name: string;
  resources(): Promise<readonly StoredResource[]>;
}

interface Context {
  snapshot: Snapshot;
  /** Public base address of the directory. A reference may be absolute and begin with it. */
  base: string;
  abandoned?: () => boolean;
}

/**
 * Finds the resources that the matches include. The inclusions share the places fairly. References to resources that do not exist are
 * ignored. By `_revinclude`, the resources that refer to one match are included all together or not at all. If there is no place for all of
 * them, an issue names the search that finds them.
 */
export async function includedResources(
  context: Context,
  type: ResourceType,
  matches: readonly StoredResource[],
  inclusions: readonly Inclusion[],
): Promise<Inclusions> {
  const { abandoned = () => false } = context;
  const included: Included[] = [];
  const known = new Set(matches.map(({ id }) => referenceKey(type, id)));
  const named = inclusions.map(() => new Set<string>());
  const waiting = inclusions.map((): Unit[] => []);

  /**
   * Finds the units that these resources include, and adds the new ones to `waiting`. For each inclusion, a few searches find the units of
   * all these resources.
   */
  const follow = async (resources: readonly Included[], isWanted: (inclusion: Inclusion) => boolean) => {
    if (abandoned()) throw new Abandoned();
    const found = await Promise.all(
      inclusions.map(async (inclusion) => {
        const { from: start } = endsOf(inclusion);
        const from = resources.flatMap((one) => (one.type === start ? one.resource : []));
        if (!isWanted(inclusion) || from.length === 0) return [];
        return inclusion.reverse ? referring(context, inclusion, from) : referred(context, inclusion, from, known);
      }),
    );
    found.forEach((units, kind) => {
      const names = named[kind] as Set<string>;
      for (const unit of units) {
        if (!names.has(unit.name)) waiting[kind]?.push(unit);
        names.add(unit.name);
      }
    });
  };
  const admit = async (admitted: readonly Unit[][]): Promise<number[]> => {
    const loaded = await Promise.all(admitted.map((units) => Promise.all(units.map((unit) => unit.resources()))));
    const before = included.length;
    const counts = loaded.map((units, kind) => {
      const { to } = endsOf(inclusions[kind] as Inclusion);
      const start = included.length;
      for (const resource of units.flat()) {
        const key = referenceKey(to, resource.id);
        if (known.has(key)) continue;
        known.add(key);
        included.push({ type: to, resource });
      }
      return included.length - start;
    });
    await follow(included.slice(before), ({ recurse }) => recurse);
    return counts;
  };

  const found = matches.map((resource) => ({ type, resource }));
  await follow(found, () => true);
  const left = await shareRoom(LIMITS.included, waiting, admit);
  const incomplete = left.flatMap((units, kind) => {
    const names = units.map(({ name }) => name).filter((name) => !known.has(name));
    return names.length > 0 ? incompleteness(inclusions[kind] as Inclusion, names) : [];
  });
  return { included, incomplete };
}

/** Finds the resources to which one element of the given resources refers. Each resource that is found is a unit by itself. */
async function referred(
  { snapshot, base, abandoned }: Context,
  { path: { target, element } }: Inclusion,
  from: readonly StoredResource[],
  known: ReadonlySet<string>,
): Promise<Unit[]> {
  const ids = new Set(from.flatMap(({ json }) => idIn(json, element, target, base) ?? []));
  const anyOf = [...ids].filter((id) => !known.has(referenceKey(target, id)));
  const [only, ...others] = anyOf;
  if (only === undefined) return [];
  const unit = (resource: StoredResource): Unit => ({
    size: 1,
    name: referenceKey(target, resource.id),
    resources: async () => [resource],
  });
  if (others.length === 0) {
    const found = await snapshot.read(target, only);
    return found ? [unit(found)] : [];
  }
  const clauses = [{ field: 'id', match: 'exact' as const, anyOf }];
  const { matches } = await snapshot.search(
    { type: target, clauses, limit: anyOf.length, total: false },
    abandoned && { abandoned },
  );
  const found = new Map(matches.map((resource) => [resource.id, resource]));
  return anyOf.flatMap((id) => found.get(id) ?? []).map(unit);
}

/** Finds the resources that refer to the given resources. All resources that refer to the same one are a unit together. */
async function referring(
  { snapshot, base, abandoned }: Context,
  { path: { source, field, name, element, target } }: Inclusion,
  to: readonly StoredResource[],
): Promise<Unit[]> {
  const keys = to.map(({ id }) => referenceKey(target, id));
  const search = async (anyOf: readonly string[], limit: number, total: boolean) => {
    const clauses = [{ field, match: 'exact' as const, anyOf }];
    return snapshot.search({ type: source, clauses, limit, total }, abandoned && { abandoned });
  };
  const unitsOf = async (some: readonly string[]): Promise<Unit[]> => {
    // In most cases, only a few resources refer to each of the given resources. So one search usually finds all referring resources.
    const { matches, more } = await search(some, some.length * READ_FOR_EACH, false);
    const isAttributed = ({ json }: StoredResource) => idIn(json, element, target, base) !== undefined;
    if (!more && matches.every(isAttributed)) {
      const byKey = Map.groupBy(matches, ({ json }) => referenceKey(target, idIn(json, element, target, base) ?? ''));
      return some.flatMap((key) => {
        const found = byKey.get(key);
        return found ? { size: found.length, name: `${source}?${name}=${key}`, resources: async () => found } : [];
      });
    }
    // The search did not find everything, so each unit is only counted here. Its resources are read when it gets its places.
    const totals = await Promise.all(some.map(async (key) => (await search([key], 0, true)).total ?? 0));
    return some.flatMap((key, index) => {
      const size = totals[index] as number;
      const resources = async () => (await search([key], size, false)).matches;
      return size > 0 ? { size, name: `${source}?${name}=${key}`, resources } : [];
    });
  };
  const groups = Array.from({ length: Math.ceil(keys.length / KEYS) }, (_, at) =>
    keys.slice(at * KEYS, (at + 1) * KEYS),
  );
  return (await Promise.all(groups.map(unitsOf))).flat();
}

/**
 * The id of the resource to which an element refers. Undefined if the reference does not lead to a resource of the type `target` in this
 * directory.
 */
function idIn(json: string, element: string, target: ResourceType, base: string): string | undefined {
  const reference = referenceIn(json, element);
  const relative = reference.startsWith(`${base}/`) ? reference.slice(base.length + 1) : reference;
  const [type, id] = relative.split('/');
  return type === target && id !== '' ? id : undefined;
}

/**
 * The reference in an element; empty if there is none. In STU3 the elements that are followed occur only at the top of a resource. So the
 * reference can be found in the text, which rarely has to be parsed.
 */
function referenceIn(json: string, element: string): string {
  const key = `"${element}":{`;
  const at = json.indexOf(key);
  if (at < 0) return '';
  const [, plain] = /^"reference":"([^"\\]*)"/.exec(json.slice(at + key.length, at + key.length + LONGEST)) ?? [];
  if (plain !== undefined) return plain;
  return (JSON.parse(json) as Record<string, { reference?: string } | undefined>)[element]?.reference ?? '';
}

/** The reference is looked for in this many characters behind the name of its element. If it is not there, the whole text is parsed. */
const LONGEST = 300;

function incompleteness({ path, reverse }: Inclusion, left: readonly string[]): Issue {
  const parameter = reverse ? '_revinclude' : '_include';
  const named = left.slice(0, NAMED).join(', ');
  const others = left.length > NAMED ? ` and ${left.length - NAMED} more` : '';
  return issueOf(
    'warning',
    'too-costly',
    `Not everything is included: a page takes ${LIMITS.included} included resources, in fair shares. Left out of ${parameter}=${pathText(path)}: ${named}${others}. Ask for these by themselves, page by page, or take smaller pages.`,
    parameter,
  );
}
