// What a refusal explains beyond its code: the parameter that is wrong, what was expected and what can be done. All other
// sentences are the library's. A stranger learns nothing that helps: no registered value, nothing of secrets, tokens and other
// clients' codes.

import type { KoaContextWithOIDC } from 'oidc-provider';
import { type CallbackDifference, differenceOf, inWords } from '#openid/clients/callback-check.ts';
import { ASSERTION_AUDIENCE } from '#openid/clients/client-registry.ts';
import { isFapi2 } from '#openid/clients/fapi2.ts';
import { type OpenSession, openSession } from '#openid/logout/open-session.ts';
import type { RefusalError } from '#openid/provider/responses/authorization-response.ts';
import { SCOPES } from '#shared/scopes.ts';

export interface Explanation {
  error: string;
  /** English, for integrators. */
  description?: string;
  /** Name of the parameter that is wrong. */
  parameter?: string;
  /** Of an address, from those registered. */
  difference?: CallbackDifference;
  /** No client has this client_id: pages explain it in their own language. */
  unknownClient?: boolean;
  /** Of a sign-out: the session that is still open, if one is. */
  signOut?: { session?: OpenSession };
}

/** What the page of a refusal shows. */
export function explain(ctx: KoaContextWithOIDC, refusal: RefusalError): Explanation {
  const found = describe(ctx, refusal);
  if (!ctx.oidc?.route?.startsWith('end_session')) return found;
  const session = openSession(ctx);
  return { ...found, signOut: session ? { session } : {} };
}

const PUSH_AGAIN = 'the request_uri is unknown, expired or was used before: push the request again and open it at once';

/** By the library's sentence; the parameter is that which is wrong. */
const REQUESTS: Readonly<Record<string, { parameter: string; description: string }>> = {
  'Authorization Server policy requires PKCE to be used for this request': {
    parameter: 'code_challenge',
    description: 'code_challenge is missing: this client has to use PKCE, with code_challenge_method=S256',
  },
  'unsupported response_type requested': {
    parameter: 'response_type',
    description: 'unsupported response_type: send response_type=code, the only one here',
  },
  'request_uri is invalid, expired, or was already used': { parameter: 'request_uri', description: PUSH_AGAIN },
  'unsupported signed request alg': {
    parameter: 'request',
    description: 'the request object has to be signed, by an algorithm that discovery names',
  },
  'could not parse Request Object': { parameter: 'request', description: 'request has to be one signed JWT' },
  'could not validate Request Object': {
    parameter: 'request',
    description: 'the signature of the request object is of no key that is registered for this client',
  },
  'Request Object must be used by this client': {
    parameter: 'request',
    description: 'this client has to send its authorization requests as request objects that it signs (RFC 9101)',
  },
};

/** `invalid_request_object`, by the library's detail about the claims that the client has sent. */
const REQUEST_CLAIMS: readonly (readonly [detail: RegExp, reason: string])[] = [
  [/^jwt audience/, 'aud of the request object has to be, or to hold, the issuer ISSUER'],
  [/^jwt issuer/, 'iss of the request object has to be the client_id'],
  [/^jwt expired/, 'the request object is expired'],
  [/^jwt (not active|issued in)/, 'the request object is of a time to come: set the clock of the client'],
  [/^invalid (\w+) value/, 'a time or name in the request object has another type than RFC 7519 gives it'],
];

const CODE = 'the code is mistyped, expired, used before or of another client: exchange it once, as soon as it arrives';
const REFRESH_TOKEN =
  'the refresh token is mistyped, expired, revoked or of another client; a second use of one revokes all that came of it';

const CODE_VERIFIER =
  'send the code_verifier that belongs to the code_challenge of the authorization request, which has code_challenge_method=S256';

