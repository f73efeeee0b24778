// Answers clients and browsers when the service itself failed, or its database does not respond. The library has one sentence for both. The
// log has the cause (`errors/error-log.ts`).

import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { isTransient, RETRY_SECONDS } from '#store/database/transient-errors.ts';

const FAILED = {
  error: 'server_error',
  error_description: 'this service failed: its operator finds the cause in the log, by the X-Request-Id of this answer',
};
// RFC 6749 section 4.1.2.1.
const AWAY = {
  error: 'temporarily_unavailable',
  error_description: 'the database of this service does not answer at the moment: try again soon',
};

/** Answers failures. It must come before any other `use`, so that it sees their errors. */
export function answerServerErrors(provider: Provider): void {
  const failures = new WeakMap<object, unknown>();
  provider.on('server_error', (ctx, error) => void failures.set(ctx, error));
  provider.use(async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    try {
      await next();
    } catch (error) {
      // The client left while it sent the request. There is nobody to answer, and the request has its line in the log.
      if (ctx.req.destroyed && !ctx.req.complete) return;
      // Our own middleware threw this error, so nothing of the library's response may remain.
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
