// Explains a refusal beyond its code: the wrong parameter, the expected value and the remedy. If this file has no explanation, the sentence
// of the library stays. The explanations tell strangers no registered value, and nothing about secrets, tokens and codes of other clients.

import { randomBytes } from 'node:crypto';
import type { Client, KoaContextWithOIDC } from 'oidc-provider';
import { differenceOf, inWords } from '#openid/clients/callback-difference.ts';
import { expectedAudience, timeProblem } from '#openid/clients/client-assertion.ts';
import type { RefusalError } from '#openid/provider/authorization-response.ts';
import { SCOPES } from '#shared/scopes.ts';
import type { ErrorPage } from '#web/pages/error-page.ts';

/** The explanation of a refusal, as the error page shows it. */
export type Explanation = Fact & Pick<ErrorPage, 'error' | 'signOut'>;

/** Returns the explanation of a refusal for a page. */
export function explain(ctx: KoaContextWithOIDC, refusal: RefusalError): Explanation {
  const found = describe(ctx, refusal);
  if (!ctx.oidc?.route?.startsWith('end_session')) return found;
  const session = openSession(ctx);
  return { ...found, signOut: session ? { session } : {} };
}

/** The explanation of one fault. */
type Fact = Pick<ErrorPage, 'description' | 'parameter' | 'difference' | 'unknownClient'>;

/** Returns the explanation of a refusal for a client; undefined if the library's sentence is good enough. */
export function reasonOf(ctx: KoaContextWithOIDC, refusal: RefusalError): string | undefined {
  const { error, error_detail: detail = '' } = refusal;
  if (error !== 'invalid_dpop_proof' && /\b(jkt|DPoP proof)\b/.test(detail)) return keyReason(ctx, detail);
  if (error === 'invalid_grant') return grantReason(ctx, detail);
  const authentication = error === 'invalid_client' && ctx.oidc?.client ? authenticationReason(ctx, detail) : undefined;
  return authentication ?? describe(ctx, refusal).description;
}

function describe(ctx: KoaContextWithOIDC, refusal: RefusalError): Explanation {
  const { error, error_description: sentence = '' } = refusal;
  // The library's sentence for a `server_error` explains nothing, so it is left out.
  if (error === 'server_error') return { error };
  const fact = factOf(ctx, refusal);
  if (fact) return { error, ...fact };
  const description = SENTENCES.get(sentence) ?? sentence;
  const parameter = parameterIn(description);
  return { error, ...(description && { description }), ...(parameter && { parameter }) };
}

/** Sentences of the library that name no remedy, each with the one that is sent in its place. */
const SENTENCES: ReadonlyMap<string, string> = new Map([
  // The sentence is the same for an unknown client and for a wrong secret or key, so that strangers cannot find out which clients exist. It
  // is also true if the keys of a client cannot be read from its `jwksUrl`.
  ['client authentication failed', 'this client_id is not known here, or not with this secret or key'],
  ['invalid token provided', 'the access token is unknown, expired or revoked, or is none, such as an ID token'],
  ['no access token provided', 'send the access token in the header Authorization: Bearer TOKEN'],
  [
    'invalid authorization header value format',
    'the header Authorization has to be Basic and the credentials of the client, or Bearer (DPoP) and the access token',
  ],
  ['not supported value of code_challenge_method', 'code_challenge_method has to be S256'],
  ['code_challenge_method must be provided', 'code_challenge_method is missing: it has to be S256'],
  ['no client authentication mechanism provided', 'send client_id, and its secret or client_assertion if it has one'],
  ['DPoP proof htm mismatch', 'the htm of the DPoP proof has to be the method of the request'],
  ['DPoP proof htu mismatch', 'the htu of the DPoP proof has to be the address of this endpoint, as discovery has it'],
  ['invalid DPoP key binding', 'the DPoP proof needs typ dpop+jwt, the public key as jwk, and a signature by that key'],
  ['unsupported prompt value requested', 'prompt has to be none, login, consent or select_account'],
  ['unsupported response_mode requested', 'response_mode has to be one that discovery names'],
  ['invalid max_age parameter value', 'max_age has to be a whole number of seconds'],
  ['refresh token missing requested scope', 'the refresh token lacks a scope: let the person sign in with it'],
  ['refresh token missing requested scopes', 'the refresh token lacks scopes: let the person sign in with them'],
  ['unsupported grant_type requested', 'grant_type has to be authorization_code, refresh_token or client_credentials'],
]);

