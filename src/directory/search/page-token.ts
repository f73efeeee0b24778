// The opaque `_page` of a link: snapshot, position, and hash of the search. It is neither secret nor trusted, and is checked like any
// input.

import { parameterError } from '#directory/errors.ts';
import { LIMITS } from '#directory/limits.ts';
import { digest } from '#shared/crypto/digest.ts';

export interface Page {
  /** Snapshot that the pages of this search belong to. */
  snapshot: string;
  /** Position after which the page begins; undefined for the first page. */
  after?: number;
  /** Position before which the page ends, instead of `after`. */
  before?: number;
  /** Instant in milliseconds since 1970 or distance in millimetres of the resource at `after` or `before`, if the order is by these. */
  instant?: number;
  /** 1 for the first page. */
  number: number;
  /** Hash of the criteria, so that a page is not mixed up with another search (`queryHash`). */
  query: string;
}

// The number before the hash is ignored. Older links had a total there, which anybody could change.
const FORM =
  /^([A-Za-z0-9][A-Za-z0-9._:-]{0,99}) (?:([<>])(\d{1,15})(?:@(\d{1,15}))?)? (\d{1,15}) \d{0,15} ([A-Za-z0-9_-]{10})$/;

/** Short hash of a search, from its type and its criteria as they stand in links. */
export function queryHash(type: string, criteria: string): string {
  return digest(`${type}?${criteria}`).slice(0, 10);
}

export function encodePage(page: Page): string {
  const { snapshot, after, before, instant, number, query } = page;
  const edge = after === undefined ? (before === undefined ? '' : `<${before}`) : `>${after}`;
  const text = `${snapshot} ${edge}${instant === undefined ? '' : `@${instant}`} ${number}  ${query}`;
  return Buffer.from(text).toString('base64url');
}

/** @throws FhirError 400 for anything that `encodePage` did not make, and for a page beyond the limit */
export function decodePage(text: string): Page {
  const parts = FORM.exec(Buffer.from(text, 'base64url').toString('latin1'));
  if (!parts)
    throw parameterError('_page', 'is not one of this directory: take it from the links of a Bundle, unchanged.');
  const [, snapshot = '', side, position, instant, pageNumber, query = ''] = parts;
  const number = Number(pageNumber);
  if (number > LIMITS.pages)
    throw parameterError(
      '_page',
      `goes beyond page ${LIMITS.pages}: take larger pages or narrow the search.`,
      'too-costly',
    );
  return {
    snapshot,
    ...(side && { [side === '>' ? 'after' : 'before']: Number(position) }),
    ...(instant && { instant: Number(instant) }),
    number,
    query,
  };
}
