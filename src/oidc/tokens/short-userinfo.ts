// Owns the short way to userinfo (OpenID Connect Core section 5.3): a token that holds, in the header, and the claims of its scopes.
// Claims that were asked for one by one, proofs of keys, pages of other sites and all refusals are the library's.
// Does not own which claims there are (`claims.ts`) nor whether a token holds (`introspection.ts`).

import type { RequestListener } from 'node:http';
import type { OidcRecords } from '../../store/oidc/oidc-records.ts';
import type { TokenContext } from '../../store/oidc/token-lookup.ts';
import { type ClaimSettings, claimsByScope, claimsOf } from '../claims.ts';
import type { ClientRegistry } from '../clients/client-registry.ts';
import { ROUTES } from '../routes.ts';
import { accessTokenState } from './introspection.ts';
import { areUsual, isUsualToken, sendShortly } from './short-way.ts';

export interface ShortUserinfo {
  settings: ClaimSettings;
  clients: ClientRegistry;
  records: Pick<OidcRecords, 'findTokenContext'>;
}

/** As `library`, which answers all that cannot go the short way. */
export function tellShortly(options: ShortUserinfo, library: RequestListener): RequestListener {
  const claims = createClaims(options);
  return (req, res) => {
    const { method, url, headers } = req;
    const asked = method === 'GET' && url === ROUTES.userinfo && areUsual(headers);
    const token = asked ? /^Bearer ([\w-]+)$/.exec(headers.authorization ?? '')?.[1] : undefined;
    if (token === undefined) return library(req, res);
    const answer = async () => {
      const context = await options.records.findTokenContext(token);
      return context && claims(context);
    };
    answer().then(
      (told) => (told ? sendShortly(res, told) : library(req, res)),
      // It meets the same fault, and says so.
      () => library(req, res),
    );
  };
}

interface Granted {
  openid?: { scope?: string };
  rejected?: object;
}

function createClaims({ settings, clients }: ShortUserinfo) {
  const byScope = new Map(Object.entries(claimsByScope(settings.namespace)));
  /** Undefined for what the library has to look at. */
  return (context: TokenContext): object | undefined => {
    const { token, grant, account } = context;
    if (!isUsualToken(context) || token['claims'] !== undefined) return undefined;
    const state = accessTokenState(context, clients);
    const client = state.active ? clients.find(state.clientId) : undefined;
    const { openid, rejected } = (grant?.content ?? {}) as Granted;
    if (!state.active || !client || !account || rejected || !state.scopes.has('openid')) return undefined;
    const scopes = (openid?.scope ?? '').split(' ').filter((scope) => state.scopes.has(scope));
    const all = claimsOf(account, client.name, settings);
    return Object.fromEntries(scopes.flatMap((scope) => byScope.get(scope) ?? []).map((claim) => [claim, all[claim]]));
  };
}