/** `invalid_grant`, by the library's detail: its sentence is the same for all. */
const GRANTS: Readonly<Record<string, string>> = {
  'authorization code not found': CODE,
  'authorization code is expired': CODE,
  'authorization code already consumed': CODE,
  'refresh token not found': REFRESH_TOKEN,
  'refresh token is expired': REFRESH_TOKEN,
  'refresh token already used': REFRESH_TOKEN,
  'code_verifier does not match code_challenge': CODE_VERIFIER,
  'code_verifier must be provided': CODE_VERIFIER,
  'unsupported code_challenge_method': CODE_VERIFIER,
};

/** `invalid_client` for the wrong kind of authentication, by the client's own. The secret sent is not judged. */
const AUTHENTICATION: Readonly<Record<string, string>> = {
  none: 'this client has no secret: send client_id alone',
  client_secret_basic: 'this client authenticates with its secret (client_secret_basic or client_secret_post)',
  private_key_jwt: 'this client authenticates with private_key_jwt (client_assertion)',
};

/** `invalid_client` for a client assertion, by our own details and the library's. None depends on a key or a secret. */
const ASSERTIONS: readonly (readonly [detail: RegExp, reason: string])[] = [
  [/\baud\b/, 'AUDIENCE'],
  [
    /^alg mismatch/,
    'the client_assertion is signed by an algorithm that is not taken here: discovery names those that are',
  ],
  [/^the (client_assertion|iat of the client_assertion)\b/, 'DETAIL'],
  [/^(expiration|unique jti|iss|sub) .*\b(must be|JWT)\b/, 'DETAIL'],
  [
    /^client assertion tokens must only be used once/,
    'this client_assertion was used before: sign one for each request',
  ],
];

function assertionReason(ctx: KoaContextWithOIDC, detail: string): string | undefined {
  if (ctx.oidc?.params?.['client_assertion'] === undefined) return undefined;
  const [, reason] = ASSERTIONS.find(([pattern]) => pattern.test(detail)) ?? [];
  return reason?.replace('AUDIENCE', () => audienceReason(ctx)).replace('DETAIL', () => detail);
}

function audienceReason({ oidc }: KoaContextWithOIDC): string {
  const { client, issuer } = oidc;
  const words = `the aud of the client_assertion has to be the issuer, ${issuer},`;
  if (client?.[ASSERTION_AUDIENCE])
    return `${words} or ${oidc.urlFor('token')}, as one string: no other address, no list`;
  const setting = '; assertionAudience: token-endpoint of its entry in clients.yaml permits that endpoint too';
  return `${words} as one string: no endpoint, no list${isFapi2(client) ? '' : setting}`;
}

/** The explanation that a client receives; undefined where the library's sentence stays. */
export function reasonOf(ctx: KoaContextWithOIDC, refusal: RefusalError): string | undefined {
  const { error, error_detail: detail = '' } = refusal;
  const key = keyReason(ctx, detail);
  if (key) return key;
  if (error === 'invalid_client' && detail.startsWith('the provided authentication mechanism')) {
    return AUTHENTICATION[ctx.oidc.client?.clientAuthMethod ?? ''];
  }
  if (error === 'invalid_client') {
    const ofAssertion = assertionReason(ctx, detail);
    if (ofAssertion) return ofAssertion;
  }
  if (refusal.error_description === 'Request Object claims are invalid') {
    const [, reason] = REQUEST_CLAIMS.find(([pattern]) => pattern.test(detail)) ?? [];
    return reason?.replace('ISSUER', () => ctx.oidc.issuer);
  }
  if (error !== 'invalid_grant') return describe(ctx, refusal).description;
  if (detail === 'authorization code redirect_uri mismatch') return callbackReason(ctx);
  // The same sentence whether it is nobody's or another client's: who tries codes does not learn which of them there are.
  if (detail === 'client mismatch') return ctx.oidc.params?.['code'] === undefined ? REFRESH_TOKEN : CODE;
  return GRANTS[detail];
}

const BOUND: ReadonlySet<string> = new Set([
  'failed jkt verification',
  'DPoP proof JWT not provided',
  'missing DPoP proof JWT',
  'DPoP proof key thumbprint does not match dpop_jkt',
]);

