// Authorization responses other than a plain redirect: the signed JWT that holds the parameters (JARM), and the page that posts the
// parameters to the client's callback (OAuth 2.0 Form Post Response Mode). Our page replaces the library's page, because that page is in
// English only and our Content-Security-Policy would block its form. `requests/response-mode.ts` checks which modes a client may use
// (`signedResponses`).

import type { KoaContextWithOIDC, Provider } from 'oidc-provider';

/** An error as oidc-provider throws it. */
export interface RefusalError {
  error: string;
  error_description?: string | undefined;
  error_detail?: string | undefined;
  scope?: string | undefined;
}

type ResponseParameters = Record<string, unknown>;

/** Returns the parameters of an error response at the callback (RFC 6749 section 4.1.2.1, RFC 9207). */
export function errorResponse({ oidc }: KoaContextWithOIDC, refusal: Error): ResponseParameters {
  const { expose, error, error_description, scope } = refusal as Error & RefusalError & { expose?: boolean };
  const { state } = oidc.params ?? {};
  const content = expose ? { error, error_description, scope } : { error: 'server_error' };
  return { ...content, state, iss: oidc.provider.issuer };
}

/** Checks whether a `response_mode` wraps the response in a JWT. In a refused request, `mode` may be any value. */
export function isSigned(mode: unknown): boolean {
  return typeof mode === 'string' && /^((query|fragment|form_post)\.)?jwt$/.test(mode);
}

/** Members of an ID token that the library's types leave out. */
interface UnsignedToken {
  extra: ResponseParameters;
  issue(options: { use: 'authorization' }): Promise<string>;
}
type TokenConstructor = new (claims: object, about: { ctx: KoaContextWithOIDC }) => UnsignedToken;

/**
 * Signs a JWT with the parameters of a response, as the library does for the parameter `response` (JWT Secured Authorization Response Mode,
 * section 2.1).
 */
export function signedResponse(ctx: KoaContextWithOIDC, content: ResponseParameters): Promise<string> {
  const token = new (ctx.oidc.provider.IdToken as unknown as TokenConstructor)({}, { ctx });
  token.extra = content;
  return token.issue({ use: 'authorization' });
}

/** Name in `ctx.state` that marks a request with an error page as its response. */
export const ERROR_PAGE = 'errorPage';

/** A form that the browser posts to the client's callback. */
export interface CallbackForm {
  action: string;
  fields: readonly (readonly [name: string, value: string])[];
}

/**
 * Makes the middleware that replaces the library's form-post page by `page`. The response parameters come from the library's events. Add
 * this middleware before `explainErrors`: the middleware that is added first sees a response last, so it gets the final errors.
 */
export function formPostPage(provider: Provider, page: (ctx: KoaContextWithOIDC, form: CallbackForm) => string) {
  const responses = new WeakMap<KoaContextWithOIDC, () => ResponseParameters>();
  provider.on('authorization.success', (ctx, response) => {
    responses.set(ctx, () => (response ?? {}) as ResponseParameters);
  });
  const refused = (ctx: KoaContextWithOIDC, error: Error) => responses.set(ctx, () => errorResponse(ctx, error));
  provider.on('authorization.error', refused);
  provider.on('server_error', refused);

  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    await next();
    const { redirect_uri: action, response_mode: mode } = ctx.oidc?.params ?? {};
    const response = responses.get(ctx);
    if (!POSTED.has(mode) || typeof action !== 'string' || !response) return;
    // Nothing is posted if the response is an error page, or a redirect because the session has ended meanwhile.
    if (ctx.state[ERROR_PAGE] || ctx.status === 303) return;
    const content = Object.entries(response()).filter(([, value]) => value !== undefined);
    const fields = isSigned(mode) ? [['response', await signedResponse(ctx, Object.fromEntries(content))]] : content;
    ctx.body = page(ctx, { action, fields: fields.map(([name, value]) => [String(name), String(value)] as const) });
  };
}

const POSTED: ReadonlySet<unknown> = new Set(['form_post', 'form_post.jwt']);
