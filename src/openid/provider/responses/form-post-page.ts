// The page that posts an authorization response to the client's callback (OAuth 2.0 Form Post Response Mode). The library's own
// is in English alone, and our Content-Security-Policy does not let it post.

import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { errorResponse, isSigned, type ResponseParameters, signedResponse } from './authorization-response.ts';

/** The state of a request has this when it was answered with an error page. */
export const ERROR_PAGE = 'errorPage';

/** A form that the browser posts to the client's callback. */
export interface CallbackForm {
  action: string;
  fields: readonly (readonly [name: string, value: string])[];
}

/**
 * Replaces the library's page by `page`, using the response parameters that its events report. Call it before middleware and listeners that
 * change errors, so that it sees the final ones.
 */
export function answerWithFormPostPage(
  provider: Provider,
  page: (ctx: KoaContextWithOIDC, form: CallbackForm) => string,
): void {
  const responses = new WeakMap<KoaContextWithOIDC, () => ResponseParameters>();
  provider.on('authorization.success', (ctx, response) => {
    responses.set(ctx, () => (response ?? {}) as ResponseParameters);
  });
  const refused = (ctx: KoaContextWithOIDC, error: Error) => responses.set(ctx, () => errorResponse(ctx, error));
  provider.on('authorization.error', refused);
  provider.on('server_error', refused);

  provider.use(async (ctx: KoaContextWithOIDC, next) => {
    await next();
    const { redirect_uri: action, response_mode: mode } = ctx.oidc?.params ?? {};
    const response = responses.get(ctx);
    if (!POSTED.has(mode) || typeof action !== 'string' || !response) return;
    // An error page, or a redirect since the session has ended meanwhile.
    if (ctx.state[ERROR_PAGE] || ctx.status === 303) return;
    const content = Object.entries(response()).filter(([, value]) => value !== undefined);
    const fields = isSigned(mode) ? [['response', await signedResponse(ctx, Object.fromEntries(content))]] : content;
    ctx.body = page(ctx, { action, fields: fields.map(([name, value]) => [String(name), String(value)] as const) });
  });
}

const POSTED: ReadonlySet<unknown> = new Set(['form_post', 'form_post.jwt']);