// RFC 9449 sections 5, 7.1 and 10.
function keyReason(ctx: KoaContextWithOIDC, detail: string): string | undefined {
  if (!BOUND.has(detail)) return undefined;
  return ctx.get('DPoP')
    ? 'the key of the DPoP proof is not the one that the code or token is bound to'
    : 'a DPoP proof is missing: this client, code or token is bound to a key';
}

function callbackReason({ oidc }: KoaContextWithOIDC): string {
  const sent = String(oidc.params?.['redirect_uri']);
  const { redirectUris: registered = [], applicationType } = oidc.client ?? {};
  if (registered.includes(sent)) return 'redirect_uri is registered, but is not that of the authorization request';
  return inWords('redirect_uri', differenceOf(sent, registered, { loopbackPorts: applicationType === 'native' }));
}

function describe(ctx: KoaContextWithOIDC, refusal: RefusalError): Explanation {
  const { error, error_description: description } = refusal;
  // The library's sentence for it explains nothing.
  if (error === 'server_error') return { error };
  const client = ctx.oidc?.client;
  const address = (parameter: string, registered: readonly string[] = []): Explanation => {
    const loopbackPorts = client?.applicationType === 'native';
    const difference = differenceOf(sentIn(ctx, parameter) ?? '', registered, { loopbackPorts });
    return { error, parameter, difference, description: inWords(parameter, difference) };
  };
  // A pushed request has the same error under another code.
  const callback = error === 'invalid_redirect_uri' || description?.startsWith('redirect_uri did not match any');
  if (callback && client) return address('redirect_uri', client.redirectUris);
  if (description === 'post_logout_redirect_uri not registered' && client) {
    return address('post_logout_redirect_uri', client.postLogoutRedirectUris);
  }
  if (error === 'invalid_client' && description === 'client is invalid') {
    const advice = 'no application with this client_id is registered at this service: compare it letter by letter';
    return { error, parameter: 'client_id', description: advice, unknownClient: true };
  }
  if (error === 'invalid_scope' && description === 'requested scope is not allowed') {
    return { error, parameter: 'scope', description: lackingScopes(ctx) };
  }
  const request = REQUESTS[description ?? ''];
  if (request) return { error, ...request };
  const parameter = description === undefined ? undefined : parameterIn(description);
  return { error, ...(description !== undefined && { description }), ...(parameter && { parameter }) };
}

function lackingScopes({ oidc }: KoaContextWithOIDC): string {
  const registered = oidc.client?.scope?.split(' ') ?? [];
  const requested = String(oidc.params?.['scope'] ?? '').split(' ');
  const lacking = SCOPES.filter((scope) => requested.includes(scope) && !registered.includes(scope));
  return `this client may not ask for ${lacking.join(' ')}: the operator of this service can add it to the client's scopes`;
}

function sentIn(ctx: KoaContextWithOIDC, name: string): string | undefined {
  const value = ctx.oidc?.params?.[name] ?? ctx.query[name];
  return typeof value === 'string' ? value : undefined;
}

const PARAMETERS =
  'client_id redirect_uri response_type response_mode scope state nonce version prompt max_age claims code_challenge_method ' +
  'code_challenge id_token_hint login_hint acr_values display ui_locales request_uri request post_logout_redirect_uri dpop_jkt';
// The library names the parameter in its sentences: "missing required parameter(s) (code_challenge)", "'scope' ...".
const NAMED = new RegExp(`\\b(${PARAMETERS.replaceAll(' ', '|')})\\b`);

function parameterIn(description: string): string | undefined {
  // "requested response_mode is not allowed" names one; a sentence about the request as a whole names none.
  const bare = description.replace(
    /\brequested\b|\brequest (is|has|objects?|endpoint)\b|\bauthorization request\b/g,
    '',
  );
  const [, name] = NAMED.exec(bare) ?? [];
  return name;
}
