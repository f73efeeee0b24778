// Writes the Bundle of a search as text. The stored JSON of the resources is copied into the entries without being parsed.

import { hash } from 'node:crypto';
import { type Issue, operationOutcomeJson } from '#directory/errors.ts';
import { LIMITS } from '#directory/limits.ts';
import type { ResourceType, SearchPage, StoredResource } from '#search-index/index.ts';
import { present } from '#shared/present.ts';
import type { Inclusions } from './includes.ts';
import { distanceExtension, orderValue } from './near.ts';
import { encodePage, type Page, queryHash } from './page-token.ts';
import type { SearchRequest } from './parse-search.ts';

interface BundleParts {
  /** Public base address of the directory: absolute, from the configuration, without characters that JSON escapes. */
  base: string;
  type: ResourceType;
  request: SearchRequest;
  snapshot: string;
  page: SearchPage;
  inclusions: Inclusions;
  /**
   * The notes of the search and the issues of its inclusions (`notes.ts`). They become one entry with `search.mode` outcome. Without
   * issues, the Bundle has no such entry.
   */
  notes: readonly Issue[];
}

/** Writes a Bundle of type searchset as JSON text (STU3 Bundle, search 3.1.1.6). */
export function bundleJson(parts: BundleParts): string {
  const { base, type, request, page, inclusions, notes } = parts;
  const total = request.total ? page.total : undefined;
  const distance = distanceExtension(request.clauses);
  let entries = '';
  for (const { id, json } of page.matches) {
    if (entries !== '') entries += ',';
    const search = `{${distance?.(json) ?? ''}"mode":"match"}`;
    entries += `{"fullUrl":"${base}/${type}/${id}","resource":${json},"search":${search}}`;
  }
  for (const { type: of, resource } of inclusions.included)
    entries += `,{"fullUrl":"${base}/${of}/${resource.id}","resource":${resource.json},"search":{"mode":"include"}}`;
  if (notes.length > 0 || inclusions.incomplete.length > 0) {
    const outcome = operationOutcomeJson([...notes, ...inclusions.incomplete]);
    const fullUrl = `urn:uuid:${uuidOf(outcome)}`;
    entries += `${entries === '' ? '' : ','}{"fullUrl":"${fullUrl}","resource":${outcome},"search":{"mode":"outcome"}}`;
  }
  const counted = total === undefined ? '' : `"total":${total},`;
  // STU3 has no empty arrays, so a Bundle without entries has no `entry`.
  const entry = entries === '' ? '' : `,"entry":[${entries}]`;
  return `{"resourceType":"Bundle","type":"searchset",${counted}"link":[${linksJson(parts)}]${entry}}`;
}

/**
 * Makes the UUID of an entry that has no address (STU3 Bundle, fullUrl). It is a hash of the content (RFC 9562 section 5.8), so that the
 * same search gives the same bytes on every instance.
 */
function uuidOf(content: string): string {
  const hex = hash('sha256', content);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * Writes the links: `self`, and also `first`, `previous` and `next` if there are several pages. Every link names the snapshot that was
 * read, so that no page repeats or loses a resource after an import. Only the self link of a first page names no snapshot, because it is
 * the address of the search itself.
 */
function linksJson({ base, type, request, snapshot, page }: BundleParts): string {
  const link = (relation: string, target: Page | undefined) => {
    const query = [request.criteria, target ? `_page=${encodePage(target)}` : ''].filter(Boolean).join('&');
    return `{"relation":"${relation}","url":"${base}/${type}${query === '' ? '' : `?${query}`}"}`;
  };
  const self = link('self', request.page);
  const { number = 1, after, before } = request.page ?? {};
  // A page that was searched with `before` always has a next page: the page on which the client followed the link `previous`.
  const follows = before === undefined ? page.more : true;
  const precedes = before === undefined ? after !== undefined : page.more;
  if (!request.page && !(follows && !request.totalOnly)) return self;
  const here = { snapshot, query: queryHash(type, request.hashed) };
  const links = [self, link('first', { ...here, number: 1 })];
  const [first] = page.matches;
  const last = page.matches.at(-1);
  const orderedBy = orderValue(request.order, request.clauses);
  const instantOf = (resource: StoredResource) => present({ instant: orderedBy(resource) });
  if (first && precedes) {
    const position = { before: first.position, ...instantOf(first) };
    links.push(link('previous', { ...here, ...position, number: Math.max(1, number - 1) }));
  }
  if (last && follows && number < LIMITS.pages) {
    const position = { after: last.position, ...instantOf(last) };
    links.push(link('next', { ...here, ...position, number: number + 1 }));
  }
  return links.join();
}
