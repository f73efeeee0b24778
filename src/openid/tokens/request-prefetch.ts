// Fetches in one query the records that oidc-provider needs for one request: a token with its session, account and grant, or the session of
// an authorization request with its account and (on PostgreSQL) its grant. The library asks for these records one after the other, and each
// question would be a round trip to the database. The directory has its own check of tokens (`introspection.ts`). On PostgreSQL,
// introspection and userinfo take three quarters of the processor time that they take without this file (`npm run bench -- --engine
// postgresql`). On SQLite there is no measurable difference.

import { Provider } from 'oidc-provider';
import type { Accounts } from '#store/accounts/accounts.ts';
import { restoreRecord, restoreSession } from '#store/oidc/oidc-payload.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { type SignInContext, TOKEN_MODELS, type TokenLookup } from '#store/oidc/token-lookup.ts';
import { hasValidSignIn } from './introspection.ts';

interface Prefetched {
  records: OidcRecords;
  accounts: Pick<Accounts, 'find'>;
}

type Fetched = ReturnType<TokenLookup['findTokenContext']>;

/** Name in `ctx.state` for the fetched token or session of a request. */
const FETCHED = Symbol('prefetched token');
type State = { [FETCHED]?: { token?: string; fetched: Fetched | SignInContext } | undefined };

const isToken = (model: string) => (TOKEN_MODELS as readonly string[]).includes(model);
const SINGLE_USE = ['AuthorizationCode', 'RefreshToken'];

/**
 * Wraps the records and accounts that the provider uses. During a request of the provider, they return what the one query has found for the
 * presented token or session. If the request replaces or destroys such records, later questions go to the
 * database again.
 */
export function prefetchRecords(records: OidcRecords, accounts: Pick<Accounts, 'find'>): Prefetched {
  const stateOf = (ctx: typeof Provider.ctx) => ctx?.state as State | undefined;
  const presented = () => stateOf(Provider.ctx)?.[FETCHED]?.fetched;
  const forget = () => {
    const state = stateOf(Provider.ctx);
    if (state) state[FETCHED] = undefined;
  };

  const once = (find: (token: string) => Fetched) => (token: string) => {
    const state = stateOf(Provider.ctx);
    const known = state?.[FETCHED];
    if (known?.token === token) return known.fetched as Fetched;
    const fetched = find(token);
    if (state) state[FETCHED] = { token, fetched };
    return fetched;
  };
  const findTokenContext = once(records.findTokenContext);
  const findSingleUse = once(records.findSingleUse);
  const forgetting =
    <Args extends unknown[], Result>(change: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      forget();
      const result = await change(...args);
      // The fetched state is dropped again after the change, because another step of the request may have fetched the old state meanwhile.
      forget();
      return result;
    };

  return {
    records: {
      ...records,
      findTokenContext,
      find: async (model, id) => {
        if (isToken(model) && Provider.ctx) {
          const context = await (SINGLE_USE.includes(model) ? findSingleUse : findTokenContext)(id);
          if (context?.model !== model || !hasValidSignIn(context)) return undefined;
          return restoreRecord(context.token, id, context.consumedAt);
        }
        const context = model === 'Grant' ? await presented() : undefined;
        if (!context?.grant || context.token.grantId !== id) return records.find(model, id);
        return restoreRecord(context.grant.content, id, null);
      },
      findSession: async (uid) => {
        const context = await presented();
        if (!context?.session || context.token.sessionUid !== uid) return records.findSession(uid);
        return hasValidSignIn(context) ? restoreSession(context.session) : undefined;
      },
      readSession: async (by) => {
        const { ctx } = Provider;
        if (!('id' in by) || ctx?.oidc.route !== 'authorization') return records.readSession(by);
        const found = await records.readSignedIn(by.id, String(ctx.query['client_id']));
        if (found) (ctx.state as State)[FETCHED] = { fetched: found.context };
        return found?.read;
      },
      replace: forgetting(records.replace),
      destroy: forgetting(records.destroy),
      destroySession: forgetting(records.destroySession),
      destroyByGrant: forgetting(records.destroyByGrant),
    },
    accounts: {
      find: async (id) => {
        const context = await presented();
        return context?.account?.id === id ? context.account : accounts.find(id);
      },
    },
  };
}
