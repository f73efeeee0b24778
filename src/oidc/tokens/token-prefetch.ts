// Owns that a request which presents a token reads it together with its session, grant and account: oidc-provider asks for
// them one after the other, each a way to the database and back. Does not own the query (`src/store/oidc/token-lookup.ts`).

import { Provider } from 'oidc-provider';
import type { Accounts } from '../../store/accounts/accounts.ts';
import { restoreRecord, restoreSession } from '../../store/oidc/oidc-payload.ts';
import type { OidcRecords } from '../../store/oidc/oidc-records.ts';
import { TOKEN_MODELS, type TokenContexts } from '../../store/oidc/token-lookup.ts';

export interface ReadAhead {
  records: OidcRecords;
  accounts: Pick<Accounts, 'find'>;
}

type Read = ReturnType<TokenContexts['findTokenContext']>;

/** Where a request keeps what it has read. */
const READ = Symbol('read ahead');
type State = { [READ]?: { token: string; read: Read } | undefined };

const isToken = (model: string) => (TOKEN_MODELS as readonly string[]).includes(model);
const SINGLE_USE = ['AuthorizationCode', 'RefreshToken'];

/**
 * The same records and accounts, as the provider is to see them: within one of its requests, what belongs to the token that
 * was presented is answered from the one look at it. Whatever the request itself ends or changes is looked up anew.
 */
export function readAhead(records: OidcRecords, accounts: Pick<Accounts, 'find'>): ReadAhead {
  const stateOf = (ctx: typeof Provider.ctx) => ctx?.state as State | undefined;
  const presented = () => stateOf(Provider.ctx)?.[READ]?.read;
  const forget = () => {
    const state = stateOf(Provider.ctx);
    if (state) state[READ] = undefined;
  };

  const once = (look: (token: string) => Read) => (token: string) => {
    const state = stateOf(Provider.ctx);
    const known = state?.[READ];
    if (known?.token === token) return known.read;
    const read = look(token);
    if (state) state[READ] = { token, read };
    return read;
  };
  const findTokenContext = once(records.findTokenContext);
  const findSingleUse = once(records.findSingleUse);
  const forgetting =
    <Args extends unknown[]>(change: (...args: Args) => Promise<void>) =>
    async (...args: Args): Promise<void> => {
      forget();
      await change(...args);
      // Meanwhile it may have been read again.
      forget();
    };

  return {
    records: {
      ...records,
      findTokenContext,
      find: async (model, id) => {
        if (isToken(model) && Provider.ctx) {
          const context = await (SINGLE_USE.includes(model) ? findSingleUse : findTokenContext)(id);
          return context?.model === model ? restoreRecord(context.token, id, context.consumedAt) : undefined;
        }
        const context = model === 'Grant' ? await presented() : undefined;
        if (!context?.grant || context.token.grantId !== id) return records.find(model, id);
        return restoreRecord(context.grant.content, id, null);
      },
      findSession: async (uid) => {
        const context = await presented();
        if (!context?.session || context.token.sessionUid !== uid) return records.findSession(uid);
        return restoreSession(context.session);
      },
      upsert: async (model, ...rest) => {
        if (model === 'Grant' || model === 'Session') forget();
        await records.upsert(model, ...rest);
      },
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
