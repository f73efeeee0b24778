// Reduces the path of a request to known words of the service's own addresses, so that the log holds no text from outside (decision 86).

import { ACCOUNT_CALLBACK, ACCOUNT_PATH, LINK_PATH } from '#config/own-client.ts';
import type { Settings } from '#config/settings.ts';
import { demoPaths } from '#demo/paths.ts';
import { REFERENCE } from '#directory/reference/router.ts';
import { PAGES } from '#openid/account/page-context.ts';
import { DISCOVERY, ROUTES, SIGN_IN_PATH } from '#openid/routes.ts';
import { PICTURE_PATH } from '#store/accounts/pictures.ts';
import { OUTBOX_PATH, SANDBOX_PATH } from '#web/site.ts';

/** Segments that are in no table of paths. A route whose word is missing here is logged as `…`; a test finds it. */
const WORDS = `
  health live ready metrics assets favicon.ico robots.txt change-password html confirm success
  login language passkey cancel code second-factor continue new-password consent same-account workspace other-account
  password-reset invitation email-verification email-change
  metadata smart-configuration _search _history $export %24export Practitioner Organization PractitionerRole SearchParameter
  sign-in sign-out steps practitioners organizations styles`;

const PATHS = [
  ...Object.values(ROUTES),
  ...DISCOVERY,
  ...Object.values(PAGES),
  ...Object.values(demoPaths),
  ...Object.values(REFERENCE),
  ...[ACCOUNT_CALLBACK, ACCOUNT_PATH, LINK_PATH, OUTBOX_PATH, PICTURE_PATH, SANDBOX_PATH, SIGN_IN_PATH],
];

const OTHER = '…';
/** Segments of a path that are logged, more than any address of the service has. */
const MOST = 10;

/**
 * Returns a function that shortens paths for the log. Every segment that is not a word of the service's own addresses becomes `…`: people's
 * ids, tokens of links, and anything that a program puts into a path by mistake, such as a secret or a name.
 */
export function pathLogger({ issuer, directory }: Pick<Settings, 'issuer' | 'directory'>): (path: string) => string {
  const bases = [issuer, directory.url].map((url) => new URL(url).pathname);
  const known = new Set([...WORDS.trim().split(/\s+/), ...[...PATHS, ...bases].flatMap((path) => path.split('/'))]);
  return (path) => {
    const segments = path.split('/', MOST + 1);
    return segments.map((segment) => (known.has(segment) ? segment : OTHER)).join('/');
  };
}
