// Owns what is said in place of those sentences of the library that do not say what would be right, and which parameter each
// is about. Does not own sentences that say enough, refused grants (`grant-reasons.ts`), nor where anything is said.

import type { KoaContextWithOIDC } from 'oidc-provider';
import { SCOPES } from '../../shared/scopes.ts';
import { ROUTES } from '../routes.ts';

/** A refusal in the library's words. */
export interface Said {
  error_description?: string | undefined;
  error_detail?: string;
  /** Scopes that were asked for in vain. */
  scope?: string | undefined;
}

export interface PlainWords {
  description: string;
  parameter?: string;
}

/** The library's sentence for a token that is sent as bound to a key, without the proof of it. */
export const WITHOUT_PROOF = '`DPoP` header not provided';

type Text = string | ((ctx: KoaContextWithOIDC, said: Said) => string);

const SHOWS_NO_PAGE = 'and prompt=none shows no page: send the request again without it';
const PUSH_AGAIN = 'push the request again, and open it within a minute: a request_uri is good once';
const OTHER_CLIENT = 'the request_uri is of another client: send it with the client_id of the client that pushed it';
const PROOF_USED = 'the DPoP proof was used before: make a proof for each request';
const ALL_OPAQUE = 'of this service access and refresh tokens are opaque, this one is a JWT';

