// Finds the resources that a page of matches includes by `_include` and `_revinclude`: each once, up to the limit of a page.

import type { Issue } from '#directory/errors.ts';
import { LIMITS } from '#directory/limits.ts';
import {
  createYielder,
  type ResourceType,
  referenceKey,
  type SearchPage,
  type Snapshot,
  type StoredResource,
} from '#search-index/index.ts';
import type { IncludePath, Inclusion } from './include-paths.ts';

interface Included {
  type: ResourceType;
  resource: StoredResource;
}

export interface Inclusions {
  included: readonly Included[];
  /** An issue that names the inclusions that did not fit the page; empty if all fit. */
  incomplete: readonly Issue[];
}

/** Searches and references that an issue names. */
const NAMED = 20;

/**
 * The resources that the matches include. References that lead nowhere are left out. The resources that refer to a match are included all
 * together or, where they are more than the page can take, not at all; an issue then names them.
 * @param base public base of the directory: references may be written with it
 */
export async function includedResources(
  { snapshot, base, abandoned = () => false }: { snapshot: Snapshot; base: string; abandoned?: () => boolean },
  type: ResourceType,
  matches: readonly StoredResource[],
  inclusions: readonly Inclusion[],
): Promise<Inclusions> {
  const yielder = createYielder(abandoned);
  const included: Included[] = [];
  const known = new Set(matches.map(({ id }) => referenceKey(type, id)));
  const left = new Set<string>();
  const free = () => LIMITS.included - included.length;

  const add = (of: ResourceType, resource: StoredResource, next: Included[]) => {
    const key = referenceKey(of, resource.id);
    if (known.has(key)) return;
    known.add(key);
    included.push({ type: of, resource });
    next.push({ type: of, resource });
  };
  const forward = async ({ target, element }: IncludePath, { resource: { json } }: Included): Promise<Apply> => {
    const id = idIn(json, element, target, base);
    if (id === undefined || known.has(referenceKey(target, id))) return nothing;
    const found = await snapshot.read(target, id);
    return async (next) => {
      if (!found) return;
      if (free() > 0) add(target, found, next);
      else if (!known.has(referenceKey(target, id))) left.add(referenceKey(target, id));
    };
  };
  const reverse = async (path: IncludePath, { type: of, resource }: Included, ahead: Ahead): Promise<Apply> => {
    const { source, field, name } = path;
    const key = referenceKey(of, resource.id);
    const query = { type: source, clauses: [{ field, match: 'exact' as const, anyOf: [key] }], total: true };
    const page = (limit: number) => snapshot.search({ ...query, limit, total: false }, { abandoned });
    // Most resources are referred to by few others. If there are too many, none is read.
    const { total = 0 } = await snapshot.search({ ...query, limit: 0 }, { abandoned });
    if (total === 0) return nothing;
    let early: SearchPage | undefined;
    if (total <= ahead.free) {
      ahead.free -= total;
      early = await page(total);
    }
    return async (next) => {
      if (total > free()) left.add(`${source}?${name}=${key}`);
      else for (const found of (early ?? (await page(total))).matches) add(source, found, next);
    };
  };

  let round: Included[] = matches.map((resource) => ({ type, resource }));
  for (let wanted = inclusions; round.length > 0 && wanted.length > 0; ) {
    const next: Included[] = [];
    for (let from = 0; from < round.length; from += TOGETHER) {
      const ahead: Ahead = { free: free() };
      const looks = round.slice(from, from + TOGETHER).flatMap((one) =>
        wanted.flatMap(({ path, reverse: against }) => {
          if (against) return path.target === one.type ? [reverse(path, one, ahead)] : [];
          return path.source === one.type ? [forward(path, one)] : [];
        }),
      );
      for (const apply of await Promise.all(looks)) await apply(next);
      if (yielder.due()) await yielder.yield();
    }
    round = next;
    wanted = inclusions.filter(({ recurse }) => recurse);
  }
  return { included, incomplete: incompleteness([...left].filter((one) => !known.has(one))) };
}

/** Adds found resources to the page. It is called in the order of the inclusions, though the look-ups run at the same time. */
type Apply = (next: Included[]) => Promise<void>;
const nothing: Apply = async () => {};

/** Number of resources that the page can still take, without those that concurrent look-ups have reserved. */
interface Ahead {
  free: number;
}

/** Number of resources with references that are looked up at the same time. */
const TOGETHER = 16;

/** Id of the resource that an element refers to, if it is one of this directory and of that type. */
function idIn(json: string, element: string, target: ResourceType, base: string): string | undefined {
  const reference = referenceIn(json, element);
  const relative = reference.startsWith(`${base}/`) ? reference.slice(base.length + 1) : reference;
  const [type, id] = relative.split('/');
  return type === target && id !== '' ? id : undefined;
}

/**
 * The reference of an element; empty if there is none. In STU3 these elements stand only at the top of a resource, so the text need rarely
 * be parsed.
 */
function referenceIn(json: string, element: string): string {
  const key = `"${element}":{`;
  const at = json.indexOf(key);
  if (at < 0) return '';
  const [, plain] = /^"reference":"([^"\\]*)"/.exec(json.slice(at + key.length, at + key.length + LONGEST)) ?? [];
  if (plain !== undefined) return plain;
  return (JSON.parse(json) as Record<string, { reference?: string } | undefined>)[element]?.reference ?? '';
}

/** Characters within which a reference is looked for without parsing. */
const LONGEST = 300;

function incompleteness(left: readonly string[]): Issue[] {
  if (left.length === 0) return [];
  const named = left.slice(0, NAMED).join(', ');
  const others = left.length > NAMED ? ` and ${left.length - NAMED} more` : '';
  return [
    {
      severity: 'warning',
      code: 'too-costly',
      diagnostics: `Not everything is included: a page takes ${LIMITS.included} included resources. Left out: ${named}${others}. Ask for these by themselves, page by page, or take smaller pages.`,
    },
  ];
}
