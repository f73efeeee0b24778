// Owns the Bundle of a search: links and entries, written as text around resources that are never parsed.
// Does not own the search itself (the store) nor the content of `_page` (`page-link.ts`).

import type { SearchPage } from '../store/directory/snapshot.ts';
import { LIMITS } from './limits.ts';
import { outcomeJson } from './outcome.ts';
import { encodePage, type Page } from './page-link.ts';
import type { SearchRequest } from './search.ts';

export interface BundleParts {
  /** Address of the type, `{directory_url}/Practitioner`: absolute, configured, without characters that JSON escapes. */
  address: string;
  request: SearchRequest;
  snapshot: string;
  page: SearchPage;
}

/** A Bundle of type searchset as JSON text (STU3 Bundle, search 3.1.1.6). */
export function bundleJson({ address, request, snapshot, page }: BundleParts): string {
  const total = request.total ? (request.page?.total ?? page.total) : undefined;
  let entries = '';
  if (request.ignored.length > 0) entries = `{"resource":${outcomeJson(request.ignored)},"search":{"mode":"outcome"}}`;
  for (const { id, json } of page.matches) {
    if (entries !== '') entries += ',';
    entries += `{"fullUrl":"${address}/${id}","resource":${json},"search":{"mode":"match"}}`;
  }
  const counted = total === undefined ? '' : `"total":${total},`;
  const links = linksJson(address, request, snapshot, page, total);
  // STU3 knows no empty arrays: without entries there is no `entry`.
  const entry = entries === '' ? '' : `,"entry":[${entries}]`;
  return `{"resourceType":"Bundle","type":"searchset",${counted}"link":[${links}]${entry}}`;
}

/**
 * `self`, and `first` and `next` where there are more pages than one. All but the self of a first page belong to the
 * snapshot that was read, so that no page repeats or drops a resource while the directory is loaded anew.
 */
function linksJson(
  address: string,
  request: SearchRequest,
  snapshot: string,
  page: SearchPage,
  total: number | undefined,
): string {
  const link = (relation: string, target: Page | undefined) => {
    const query = [request.criteria, target ? `_page=${encodePage(target)}` : ''].filter(Boolean).join('&');
    return `{"relation":"${relation}","url":"${address}${query === '' ? '' : `?${query}`}"}`;
  };
  const number = request.page?.number ?? 1;
  const here = { snapshot, mark: request.mark, ...(total === undefined ? {} : { total }) };
  const last = page.matches.at(-1);
  const next = page.more && !request.totalOnly && last !== undefined && number < LIMITS.pages;
  let links = link('self', request.page);
  if (next || request.page) links += `,${link('first', { ...here, number: 1 })}`;
  if (next) links += `,${link('next', { ...here, after: last.position, number: number + 1 })}`;
  return links;
}
