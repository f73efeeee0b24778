// Logs requests that the provider refused or failed to answer. The log says more than the responses, which strangers read.

import type { EventEmitter } from 'node:events';
import type { errors, KoaContextWithOIDC, Provider } from 'oidc-provider';
import type { Logger } from '#shared/log/log.ts';

const BROKEN_OFF = new Set(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE']);

/** Removes quotations of the request from a library's sentence, for the log and the audit trail (SEC-17). */
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

/** Listens to the provider's events. */
export function logErrors(provider: Provider, log: Logger): void {
  const about = (ctx: KoaContextWithOIDC | undefined) => ({
    route: ctx?.oidc?.route,
    client: ctx?.oidc?.client?.clientId,
  });
  // Without a listener, Koa would write the error to standard error, outside the log. Most such errors come from a closed connection.
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
