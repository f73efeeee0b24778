// Owns what is answered when the service itself failed, or its database is away: the library has one sentence for both.
// Does not own the log of it (`fault-log.ts`) nor the page (`src/signin/error-page.ts`).

import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { isAway, RETRY_AFTER } from '../../store/database/transient-errors.ts';

const FAILED = {
  error: 'server_error',
  error_description: 'this service failed: its operator finds the cause in the log, by the X-Request-Id of this answer',
};
// RFC 6749 section 4.1.2.1 has this word for it.
const AWAY = {
  error: 'temporarily_unavailable',
  error_description: 'the database of this service does not answer at the moment: try again soon',
};

/** Bends a provider that has answered nothing yet; before any other `use`, so that it sees what those throw. */
export function answerOwnFaults(provider: Provider): void {
  const faults = new WeakMap<object, unknown>();
  provider.on('server_error', (ctx, error) => void faults.set(ctx, error));
  provider.use(async (ctx: KoaContextWithOIDC, next: () => Promise<void>) => {
    try {
      await next();
    } catch (error) {
      // Thrown by what stands around the library's own answer, of which nothing is left.
      for (const name of ['location', 'www-authenticate']) ctx.remove(name);
      ctx.body = FAILED;
      ctx.status = 500;
      provider.emit('server_error', ctx, error as Error);
    }
    if (!faults.has(ctx)) return;
    const away = isAway(faults.get(ctx));
    const { body } = ctx;
    if (typeof body === 'object' && body !== null && 'error' in body) ctx.body = away ? AWAY : FAILED;
    if (!away) return;
    ctx.status = 503;
    ctx.set('retry-after', RETRY_AFTER);
  });
}
