// Which addresses programs ask, and no person: what goes wrong there is told in JSON.

import { DISCOVERY, ROUTES } from '#openid/routes.ts';

const OF_PERSONS: readonly string[] = [ROUTES.authorization, ROUTES.end_session];

/** First segments of the others: `.well-known`, `oauth`, `userinfo`. */
const FIRST_SEGMENTS: ReadonlySet<string | undefined> = new Set(
  [...DISCOVERY, ...Object.values(ROUTES)]
    .filter((route) => !OF_PERSONS.includes(route))
    .map((route) => route.split('/', 2)[1]),
);

/**
 * Whether the answers at a path, counted from the issuer, are JSON whatever `Accept` says (RFC 6749 section 5.2, RFC 7662
 * section 2.3, RFC 8414 section 3.2): the HTTP client of Java names `text/html` first unless it is told otherwise, and its libraries
 * find no error code in a page.
 */
export function isForPrograms(path: string): boolean {
  return FIRST_SEGMENTS.has(path.split('/', 2)[1]);
}
