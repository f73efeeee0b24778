// Completes the responses to requests that the provider refuses or fails to answer. A response gets the error code of the specification and
// an explanation: in JSON, in the challenge of a 401, and at the client's callback. The log says more than the responses, because strangers
// read the responses.

import type { EventEmitter } from 'node:events';
import type { errors, KoaContextWithOIDC, Provider } from 'oidc-provider';
import { errorResponse, isSigned, type RefusalError, signedResponse } from '#openid/provider/authorization-response.ts';
import type { Logger } from '#shared/log/log.ts';
import { isTransient, RETRY_SECONDS } from '#store/database/transient-errors.ts';
import { reasonOf } from './explanations.ts';

/**
 * Returns the error code that the specification demands in place of the library's `invalid_request`; undefined if the library's code is
 * right.
 */
function codeFor(ctx: KoaContextWithOIDC, { error }: RefusalError): { error: string; status?: number } | undefined {
  if (error !== 'invalid_request') return undefined;
  const { route, client, params } = ctx.oidc;
  const grantType = params?.['grant_type'];
  // RFC 6749 section 5.2: `unauthorized_client` means that the service supports the grant, but this client may not use it.
  if (
    route === 'token' &&
    typeof grantType === 'string' &&
    GRANTS.has(grantType) &&
    client &&
    !client.grantTypeAllowed(grantType)
  ) {
    return { error: 'unauthorized_client' };
  }
  // RFC 9449 section 7.1 demands this error for a DPoP token without a proof. The FHIR directory answers such a request in the same way.
  const withoutProof = route === 'userinfo' && /^DPoP /i.test(ctx.get('authorization')) && !ctx.get('DPoP');
  return withoutProof ? { error: 'invalid_dpop_proof', status: 401 } : undefined;
}

const GRANTS: ReadonlySet<string> = new Set(['authorization_code', 'refresh_token', 'client_credentials']);

/**
 * Adds the error codes and explanations to the responses. Call it before `auditProvider` and `logErrors`, so that both get the final code.
 */
export function explainErrors(provider: Provider): void {
  const refusals = new WeakMap<object, errors.OIDCProviderError>();
  onRefusal(provider, (ctx, refusal) => {
    const code = codeFor(ctx, refusal);
    if (code) refusal.error = code.error;
    if (code?.status) ctx.status = code.status;
    refusals.set(ctx, refusal);
  });

  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    await next();
    const refusal = refusals.get(ctx);
    if (!refusal) return;
    const before = refusal.error_description;
    const reason = reasonOf(ctx, refusal) ?? before;
    if (reason !== undefined) refusal.error_description = readable(reason);
    if (ctx.status === 303 && isSigned(ctx.oidc.params?.['response_mode'])) await signAgain(ctx, refusal);
    else put(ctx, refusal, before);
  });
}

