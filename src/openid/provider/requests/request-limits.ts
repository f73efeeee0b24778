// Limits the length of authorization and logout requests, because strangers send them and parts of them are stored.

import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { ANEW_PARAMETER } from '#config/built-in-clients.ts';
import type { Explanation } from '#openid/provider/errors/explanations.ts';
import { VISITED } from '#openid/routes.ts';
import type { Logger } from '#shared/log/log.ts';

/** Maximum bytes of a request, whether it is a query or a form. */
export const REQUEST_BYTES = 8192;

/**
 * Maximum characters of the parameters that contain free text, which is stored or passed on. The other parameters need no limit, because
 * they are compared with known values.
 */
const LONGEST = {
  // This limit is higher, because some libraries put sealed data of their own into `state`.
  state: 2048,
  nonce: 512,
  login_hint: 512,
  ui_locales: 256,
  acr_values: 512,
  claims: 4096,
  [ANEW_PARAMETER]: 1,
} as const;

export type LimitedParameter = keyof typeof LONGEST;
export const LIMITED_PARAMETERS = Object.keys(LONGEST) as LimitedParameter[];

/**
 * Returns a sentence about a parameter that is too long, or a `state` that could not be returned unchanged (specification section 4.1),
 * because bytes that are no UTF-8 have become U+FFFD. Returns undefined for any other value.
 */
export function textProblem(name: LimitedParameter, value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  if (name === 'state' && value.toWellFormed().includes('\uFFFD')) return 'state is not percent-encoded UTF-8';
  if (value.length <= LONGEST[name]) return undefined;
  return `${name} has ${value.length} characters: ${LONGEST[name]} at most`;
}

/**
 * Throws `InvalidRequest` if the parameter has a `textProblem`. The library sends this error to the client's callback. For a `state`, the
 * library shows a page instead, because an error at the callback would have to repeat the `state`.
 */
export function refuseTextProblem(name: LimitedParameter, value: unknown): void {
  const problem = textProblem(name, value);
  if (problem === undefined) return;
  throw Object.assign(new errors.InvalidRequest(problem), { allow_redirect: name !== 'state' });
}

/** Returns a sentence about a request that is too long, and the name of its longest parameter; undefined if its length is allowed. */
export function tooLarge(request: string): { parameter: string; description: string } | undefined {
  const bytes = Buffer.byteLength(request);
  if (bytes <= REQUEST_BYTES) return undefined;
  const lengths = [...new URLSearchParams(request)].map(([name, value]) => ({ name, length: value.length }));
  const [{ name, length } = { name: '', length: 0 }] = lengths.sort((one, other) => other.length - one.length);
  const parameter = name.slice(0, 60);
  const description = `the request has ${bytes} bytes: ${REQUEST_BYTES} at most; ${parameter} alone has ${length} characters`;
  return { parameter, description };
}

/**
 * Refuses requests that are too long, before anything is looked up or stored for them (SEC-58). The response is a page, with status 414 for
 * a long query and 400 for an unfit `state`, because an error at the client's callback would have to repeat the `state` (RFC 6749 section
 * 4.1.2.1). `request-parameters.ts` checks the length of the other parameters once the client is known.
 */
export function refuseLargeRequests(page: (ctx: KoaContextWithOIDC, explanation: Explanation) => string, log: Logger) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    if (!VISITED.includes(ctx.path)) return next();
    const large = tooLarge(ctx.querystring);
    const state = large ? undefined : textProblem('state', ctx.query['state']);
    const refused = large ?? (state === undefined ? undefined : { parameter: 'state', description: state });
    if (!refused) return next();
    const explanation = { error: 'invalid_request', ...refused };
    log.info({ path: ctx.path, error: explanation.error, description: refused.description }, 'refused');
    ctx.status = large ? 414 : 400;
    ctx.type = 'html';
    ctx.body = page(ctx, explanation);
  };
}
