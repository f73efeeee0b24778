// Adds our middleware around the library's responses, listens to the library's events, and refuses requests at addresses that the provider
// does not answer. The middleware that is added first sees a response last.

import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { refuseManyFields } from '#openid/clients/client-forms.ts';
import { signOutWithoutSession } from '#openid/logout/sign-out-without-question.ts';
import { DISCOVERY, isForPrograms, nothingHere, ROUTES } from '#openid/routes.ts';
import { sessionLimit } from '#openid/sessions/end-session.ts';
import { endedSessions } from '#openid/sessions/session-ended-meanwhile.ts';
import { refusePublicClients } from '#openid/tokens/introspection-policy.ts';
import type { TokenEndpoint } from '#openid/tokens/token-endpoint.ts';
import { auditProvider } from './audit.ts';
import { formPostPage } from './authorization-response.ts';
import { answerServerErrors, explainErrors, logErrors } from './errors/error-responses.ts';
import type { ProviderOptions } from './provider-options.ts';
import { ignoreUserinfoForms, redirectPostedRequests } from './requests/posted-forms.ts';
import { refuseLargeRequests } from './requests/request-limits.ts';
import { sendErrorsReadably } from './requests/response-mode.ts';

export function addMiddleware(provider: Provider, options: ProviderOptions, tokens: TokenEndpoint): void {
  const { pages, settings, log } = options;
  provider.use(forgetAnsweredRequest);
  answerServerErrors(provider);
  provider.use(atEndpoints({ [ROUTES.authorization]: [formPostPage(provider, pages.formPost)] }));
  sendErrorsReadably(provider, options.clients);
  explainErrors(provider);
  logErrors(provider, log);
  auditProvider(provider, options.audit);

  const refusal = (ctx: KoaContextWithOIDC, description: string) =>
    pages.error(ctx, { error: 'invalid_request', description });
  // Middleware for the authorization and logout endpoints, which browsers open with their session cookie.
  const ofVisits = [redirectPostedRequests(refusal), refuseLargeRequests(pages.error, log)];
  const endings = endedSessions(provider);
  provider.use(
    atEndpoints({
      [ROUTES.authorization]: [
        ...ofVisits,
        endings,
        sessionLimit(options.records, settings.limits.sessionsPerAccount, options),
      ],
      [ROUTES.end_session]: [...ofVisits, refuseManyFields, endings, signOutWithoutSession(pages.notSignedIn)],
      [ROUTES.userinfo]: [exposeHeaders, ignoreUserinfoForms, refuseManyFields],
      // At all of the following endpoints, clients authenticate and send the same kinds of forms. The middleware in `after` acts only after
      // the library has answered.
      [ROUTES.token]: [exposeHeaders, ...tokens.before, ...tokens.after],
      [ROUTES.revocation]: [exposeHeaders, untypedIfEmpty, ...tokens.before],
      [ROUTES.pushed_authorization_request]: [exposeHeaders, ...tokens.before],
      [ROUTES.introspection]: [...tokens.before, refusePublicClients(provider)],
    }),
  );
  provider.use(refuseUnknown(provider.issuer, (ctx) => pages.error(ctx, { error: 'not_found' })));
}

/**
 * Removes the request, the response and what the library found for them from the context after the response has been sent, when nothing
 * uses them any more. The library defines `ctx.oidc` by a getter, and V8 places a getter in its old generation, together with everything
 * that it refers to. Without this middleware, requests survived the cheap garbage collections and were copied twice
 * (`docs/upstream/oidc-provider-context.patch`).
 */
async function forgetAnsweredRequest(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  ctx.res.once('close', () => {
    // The library has no `ctx.oidc` at an address that it does not know.
    Object.assign(ctx.oidc ?? {}, { entities: undefined, params: undefined, body: undefined });
    Object.assign(ctx, { req: undefined, res: undefined, request: undefined, response: undefined });
  });
}

type Middleware = (ctx: KoaContextWithOIDC, next: () => Promise<void>) => Promise<void>;

/**
 * Runs the middleware of an endpoint for requests to its path and to paths below it, in the spelling of `ROUTES`. No other middleware runs
 * for the request, because each asynchronous function costs turns of the microtask queue: a dozen of them took a twentieth of the time of
 * an introspection.
 */
