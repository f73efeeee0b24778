// The resources that a page of matches includes by `_include` and `_revinclude`: each once, and no more than a page takes.

import {
  createYielder,
  type ResourceType,
  referenceKey,
  type Snapshot,
  type StoredResource,
} from '../../search-index/index.ts';
import type { Issue } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import type { IncludePath, Inclusion } from './include-paths.ts';

interface Included {
  type: ResourceType;
  resource: StoredResource;
}

export interface Inclusions {
  included: readonly Included[];
  /** What was left out because a page cannot take it; one issue at most. */
  incomplete: readonly Issue[];
}

/** Searches and references that an issue names. */
const NAMED = 20;

/**
 * The resources that the matches include. References that lead nowhere are left out. Whoever refers to a resource is
 * included wholly or, where they are more than the page can take, not at all, and then is named.
 * @param base public base of the directory: references may be written with it
 */
export async function includedResources(
  { snapshot, base }: { snapshot: Snapshot; base: string },
  type: ResourceType,
  matches: readonly StoredResource[],
  inclusions: readonly Inclusion[],
): Promise<Inclusions> {
  const yielder = createYielder();
  const included: Included[] = [];
  const known = new Set(matches.map(({ id }) => referenceKey(type, id)));
  const left = new Set<string>();

  const add = (of: ResourceType, resource: StoredResource, next: Included[]) => {
    const key = referenceKey(of, resource.id);
    if (known.has(key)) return;
    known.add(key);
    included.push({ type: of, resource });
    next.push({ type: of, resource });
  };
  const forward = async ({ target, element }: IncludePath, json: string, next: Included[]) => {
    const id = idIn(json, element, target, base);
    if (id === undefined || known.has(referenceKey(target, id))) return;
    const found = await snapshot.read(target, id);
    if (!found) return;
    if (included.length < LIMITS.included) add(target, found, next);
    else left.add(referenceKey(target, id));
  };
  const reverse = async ({ source, field, name }: IncludePath, key: string, next: Included[]) => {
    const query = { type: source, clauses: [{ field, match: 'exact' as const, anyOf: [key] }] };
    const free = LIMITS.included - included.length;
    // Most have a few; whoever has too many is not read at all.
    const { total = 0 } = await snapshot.search({ ...query, limit: 0, total: true });
    if (total > free) left.add(`${source}?${name}=${key}`);
    else if (total > 0) {
      const { matches: found } = await snapshot.search({ ...query, limit: free, total: false });
      for (const resource of found) add(source, resource, next);
    }
  };

  let round: Included[] = matches.map((resource) => ({ type, resource }));
  for (let wanted = inclusions; round.length > 0 && wanted.length > 0; ) {
    const next: Included[] = [];
    for (const { type: of, resource } of round) {
      for (const inclusion of wanted) {
        const { path } = inclusion;
        if (!inclusion.reverse && path.source === of) await forward(path, resource.json, next);
        if (inclusion.reverse && path.target === of) await reverse(path, referenceKey(of, resource.id), next);
      }
      if (yielder.due()) await yielder.yield();
    }
    round = next;
    wanted = inclusions.filter(({ recurse }) => recurse);
  }
  return { included, incomplete: incompleteness([...left].filter((one) => !known.has(one))) };
}

/** Id of the resource that an element refers to, if it is one of this directory and of that type. */
function idIn(json: string, element: string, target: ResourceType, base: string): string | undefined {
  const reference = referenceIn(json, element);
  const relative = reference.startsWith(`${base}/`) ? reference.slice(base.length + 1) : reference;
  const [type, id] = relative.split('/');
  return type === target && id !== '' ? id : undefined;
}

/**
 * The reference of an element, empty where there is none. The elements that are asked for stand at the top of a resource and
 * nowhere else in STU3, so that mostly the text tells without being parsed.
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
