// Owns what an integrator is told of a refusal beyond its code: the parameter at fault, and what was expected of it.
// It tells a stranger nothing that helps: no registered value, and nothing of secrets, tokens and other clients' codes.
// Does not own the page (`src/signin/error-page.ts`) nor the log (`fault-log.ts`).

import type { errors, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { type CallbackDifference, differenceOf, inWords } from './callback-difference.ts';

export interface Explanation {
  error: string;
  /** English, for integrators. */
  description?: string;
  /** Name of the parameter at fault. */
  parameter?: string;
  /** Of an address, from those registered. */
  difference?: CallbackDifference;
}

interface Answer {
  error: string;
  error_description?: string | undefined;
}

/** What the page of a refusal says. */
export function explain(ctx: KoaContextWithOIDC, { error, error_description: description }: Answer): Explanation {
  const { oidc } = ctx;
  const client = oidc?.client;
  const address = (parameter: string, registered: readonly string[] = []): Explanation => {
    const difference = differenceOf(sentIn(ctx, parameter) ?? '', registered);
    return { error, parameter, difference, description: inWords(parameter, difference) };
  };
  if (error === 'invalid_redirect_uri' && client) return address('redirect_uri', client.redirectUris);
  if (description === 'post_logout_redirect_uri not registered' && client) {
    return address('post_logout_redirect_uri', client.postLogoutRedirectUris);
  }
  if (error === 'invalid_client' && description === 'client is invalid') {
    const advice = 'no application with this client_id is registered at this service: compare it letter by letter';
    return { error, parameter: 'client_id', description: advice };
  }
  const parameter = description === undefined ? undefined : parameterIn(description);
  return { error, ...(description !== undefined && { description }), ...(parameter && { parameter }) };
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
  const [, name] = NAMED.exec(description.replace(/\brequested\b|\brequest (is|has|object)\b/g, '')) ?? [];
  return name;
}

/** Reasons for `invalid_grant` that the client may hear: it has proved who it is, or holds the code itself. */
const REASONS: Record<string, string> = {
  'authorization code not found': 'the code is not known: it is mistyped, too old, or was taken back',
  'authorization code is expired': 'the code has expired: exchange it as soon as it arrives',
  'authorization code already consumed': 'the code was used before: it is good for one exchange',
  'code_verifier does not match code_challenge': 'code_verifier does not belong to the code_challenge of the request',
  'code_verifier must be provided': 'code_verifier is missing: the authorization request had a code_challenge',
  'refresh token not found': 'the refresh token is not known: it is mistyped, too old, or was taken back',
  'refresh token is expired': 'the refresh token has expired: the person has to sign in again',
  'refresh token already used': 'the refresh token was used before: all that came of it has been taken back',
};

/** Puts the reason into the JSON of refusals, which the library keeps for its log. */
export function explainAnswers(provider: Provider): void {
  const replace = (ctx: KoaContextWithOIDC, description: string | undefined) => {
    const body = ctx.body as Answer | undefined;
    if (description !== undefined && typeof body === 'object' && body.error) body.error_description = description;
  };
  provider.on('grant.error', (ctx, error) => replace(ctx, reasonOf(ctx, error)));
  provider.on('pushed_authorization_request.error', (ctx, error) => replace(ctx, explain(ctx, error).description));
}

function reasonOf(ctx: KoaContextWithOIDC, error: errors.OIDCProviderError): string | undefined {
  const { error: code, error_detail: detail = '' } = error as { error: string; error_detail?: string };
  if (code !== 'invalid_grant') return undefined;
  if (detail !== 'authorization code redirect_uri mismatch') return REASONS[detail];
  const sent = sentIn(ctx, 'redirect_uri') ?? '';
  const registered = ctx.oidc.client?.redirectUris ?? [];
  if (registered.includes(sent)) return 'redirect_uri is registered, but is not that of the authorization request';
  return inWords('redirect_uri', differenceOf(sent, registered));
}
