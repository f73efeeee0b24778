// Refuses authorization and logout requests that are too long, before anything is looked up or stored for them (SEC-58).

import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Explanation } from '#openid/provider/errors/explanations.ts';
import { ROUTES } from '#openid/routes.ts';
import type { Logger } from '#shared/log/log.ts';
import { tooLarge, tooLong } from './request-limits.ts';

const LIMITED: readonly string[] = [ROUTES.authorization, ROUTES.end_session];

/**
 * Answers with a page: 414 for a query that is too long, and 400 for a `state` that is, because an error at the client's callback would
 * have to repeat it (RFC 6749 section 4.1.2.1). Other parameters are checked once the client is known (`request-parameters.ts`).
 */
export function refuseLargeRequests(page: (ctx: KoaContextWithOIDC, explanation: Explanation) => string, log: Logger) {
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    if (!LIMITED.includes(ctx.path)) return next();
    const large = tooLarge(ctx.querystring);
    const state = large ? undefined : tooLong('state', ctx.query['state']);
    const refused = large ?? (state === undefined ? undefined : { parameter: 'state', description: state });
    if (!refused) return next();
    const explanation = { error: 'invalid_request', ...refused };
    log.info({ path: ctx.path, error: explanation.error, description: refused.description }, 'refused');
    ctx.status = large ? 414 : 400;
    ctx.type = 'html';
    ctx.body = page(ctx, explanation);
  };
}