/** Explains an error by its code, the values that were sent, and the client's registration. */
function factOf(ctx: KoaContextWithOIDC, refusal: RefusalError): Fact | undefined {
  const { client, route } = ctx.oidc ?? {};
  switch (refusal.error) {
    case 'invalid_redirect_uri':
      return client && addressFact(ctx, 'redirect_uri', client.redirectUris);
    case 'invalid_request':
      return client && requestFact(ctx, client);
    case 'invalid_client':
      return client || !route || !INTERACTIVE.has(route)
        ? undefined
        : { parameter: 'client_id', description: UNKNOWN_CLIENT, unknownClient: true };
    case 'invalid_scope':
      return scopeFact(ctx);
    case 'unauthorized_client':
      return grantFact(ctx);
    case 'unsupported_response_type':
      return {
        parameter: 'response_type',
        description: 'unsupported response_type: send response_type=code, the only one here',
      };
    case 'request_uri_not_supported':
      return {
        parameter: 'request_uri',
        description: 'request_uri has to be one that the endpoint of pushed requests gave, and is never pushed itself',
      };
    case 'invalid_request_uri':
      return {
        parameter: 'request_uri',
        description:
          'the request_uri is unknown, expired or was used before: push the request again and open it at once',
      };
    case 'invalid_token':
      return unboundFact(refusal);
    case 'invalid_request_object':
      return { parameter: 'request', description: requestObjectReason(ctx, refusal) };
    default:
      return undefined;
  }
}

const INTERACTIVE: ReadonlySet<string> = new Set(['authorization', 'end_session']);

const UNKNOWN_CLIENT = 'no application with this client_id is registered at this service: compare it letter by letter';

function requestFact(ctx: KoaContextWithOIDC, client: Client): Fact | undefined {
  const isSignOut = ctx.oidc.route.startsWith('end_session');
  const address = sentIn(ctx, isSignOut ? 'post_logout_redirect_uri' : 'redirect_uri');
  if (isSignOut) {
    return address === undefined || client.postLogoutRedirectUriAllowed(address)
      ? undefined
      : addressFact(ctx, 'post_logout_redirect_uri', client.postLogoutRedirectUris);
  }
  // For a pushed request, the library reports an unregistered callback as `invalid_request`, so the callback is compared here.
  if (address !== undefined && !client.redirectUriAllowed(address)) {
    return addressFact(ctx, 'redirect_uri', client.redirectUris);
  }
  // The library removes a request object from the parameters after it has read the object. So `sentIn` also looks at the body and the query
  // as they were sent.
  const signed = sentIn(ctx, 'request') ?? sentIn(ctx, 'request_uri');
  if (!client['requireSignedRequestObject'] || signed !== undefined) return undefined;
  const description = 'this client has to send its authorization requests as request objects that it signs (RFC 9101)';
  return { parameter: 'request', description };
}

function addressFact(ctx: KoaContextWithOIDC, parameter: string, registered: readonly string[] = []): Fact {
  const loopbackPorts = ctx.oidc.client?.applicationType === 'native';
  const difference = differenceOf(sentIn(ctx, parameter) ?? '', registered, loopbackPorts);
  return { parameter, difference, description: inWords(parameter, difference) };
}

function scopeFact({ oidc }: KoaContextWithOIDC): Fact | undefined {
  const registered = oidc.client?.scope?.split(' ') ?? [];
  const requested = String(oidc.params?.['scope'] ?? '').split(' ');
  const lacking = SCOPES.filter((scope) => requested.includes(scope) && !registered.includes(scope));
  if (lacking.length === 0) return undefined;
  const remedy = "the operator of this service can add it to the client's scopes";
  return { parameter: 'scope', description: `this client may not ask for ${lacking.join(' ')}: ${remedy}` };
}