function atEndpoints(steps: Readonly<Record<string, readonly Middleware[]>>): Middleware {
  const endpoints = new Map(Object.entries(steps));
  const above = (path: string) => endpoints.keys().find((endpoint) => path.startsWith(`${endpoint}/`)) ?? '';
  return (ctx, next) => {
    const { path } = ctx;
    const own = endpoints.get(path) ?? endpoints.get(above(path)) ?? [];
    return own.reduceRight<() => Promise<void>>((rest, step) => () => step(ctx, rest), next)();
  };
}

const EXPOSED = 'X-Request-Id, Retry-After';
const HEADER = 'access-control-expose-headers';

/**
 * Lets pages of other origins read two response headers in addition to those that the library names: the request id, which people quote
 * when something fails, and `Retry-After`, which tells a client how long it must wait. The library decides which endpoints such pages may
 * call (SEC-45).
 */
function exposeHeaders(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  // Nearly all requests have no `Origin` header. The function is not asynchronous, so that these requests do not wait for an extra turn of
  // the microtask queue.
  if (ctx.get('origin') === '') return next();
  return next().then(() => {
    if (!ctx.response.get('access-control-allow-origin') || ctx.method === 'OPTIONS') return;
    ctx.set(HEADER, [ctx.response.get(HEADER), EXPOSED].filter(Boolean).join(', '));
  });
}

/** Removes the media type `text/plain` of an empty answer. oidc-client-ts takes every answer with a type other than JSON for an error. */
async function untypedIfEmpty(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next();
  if (ctx.body === '') ctx.remove('content-type');
}

const ALLOWED: Readonly<Record<string, string>> = {
  [ROUTES.authorization]: 'GET, POST',
  [ROUTES.token]: 'POST',
  [ROUTES.userinfo]: 'GET, POST',
  [ROUTES.jwks]: 'GET',
  ...Object.fromEntries(DISCOVERY.map((path) => [path, 'GET'])),
  [ROUTES.end_session]: 'GET, POST',
  [ROUTES.revocation]: 'POST',
  [ROUTES.introspection]: 'POST',
  [ROUTES.pushed_authorization_request]: 'POST',
};

/**
 * Makes the middleware that answers 405 to a wrong method, and 404 at an unknown address: with `page` for browsers, with JSON for programs.
 * Add this middleware last. It also refuses a known path in another spelling, because the library's router would accept `/USERINFO` and
 * `/authorize/`, but our middleware compares paths exactly and would not run its checks there.
 */
export function refuseUnknown(issuer: string, page: (ctx: KoaContextWithOIDC) => string) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    const { path } = ctx;
    if (ENDPOINTS.has(path) || isExact(path)) await next();
    if (ctx.status !== 404 || ctx.body) return;
    const allowed = Object.hasOwn(ALLOWED, path) ? ALLOWED[path] : undefined;
    if (allowed !== undefined) {
      ctx.status = 405;
      ctx.set('allow', allowed);
      ctx.body = { error: 'invalid_request', error_description: `${path} takes ${allowed.replace(', ', ' or ')} only` };
      return;
    }
    if (!isForPrograms(path) && ctx.accepts('json', 'html') === 'html') {
      ctx.type = 'html';
      ctx.body = page(ctx);
    } else ctx.body = { error: 'not_found', error_description: nothingHere(issuer) };
    ctx.status = 404;
  };
}

const ENDPOINTS: ReadonlySet<string> = new Set(Object.values(ROUTES));
const FIRST_PARTS = new Set(['.well-known', ...Object.values(ROUTES).map((route) => route.split('/')[1])]);

/**
 * Checks the spelling of a path below an endpoint: lower case, and no slash at the end. Below `/authorize/`, the second part of the path is
 * the id of an interaction, which may contain capital letters.
 */
function isExact(path: string): boolean {
  const [, first = '', second = ''] = path.split('/');
  const exact = FIRST_PARTS.has(first) && (first === 'authorize' || second === second.toLowerCase());
  return exact && !path.endsWith('/');
}
