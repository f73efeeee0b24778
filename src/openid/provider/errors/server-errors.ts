// Answers clients and browsers when the service itself failed, or its database does not answer: the library has one sentence for
// both. The log has the cause (`errors/error-log.ts`).

import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { isTransient, RETRY_AFTER } from '#store/database/transient-errors.ts';

const FAILED = {
  error: 'server_error',
  error_description: 'this service failed: its operator finds the cause in the log, by the X-Request-Id of this answer',
};
// RFC 6749 section 4.1.2.1.
const AWAY = {
  error: 'temporarily_unavailable',
  error_description: 'the database of this service does not answer at the moment: try again soon',
};

/** Answers failures. It has to come before any other `use`, so that it sees what those throw. */
export function answerServerErrors(provider: Provider): void {
  const failures = new WeakMap<object, unknown>();
  provider.on('server_error', (ctx, error) => void failures.set(ctx, error));
  provider.use(async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    try {
      await next();
    } catch (error) {
      // The client went away while it sent the request: nobody is answered, and the request has its line in the log.
      if (ctx.req.destroyed && !ctx.req.complete) return;
      // Thrown by our own middleware: nothing of the library's answer may be left.
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
    ctx.set('retry-after', RETRY_AFTER);
  });
}