/** For each grant, what is said of a client that may not use it. */
const LACKING: Readonly<Record<string, string>> = {
  authorization_code: 'signs nobody in: it is registered without a callback',
  client_credentials: 'gets no tokens for itself: the operator of this service can allow it (serviceAccount)',
  refresh_token: "gets no refresh tokens: the operator of this service can add offline_access to the client's scopes",
};

function grantFact({ oidc }: KoaContextWithOIDC): Fact | undefined {
  const lacking = LACKING[String(oidc?.params?.['grant_type'])];
  return lacking === undefined ? undefined : { parameter: 'grant_type', description: `this client ${lacking}` };
}

/** Explains the refusal of an access token because it is bound to no key (RFC 9449 section 7.1). Such a token is known and has not expired. */
function unboundFact({ error_detail: detail = '' }: RefusalError): Fact | undefined {
  const unbound = 'the access token is bound to no key';
  if (/\bsender-constrained\b/.test(detail))
    return { description: `${unbound}: send it as Bearer, without a DPoP proof` };
  return detail === unbound
    ? { description: `${unbound}: this client has to use DPoP now, so get a new token with a proof` }
    : undefined;
}

/**
 * Pairs of a word and a reason for the refusal of a request object. The reason applies if the library's sentence about the fault contains
 * the word.
 */
const REQUEST_OBJECT: readonly (readonly [word: RegExp, reason: string])[] = [
  [/\balg\b/, 'the request object has to be signed, by an algorithm that discovery names'],
  [/\bparse\b/, 'request has to be one signed JWT'],
  [/\bvalidate\b/, 'the signature of the request object is of no key that is registered for this client'],
  [/\baudience\b/, 'aud of the request object has to be, or to hold, the issuer ISSUER'],
  [/\bissuer\b/, 'iss of the request object has to be the client_id'],
  [/\bexpired\b/, 'the request object is expired'],
  [/\bactive\b|\bissued in\b/, 'the request object is of a time to come: set the clock of the client'],
  [/\bclient_id\b/, 'client_id is not that of the request that was pushed or signed'],
  [/\binvalid \w+ value\b/, 'a time or name in the request object has another type than RFC 7519 gives it'],
];

function requestObjectReason({ oidc }: KoaContextWithOIDC, refusal: RefusalError): string {
  const { error_description: description = '', error_detail: detail = '' } = refusal;
  const [, reason] = REQUEST_OBJECT.find(([word]) => word.test(`${description} ${detail}`)) ?? [];
  return reason?.replace('ISSUER', () => oidc.issuer) ?? description;
}

const CODE =
  'the code is mistyped, expired, used before, of another client or of a sign-in that has ended: exchange it once, as soon as it arrives';
const REFRESH_TOKEN =
  'the refresh token is mistyped, expired, revoked or of another client; a second use of one revokes all that came of it';
const CODE_VERIFIER =
  'send the code_verifier that belongs to the code_challenge of the authorization request, which has code_challenge_method=S256';

// The explanation for an unknown code or token is the same as for a code or token of another client, so that strangers cannot find out
// which codes and tokens exist.
function grantReason(ctx: KoaContextWithOIDC, detail: string): string {
  const parameter = parameterIn(detail);
  if (parameter === 'redirect_uri') return callbackReason(ctx);
  if (parameter?.startsWith('code_')) return CODE_VERIFIER;
  return ctx.oidc.params?.['code'] === undefined ? REFRESH_TOKEN : CODE;
}

function callbackReason(ctx: KoaContextWithOIDC): string {
  const { redirectUris: registered = [] } = ctx.oidc.client ?? {};
  if (registered.includes(sentIn(ctx, 'redirect_uri') ?? '')) {
    return 'redirect_uri is registered, but is not that of the authorization request';
  }
  return String(addressFact(ctx, 'redirect_uri', registered).description);
}

