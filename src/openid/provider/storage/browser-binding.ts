// A sign-in is bound to the browser in which the person typed the password. The cookies of the interaction cannot prove which browser that
// is, because they exist before the password is typed: an attacker may have begun the interaction on a shared computer, or planted its
// cookies from a neighbour domain. The attacker then has the same cookies, and could fetch the session before the person's browser does
// (SEC-33, SEC-35).

import { type Adapter, Provider } from 'oidc-provider';
import { COOKIES, sealedCookie } from '#web/http/cookies.ts';
import { pageExchange } from './interaction-storage.ts';

/** The path of the cookie. A cookie with the prefix `__Host-` must have this path. */
const PATH = '/';

/**
 * Wraps the adapter of interactions. The response to a sign-in sets one more cookie, and the provider does not resume the interaction
 * without this cookie. The cookie contains the id of the account, so that a form that is sent twice sets the same cookie. It belongs to one
 * host (`__Host-`), so that an attacker cannot plant the cookie of their own sign-in. New cookies are sealed with the first of `keys`, and
 * each of `keys` can open cookies.
 */
export function boundToBrowser(adapter: Adapter, issuer: string, keys: readonly string[]): Adapter {
  const cookieOf = (id: string) => sealedCookie(`${COOKIES.signedIn}_${id}`, keys, issuer.startsWith('https:'), PATH);
  return {
    ...adapter,
    find: async (id) => {
      const payload = await adapter.find(id);
      const accountId = accountOf(payload);
      const { ctx } = Provider;
      // For any other browser, the interaction seems to be missing. It is not deleted, because the person's own browser may still resume
      // it.
      if (ctx && accountId !== undefined && cookieOf(id).read(ctx.req, bindingContextOf(id)) !== accountId)
        return undefined;
      return payload;
    },
    upsert: async (id, payload, expiresIn) => {
      await adapter.upsert(id, payload, expiresIn);
      const accountId = accountOf(payload);
      const page = Provider.ctx ? undefined : pageExchange();
      if (!page || accountId === undefined) return;
      cookieOf(id).write(page.res, accountId, { context: bindingContextOf(id), path: PATH, seconds: expiresIn ?? 0 });
    },
    destroy: async (id) => {
      await adapter.destroy(id);
      const { ctx } = Provider;
      if (ctx) cookieOf(id).clear(ctx.req, ctx.res, PATH);
    },
  };
}

function accountOf(payload: Awaited<ReturnType<Adapter['find']>>): string | undefined {
  return (payload?.['result'] as { login?: { accountId?: string } } | undefined)?.login?.accountId;
}

function bindingContextOf(uid: string): string {
  return `sign-in to interaction ${uid}`;
}