/** By parameter; '' where no parameter is at fault. */
const SENTENCES: Record<string, Record<string, Text>> = {
  response_type: {
    'unsupported response_type requested': 'unsupported response_type: send response_type=code, the only one here',
  },
  response_mode: {
    'unsupported response_mode requested':
      'unsupported response_mode: servers may use query or form_post, pages in the browser query or fragment, native applications query',
  },
  prompt: {
    'unsupported prompt value requested':
      'unsupported prompt: send none, login, consent, or login and consent together',
    'End-User authentication is required': `nobody is signed in, ${SHOWS_NO_PAGE}`,
    'End-User authentication could not be obtained': `the sign-in is older than max_age allows, ${SHOWS_NO_PAGE}`,
    'requested scopes not granted': `the person has not agreed to every scope of the request, ${SHOWS_NO_PAGE}`,
    'requested claims not granted': `the person has not agreed to every claim of the request, ${SHOWS_NO_PAGE}`,
    'requested subject could not be obtained': `another person is signed in than the request names, ${SHOWS_NO_PAGE}`,
    'native clients require End-User interaction': `people are asked at each sign-in of a native client, ${SHOWS_NO_PAGE}`,
  },
  max_age: {
    'invalid max_age parameter value': 'max_age must be a whole number of seconds, 0 or more',
  },
  scope: {
    // Our own sentence (`policy.ts`), also where the library has left out all that was sent.
    'missing required parameter scope: name the permissions you need': (ctx, { error_description: said = '' }) =>
      (ctx.query['scope'] ?? ctx.oidc.body?.['scope'])
        ? `no scope is left of those that were sent: this service knows ${SCOPES.join(' ')}; offline_access counts with prompt=consent, if it is registered for the client`
        : said,
    'scope contains invalid characters': 'scope must be names of scopes with one space between them',
    'refresh token missing requested scope': beyondRefreshToken,
    'refresh token missing requested scopes': beyondRefreshToken,
    'access token missing openid scope':
      'the access token lacks the scope openid, which userinfo needs: request it in the authorization',
  },
  claims: {
    'could not parse the claims parameter JSON':
      'claims must be a JSON object with the members id_token or userinfo, or both',
  },
  code_challenge: {
    'Authorization Server policy requires PKCE to be used for this request':
      'code_challenge is missing: this client has to use PKCE, with code_challenge_method=S256',
  },
  code_challenge_method: {
    'not supported value of code_challenge_method': 'unsupported code_challenge_method: send S256, the only one here',
    'code_challenge_method must be provided': 'code_challenge_method is missing: send S256',
  },
  id_token_hint: {
    'could not decode id_token_hint': 'id_token_hint is no JWT: send the ID token as it was received',
    'could not validate id_token_hint':
      'id_token_hint cannot be verified: it is no ID token of this service, or the key that signed it is no longer kept',
    'unrecognized id_token_hint audience':
      'id_token_hint was issued to a client that is not registered at this service',
  },
  request_uri: {
    'Pushed Authorization Request must be used': ({ oidc }) =>
      `this client has to push its requests (par: required): post the parameters to ${oidc.issuer}${ROUTES.pushed_authorization_request}, and send the request_uri of the answer`,
    'invalid request_uri': 'the request_uri is malformed: send it as it was received when the request was pushed',
    'request_uri is invalid, expired, or was already used': `the request_uri is not known, too old, or was used before: ${PUSH_AGAIN}`,
    'request_uri was used already': `the request_uri was used before: ${PUSH_AGAIN}`,
    'Request Object claims are invalid': `the request_uri is too old: ${PUSH_AGAIN}`,
    // The library keeps what was pushed as a request object.
    'request client_id must equal the one in request parameters': OTHER_CLIENT,
    'request client_id mismatch': OTHER_CLIENT,
  },
  dpop_jkt: {
    'DPoP proof key thumbprint does not match dpop_jkt':
      'dpop_jkt is not the thumbprint of the key of the DPoP proof: send that of the same key, or leave dpop_jkt out',
  },
  grant_type: {
    'unsupported grant_type requested':
      'unsupported grant_type: send authorization_code, refresh_token or client_credentials',
  },
  client_id: {
    'no client authentication mechanism provided':
      'client_id is missing: send it in the form, or with the secret as Authorization: Basic',
    'client_id mismatch':
      'client_id is another one in the form than in the Authorization header or the client_assertion',
  },
  client_assertion: {
    'invalid client_assertion format': 'client_assertion is no JWT',
  },
  token: {
    'Structured JWT Tokens cannot be introspected via the introspection_endpoint': `${ALL_OPAQUE}: an ID token is verified with the keys of jwks_uri`,
    'Structured JWT Tokens cannot be revoked via the revocation_endpoint': `${ALL_OPAQUE}: an ID token cannot be revoked`,
  },
  '': {
    'client authentication must only be provided using one mechanism':
      'the client proves itself in several ways: send one of Authorization: Basic, client_secret and client_assertion',
    'client_id and client_secret in the authorization header are not properly encoded':
      'the Authorization header does not hold client_id and client_secret, each form-urlencoded, joined by a colon, in Base64',
    'client_secret must be provided in the Authorization header':
      'the Authorization header holds no client_secret: send Authorization: Basic with client_id:client_secret in Base64',
    'invalid authorization header value format': ({ oidc }) =>
      oidc.route === 'userinfo'
        ? 'the Authorization header must be one of the words Bearer or DPoP, a space, and the access token'
        : 'the Authorization header must be the word Basic, a space, and client_id:client_secret in Base64',
    'authorization header scheme must be `Bearer`': 'send Authorization: Bearer, and the access token',
    'authorization header scheme must be `DPoP` when DPoP is used':
      'there is a DPoP proof beside Authorization: Bearer: send Authorization: DPoP with a token that is bound to a key, else no proof',
    'no access token provided':
      'send Authorization: Bearer, and the access token: in an address or a form it is not read',
    'failed to parse the request body':
      'the form cannot be read: send it as application/x-www-form-urlencoded, of 56 KiB at most',
    [WITHOUT_PROOF]:
      'the DPoP proof is missing: send it in the header DPoP, or a token that is bound to no key as Authorization: Bearer',
    'DPoP proof JWT Replay detected': PROOF_USED,
    'DPoP proof htm mismatch': ({ method }) => `the htm of the DPoP proof must be ${method}`,
    'DPoP proof htu mismatch': ({ oidc }) => `the htu of the DPoP proof must be ${oidc.urlFor(oidc.route)}`,
    'DPoP proof ath mismatch': 'the ath of the DPoP proof must be the SHA-256 of the access token, in Base64url',
    'DPoP nonces are not supported': 'the DPoP proof has a nonce, of which this service gives none: leave it out',
    // Of what was presented, and of nothing else.
    'invalid DPoP key binding': (_ctx, { error_detail: detail }) =>
      `the DPoP proof does not hold${detail ? `: ${detail}` : ''}`,
  },
};

const PLAIN = new Map(
  Object.entries(SENTENCES).flatMap(([parameter, texts]) =>
    Object.entries(texts).map(([sentence, text]) => [sentence, { parameter, text }] as const),
  ),
);

/** Plain words for a refusal whose own do not say what would be right; undefined where they do. */
export function inPlainWords(ctx: KoaContextWithOIDC, said: Said): PlainWords | undefined {
  const found = PLAIN.get(said.error_description ?? '');
  if (!found) return undefined;
  const { parameter, text } = found;
  const description = typeof text === 'string' ? text : text(ctx, said);
  return { description, ...(parameter && { parameter }) };
}

function beyondRefreshToken(_ctx: KoaContextWithOIDC, { scope }: Said): string {
  return `the refresh token was given without ${scope}: leave scope out, or ask for less than it was given with`;
}
