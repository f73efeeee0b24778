// Owns what the short ways have in common: answers that are asked for all day, given without the library. They know no refusal,
// and no answer that it would not give: whatever is odd in the least goes its way.
// Does not own what is asked (`short-introspection.ts`, `short-userinfo.ts`) nor whether a token holds (`introspection.ts`).

import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { TokenContext } from '../../store/oidc/token-lookup.ts';

/** Headers by which a request means more than these ways know of. */
const MEANING_MORE = [
  'content-encoding',
  'dpop',
  'expect',
  'oauth-client-attestation',
  'oauth-client-attestation-pop',
  'origin',
];

/** Whether nothing is asked for beside the usual. */
export function areUsual(headers: IncomingHttpHeaders): boolean {
  return MEANING_MORE.every((name) => headers[name] === undefined);
}

/** What the payload of a token consists of. Any other member, as of a token bound to a key, may change an answer. */
const USUAL = new Set([
  'accountId',
  'claims',
  'clientId',
  'exp',
  'expiresWithSession',
  'grantId',
  'gty',
  'iat',
  'kind',
  'scope',
  'sessionUid',
]);

/** Whether it is an access token of a person, as nearly all are. */
export function isUsualToken({ model, token }: TokenContext): boolean {
  return model === 'AccessToken' && Object.keys(token).every((name) => USUAL.has(name));
}

/** What the library sets; with an Origin, some of it would be another. */
const HEADERS = {
  vary: 'Origin',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'WWW-Authenticate',
  'cache-control': 'no-store',
  'content-type': 'application/json; charset=utf-8',
};

/** Sends an answer as the library does. */
export function sendShortly(res: ServerResponse, content: object): void {
  const text = JSON.stringify(content);
  res.writeHead(200, { ...HEADERS, 'content-length': Buffer.byteLength(text) });
  res.end(text);
}
