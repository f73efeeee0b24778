// Our middleware around the library's responses, and the events that it listens to. The middleware that is added first sees a response
// last.

import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { refuseManyFields } from '#openid/clients/client-forms.ts';
import { signOutWithoutSession } from '#openid/logout/sign-out-without-question.ts';
import { ROUTES } from '#openid/routes.ts';
import { endedSessions } from '#openid/sessions/session-ended-meanwhile.ts';
import { sessionLimit } from '#openid/sessions/session-limit.ts';
import { refusePublicClients } from '#openid/tokens/introspection-policy.ts';
import type { TokenEndpoint } from '#openid/tokens/token-endpoint.ts';
import { exactAddresses, methodNotAllowed, unknownAddress } from './addresses.ts';
import { auditProvider } from './audit.ts';
import { answerWithFormPostPage } from './authorization-response.ts';
import { logErrors } from './errors/error-log.ts';
import { explainErrors } from './errors/error-responses.ts';
import { answerServerErrors } from './errors/server-errors.ts';
import type { ProviderOptions } from './provider-options.ts';
import { ignoreUserinfoForms, redirectPostedRequests } from './requests/posted-requests.ts';
import { refuseLargeRequests } from './requests/request-limits.ts';

const {
  token,
  userinfo,
  revocation,
  introspection,
  pushed_authorization_request: par,
  authorization,
  end_session,
} = ROUTES;
/** The endpoints that browsers open with their session. */
const VISITED = [authorization, end_session];

export function addMiddleware(provider: Provider, options: ProviderOptions, tokens: TokenEndpoint): void {
  const { pages, settings, log } = options;
  answerServerErrors(provider);
  answerWithFormPostPage(provider, pages.formPost);
  explainErrors(provider);
  logErrors(provider, log);
  auditProvider(provider, options.audit);

  const at = (paths: readonly string[], ...steps: Parameters<typeof atPaths>[1][]) => {
    for (const step of steps) provider.use(atPaths(paths, step));
  };
  const refusal = (ctx: KoaContextWithOIDC, description: string) =>
    pages.error(ctx, { error: 'invalid_request', description });
  at([token, userinfo, revocation, par], exposeHeaders);
  at([userinfo], ignoreUserinfoForms);
  at(VISITED, redirectPostedRequests(refusal), refuseLargeRequests(pages.error, log));
  at([userinfo, end_session], refuseManyFields);
  // Clients authenticate at all of these, and send the same forms.
  at([token, revocation, introspection, par], ...tokens.before);
  at([introspection], refusePublicClients(provider));
  at([token], ...tokens.after);
  at(VISITED, endedSessions(provider));
  at([authorization], sessionLimit(options.records, settings.limits.sessionsPerAccount, options));
  at([end_session], signOutWithoutSession(pages.notSignedIn));
  provider.use(unknownAddress((ctx) => pages.error(ctx, { error: 'not_found' })));
  provider.use(methodNotAllowed);
  provider.use(exactAddresses);
}

type Middleware = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>;

/**
 * Runs the middleware only for requests to these paths and to paths below them, in the spelling of `ROUTES`. Each asynchronous function in
 * a request's way takes turns of the microtask queue: a dozen of them made up a twentieth of an introspection.
 */
function atPaths(paths: readonly string[], middleware: Middleware): Middleware {
  const exact = new Set(paths);
  const below = paths.map((path) => `${path}/`);
  return (ctx, next) => {
    const { path } = ctx;
    return exact.has(path) || below.some((start) => path.startsWith(start)) ? middleware(ctx, next) : next();
  };
}

const EXPOSED = 'X-Request-Id, Retry-After';
const HEADER = 'access-control-expose-headers';

/**
 * Names the response headers that a page of another origin may read, in addition to the library's. People quote the request id when
 * something fails, and a client that must wait needs to know for how long. The library decides which endpoints such pages may call
 * (SEC-45).
 */
function exposeHeaders(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  // This is not asynchronous, so that requests without an origin, nearly all, take no extra turn.
  if (ctx.get('origin') === '') return next();
  return next().then(() => {
    if (!ctx.response.get('access-control-allow-origin') || ctx.method === 'OPTIONS') return;
    ctx.set(HEADER, [ctx.response.get(HEADER), EXPOSED].filter(Boolean).join(', '));
  });
}