// Replaces characters that RFC 6749 section 5.2 does not allow in an error_description.
function readable(text: string): string {
  return text.replace(/["\\]/g, "'").replace(/[^\x20-\x7e]/g, ' ');
}

function put(
  ctx: KoaContextWithOIDC,
  { error, error_description: reason }: RefusalError,
  before: string | undefined,
): void {
  const { body } = ctx;
  if (typeof body === 'object' && body !== null && 'error' in body) {
    Object.assign(body, { error, ...(reason !== undefined && { error_description: reason }) });
    const challenges = [ctx.response.get('www-authenticate') as string | string[]].flat().filter(Boolean);
    const explained = challenges.map((text) =>
      text.replace(/\berror="[^"]*"/, `error="${error}"`).replace(`="${before}"`, () => `="${reason}"`),
    );
    if (challenges.length > 0) ctx.set('www-authenticate', explained);
  } else if (ctx.status === 303 && reason !== undefined) {
    redirect(ctx, atCallback(ctx.response.get('location'), error, reason));
  }
}

/** Replaces the address of a redirect. The library wrote the former address, with its own reason, into the body, so the body changes too. */
function redirect(ctx: KoaContextWithOIDC, location: string): void {
  ctx.set('location', location);
  ctx.body = 'Redirecting to the application.';
}

/**
 * Replaces the signed response at the callback (JARM). A new JWT is signed, because the explanation in the signed JWT cannot be changed.
 */
async function signAgain(ctx: KoaContextWithOIDC, refusal: errors.OIDCProviderError): Promise<void> {
  const url = URL.parse(ctx.response.get('location'));
  if (!url) return;
  const response = await signedResponse(ctx, errorResponse(ctx, refusal));
  if (url.searchParams.has('response')) url.searchParams.set('response', response);
  else url.hash = new URLSearchParams({ response }).toString();
  redirect(ctx, url.href);
}

/** Replaces the library's reason in the callback address by our reason, in the query or in the fragment. */
function atCallback(location: string, error: string, reason: string): string {
  const url = URL.parse(location);
  if (!url) return location;
  if (url.searchParams.get('error') === error) {
    url.searchParams.set('error_description', reason);
    return url.href;
  }
  const fragment = new URLSearchParams(url.hash.slice(1));
  if (fragment.get('error') !== error) return location;
  fragment.set('error_description', reason);
  url.hash = fragment.toString();
  return url.href;
}

const FAILED = {
  error: 'server_error',
  error_description: 'this service failed: its operator finds the cause in the log, by the X-Request-Id of this answer',
};
// The response while the database does not respond (RFC 6749 section 4.1.2.1).
const AWAY = {
  error: 'temporarily_unavailable',
  error_description: 'the database of this service does not answer at the moment: try again soon',
};

/**
 * Answers clients and browsers when the service itself failed, or when its database does not respond. The library has only one sentence for
 * both cases. The responses do not contain the cause, which is in the log (`logErrors`). If this function has to answer the errors of a
 * middleware, call it before adding that middleware.
 */
export function answerServerErrors(provider: Provider): void {
  const failures = new WeakMap<object, unknown>();
  provider.on('server_error', (ctx, error) => void failures.set(ctx, error));
  provider.use(async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    try {
      await next();
    } catch (error) {
      // The client closed the connection before its request was complete. There is no response, because nobody would read it. The request
      // is in the log.
      if (ctx.req.destroyed && !ctx.req.complete) return;
      // Our own middleware threw this error. If the library had already set headers, they belong to a response that is no longer sent. So
      // these headers are removed.
      for (const name of ['location', 'www-authenticate']) ctx.remove(name);
      ctx.body = FAILED;
      ctx.status = 500;
      provider.emit('server_error', ctx, error as Error);
    }
    if (!failures.has(ctx)) return;
    const away = isTransient(failures.get(ctx));
    const { body } = ctx;
    if (typeof body === 'object' && body !== null && 'error' in body) ctx.body = away ? AWAY : FAILED;
    if (!away) return;
    ctx.status = 503;
    ctx.set('retry-after', String(RETRY_SECONDS));
  });
}

const BROKEN_OFF = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Removes everything that a sentence of the library quotes from the request, before the sentence is logged or recorded (SEC-17). */
export function withoutQuotes(sentence: string | undefined): string | undefined {
  return sentence
    ?.replace(/".*"/s, '"…"')
    .replace(/^origin .* not allowed/s, 'origin not allowed')
    .replace(/( bodies are supported) on .*/s, '$1');
}

/** The library's events for refused requests. */
const REFUSALS = [
  'authorization.error',
  'grant.error',
  'pushed_authorization_request.error',
  'introspection.error',
  'revocation.error',
  'userinfo.error',
  'end_session.error',
] as const;

/** Calls `listener` for each request that the provider refuses. Listeners are called in the order in which they were added. */
export function onRefusal(
  provider: Provider,
  listener: (ctx: KoaContextWithOIDC, refusal: errors.OIDCProviderError) => void,
): void {
  for (const event of REFUSALS) provider.on(event as 'grant.error', listener);
}

/** Logs the refusals and failures of the provider. */
export function logErrors(provider: Provider, log: Logger): void {
  const about = (ctx: KoaContextWithOIDC | undefined) => ({
    route: ctx?.oidc?.route,
    client: ctx?.oidc?.client?.clientId,
  });
  // Without this listener, Koa would write the error to standard error, outside the log. Most of these errors come from a closed
  // connection, and those have the level `debug`.
  (provider as unknown as EventEmitter).on('error', (err: NodeJS.ErrnoException) => {
    log[BROKEN_OFF.has(err.code ?? '') ? 'debug' : 'error']({ err }, 'an answer could not be sent');
  });
  provider.on('server_error', (ctx, err) => log.error({ ...about(ctx), err }, 'the provider failed'));
  onRefusal(provider, (ctx, { error, error_description: description }) =>
    log.info({ ...about(ctx), error, description: withoutQuotes(description) }, 'refused'),
  );
  provider.on('backchannel.error', (_ctx, err, client, account) =>
    log.warn({ err, client: client.clientId, account }, 'a client could not be notified of the sign-out'),
  );
}
