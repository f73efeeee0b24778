// The opaque value of `_page` in a link: a snapshot, the position at which the page begins or ends, the number of the page, and the hash of
// the search. The value is not secret, and clients can change it, so it is checked like any other input.

import { parameterError } from '#directory/errors.ts';
import { LIMITS } from '#directory/limits.ts';
import { digest } from '#shared/crypto/digest.ts';

export interface Page {
  /** Id of the snapshot from which all pages of this search are read. */
  snapshot: string;
  /** The page begins after the resource with this position (`StoredResource.position`). */
  after?: number;
  /**
   * The page ends before the resource with this position. At most one of `after` and `before` is given. Without both, the page begins with
   * the first result.
   */
  before?: number;
  /**
   * Instant (milliseconds since 1970) or distance (millimetres) of the resource at `after` or `before`, if the search is ordered by instant
   * or distance. Undefined for every other order.
   */
  instant?: number;
  /** Number of the page, beginning with 1. */
  number: number;
  /** Hash of the criteria (`queryHash`), so that a page of another search is refused. */
  query: string;
}

// The number before the hash is ignored. In older links it was the total of the search, which is not read from links any more because
// anybody could change it.
const FORM =
  /^([A-Za-z0-9][A-Za-z0-9._:-]{0,99}) (?:([<>])(\d{1,15})(?:@(\d{1,15}))?)? (\d{1,15}) \d{0,15} ([A-Za-z0-9_-]{10})$/;

/** Makes a short hash of a search, from its type and from its criteria in the form of links. */
export function queryHash(type: string, criteria: string): string {
  return digest(`${type}?${criteria}`).slice(0, 10);
}

export function encodePage(page: Page): string {
  const { snapshot, instant, number, query } = page;
  const text = `${snapshot} ${edgeOf(page)}${instant === undefined ? '' : `@${instant}`} ${number}  ${query}`;
  return Buffer.from(text).toString('base64url');
}

function edgeOf({ after, before }: Page): string {
  if (after !== undefined) return `>${after}`;
  return before === undefined ? '' : `<${before}`;
}

/**
 * Throws FhirError 400 for a text that does not have the form that `encodePage` writes, and for a number of a page above `LIMITS.pages`.
 */
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