// Explains a missing DPoP proof, or a DPoP proof with the wrong key (RFC 9449 sections 5, 7.1 and 10).
function keyReason(ctx: KoaContextWithOIDC, detail: string): string {
  if (/\bReplay\b/.test(detail)) return 'the DPoP proof was used before: make a proof for each request';
  return ctx.get('DPoP')
    ? 'the key of the DPoP proof is not the one that the code or token is bound to'
    : 'a DPoP proof is missing: this client, code or token is bound to a key';
}

/**
 * How a client must authenticate, by its registered method. The sentence is sent if the client used another method, and does not tell
 * whether a secret was right.
 */
const AUTHENTICATION: Readonly<Record<string, string>> = {
  none: 'this client has no secret: send client_id alone',
  client_secret_basic: 'this client authenticates with its secret (client_secret_basic or client_secret_post)',
  private_key_jwt: 'this client authenticates with private_key_jwt (client_assertion)',
};

function authenticationReason(ctx: KoaContextWithOIDC, detail: string): string | undefined {
  const method = ctx.oidc.client?.clientAuthMethod;
  const sent = sentMethod(ctx);
  if (method && method !== sent) return AUTHENTICATION[method];
  return sent === 'private_key_jwt' ? assertionReason(ctx, detail) : undefined;
}

// Returns the method by which the request authenticates the client. A secret in the body counts as `client_secret_basic`, because either way
// is accepted.
function sentMethod(ctx: KoaContextWithOIDC): string {
  const { params } = ctx.oidc;
  if (params?.['client_assertion'] !== undefined) return 'private_key_jwt';
  const hasSecret = params?.['client_secret'] !== undefined || ctx.get('authorization') !== '';
  return hasSecret ? 'client_secret_basic' : 'none';
}

// Explains a refused client assertion. None of the explanations depends on the client's registered keys, so strangers learn nothing about
// the keys.
function assertionReason(ctx: KoaContextWithOIDC, detail: string): string | undefined {
  // The library has three different sentences for a wrong `aud`. Ours replaces all of them.
  if (/\baud\b/.test(detail)) return expectedAudience(ctx);
  if (/^alg\b/.test(detail)) {
    return 'the client_assertion is signed by an algorithm that is not taken here: discovery names those that are';
  }
  if (/\bused once\b/.test(detail)) return 'this client_assertion was used before: sign one for each request';
  return /\bclient_assertion\b|^iss \(/.test(detail) ? detail : timeProblem(sentIn(ctx, 'client_assertion') ?? '');
}

function sentIn(ctx: KoaContextWithOIDC, name: string): string | undefined {
  const value = ctx.oidc?.params?.[name] ?? ctx.oidc?.body?.[name] ?? ctx.query[name];
  return typeof value === 'string' ? value : undefined;
}

const PARAMETERS =
  'client_id redirect_uri response_type response_mode scope state nonce version prompt max_age claims code_challenge_method ' +
  'code_challenge code_verifier id_token_hint login_hint acr_values display ui_locales request_uri request post_logout_redirect_uri dpop_jkt';
// The library's sentences name the parameter, for example "missing required parameter(s) (code_challenge)" or "'scope' ...".
const NAMED = new RegExp(`\\b(${PARAMETERS.replaceAll(' ', '|')})\\b`);

function parameterIn(description: string): string | undefined {
  // Words like "authorization request" mean the whole request and not the parameter `request`, so such words are removed before the search.
  const bare = description.replace(
    /\brequested\b|\brequest (is|has|objects?|endpoint)\b|\bauthorization request\b/g,
    '',
  );
  const [, name] = NAMED.exec(bare) ?? [];
  return name;
}

/**
 * Returns the address and a new token (SEC-32) for a form that signs out of the session that is still open; undefined if nobody is signed
 * in. The form contains nothing of the refused request, so after this sign-out the browser does not return to an application.
 */
function openSession(ctx: KoaContextWithOIDC): { action: string; xsrf: string } | undefined {
  const { session } = ctx.oidc;
  if (!session?.accountId) return undefined;
  const secret = randomBytes(24).toString('hex');
  // The library saves the session, and with it this token, after the response is made. It does the same for its own question before a
  // sign-out.
  (session as unknown as { state: object }).state = { secret };
  return { action: ctx.oidc.urlFor('end_session_confirm'), xsrf: secret };
}
