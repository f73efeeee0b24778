// Owns what is said of a refusal beyond its code: the parameter at fault, what was expected of it, what can be done.
// It tells a stranger nothing that helps: no registered value, and nothing of secrets, tokens and other clients' codes.
// Does not own where it is said (`explained-answers.ts`, `src/signin/error-page.ts`) nor the log (`fault-log.ts`).

import type { KoaContextWithOIDC } from 'oidc-provider';
import { SCOPES } from '../../shared/scopes.ts';
import { type OpenSession, openSession } from '../logout/refused-logout.ts';
import { type CallbackDifference, differenceOf, inWords } from './callback-difference.ts';
import { grantReason } from './grant-errors.ts';
import { inPlainWords, type Said } from './messages.ts';

export interface Explanation {
  error: string;
  /** English, for integrators. */
  description?: string;
  /** Name of the parameter at fault. */
  parameter?: string;
  /** Of an address, from those registered. */
  difference?: CallbackDifference;
  /** The client_id is nobody's: pages say so in their own language. */
  unknownClient?: boolean;
  /** Of a sign-out: the session that is still open, if one is. */
  signOut?: { session?: OpenSession };
}

interface Answer extends Said {
  error: string;
}

/** A fault as the library throws it. */
export interface RefusalFault extends Answer {
  cause?: unknown;
}

/** What the page of a refusal says. */
export function explain(ctx: KoaContextWithOIDC, answer: Answer): Explanation {
  const found = describe(ctx, answer);
  if (!ctx.oidc?.route?.startsWith('end_session')) return found;
  const session = openSession(ctx);
  return { ...found, signOut: session ? { session } : {} };
}

/** What the library has no sentence for, by code. */
const UNSAID: Record<string, string> = {
  request_not_supported:
    'this service takes no request objects: send the parameters themselves, or push them to its pushed authorization request endpoint',
  request_uri_not_supported: 'request_uri is for requests that were pushed to this service',
  registration_not_supported: 'clients are registered by the operator of this service',
};

function describe(ctx: KoaContextWithOIDC, answer: Answer): Explanation {
  const { error, error_description: description } = answer;
  // The library's sentence for it says nothing.
  if (error === 'server_error') return { error };
  const client = ctx.oidc?.client;
  const address = (parameter: string, registered: readonly string[] = []): Explanation => {
    const loopbackPorts = client?.applicationType === 'native';
    const difference = differenceOf(sentIn(ctx, parameter) ?? '', registered, { loopbackPorts });
    return { error, parameter, difference, description: inWords(parameter, difference) };
  };
  // A pushed request has the same fault under another code.
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
  const plain = inPlainWords(ctx, answer);
  if (plain) return { error, ...plain };
  const text = description ?? UNSAID[error];
  const parameter = text === undefined ? undefined : parameterIn(text);
  return { error, ...(text !== undefined && { description: text }), ...(parameter && { parameter }) };
}

function lackingScopes({ oidc }: KoaContextWithOIDC): string {
  const registered = oidc.client?.scope?.split(' ') ?? [];
  const wanted = String(oidc.params?.['scope'] ?? '').split(' ');
  const lacking = SCOPES.filter((scope) => wanted.includes(scope) && !registered.includes(scope));
  return `this client may not ask for ${lacking.join(' ')}: the operator of this service can add it to the client's scopes`;
}

function sentIn(ctx: KoaContextWithOIDC, name: string): string | undefined {
  const value = ctx.oidc?.params?.[name] ?? ctx.query[name];
  return typeof value === 'string' ? value : undefined;
}

// The library names the parameter in its sentences: "missing required parameter(s) (code_challenge)", "'scope' ...".
const NAMED =
  /\b(client_id|redirect_uri|response_type|response_mode|scope|state|nonce|version|prompt|max_age|claims|code_challenge_method|code_challenge|id_token_hint|login_hint|acr_values|display|ui_locales|request_uri|request|post_logout_redirect_uri|dpop_jkt)\b/;

function parameterIn(description: string): string | undefined {
  // "requested response_mode is not allowed" names one; a sentence about the request as a whole names none.
  const bare = description.replace(
    /\brequested\b|\brequest (is|has|objects?|endpoint)\b|\bauthorization request\b/g,
    '',
  );
  const [, name] = NAMED.exec(bare) ?? [];
  return name;
}

/** What a client hears of a refusal; undefined where it hears no more than the library says. */
export function reasonOf(ctx: KoaContextWithOIDC, fault: RefusalFault): string | undefined {
  const { error, error_description: description, error_detail: detail = '' } = fault;
  if (error === 'invalid_client' && description === 'client authentication failed') return clientReason(ctx, fault);
  if (error === 'invalid_grant') return grantReason(ctx, detail);
  if (error === 'invalid_token' && description === 'invalid token provided') return tokenReason(ctx, detail);
  if (description === FORBIDDEN_GRANT) return forbiddenGrant(ctx);
  return describe(ctx, fault).description;
}

/** Which way a client has to go: no secret is in that. Whether a secret was near is not said, nor by whom it is used. */
const METHODS: Record<string, string> = {
  none: 'this client has no secret: send client_id alone',
  client_secret_basic: 'this client authenticates with its secret (client_secret_basic or client_secret_post)',
  private_key_jwt: 'this client authenticates with private_key_jwt (client_assertion)',
};

function clientReason({ oidc }: KoaContextWithOIDC, { error_detail: detail, cause }: RefusalFault): string | undefined {
  const method = oidc.client?.clientAuthMethod ?? '';
  if (detail?.startsWith('the provided authentication mechanism')) return METHODS[method];
  if (method !== 'private_key_jwt' || detail === undefined) return undefined;
  if ((cause as Answer | undefined)?.error === 'invalid_client_metadata') {
    return 'the key set of this client cannot be read: the operator of this service finds the cause in the audit trail';
  }
  // Of what was presented, and of nothing else.
  return detail.includes('client_assertion') ? detail : `the client_assertion does not hold: ${detail}`;
}

/** The library's sentence for a grant that is supported, but not for this client. */
export const FORBIDDEN_GRANT = 'requested grant type is not allowed for this client';

const ALLOWED_BY: Record<string, string> = {
  authorization_code: 'it has no callback address',
  refresh_token: "the operator of this service can add offline_access to the client's scopes",
  client_credentials: 'the operator of this service can let it act on its own (serviceAccount)',
};

function forbiddenGrant({ oidc }: KoaContextWithOIDC): string {
  const grant = String(oidc.params?.['grant_type']);
  return `this client may not use the grant_type ${grant}: ${ALLOWED_BY[grant] ?? 'it is not registered for it'}`;
}

/** At userinfo, in the words of the directory. */
function tokenReason(ctx: KoaContextWithOIDC, detail: string): string {
  switch (detail) {
    case 'failed jkt verification':
      return ctx.get('DPoP')
        ? 'the key of the DPoP proof is not the one that the access token is bound to'
        : 'the access token is bound to a key: send Authorization: DPoP, with a DPoP proof';
    case 'access token is not sender-constrained but proof of possession was provided':
      return 'the access token is not bound to a key: send Authorization: Bearer';
    case 'DPoP proof JWT Replay detected':
      return 'the DPoP proof was used before: make a proof for each request';
    default:
      return 'the access token is unknown, expired or revoked: obtain a new one by signing in';
  }
}
