// Owns that the end of a session is put into a queue instead of being told at once, and the token that tells it.
// Source: OpenID Connect Back-Channel Logout 1.0, section 2.4. Does not own the queue (`src/store/oidc/logout-deliveries.ts`).

import { randomUUID } from 'node:crypto';
import type { Client, Provider } from 'oidc-provider';
import type { EndedSession } from '../../store/oidc/logout-deliveries.ts';

export interface LogoutToken {
  /** The client's back-channel address. */
  url: string;
  /** Lives for two minutes: made when it is sent. */
  token: string;
}

/** What the library's types leave out. */
interface BackchannelClient {
  clientId: string;
  backchannelLogout(accountId: string, sid: string): Promise<void>;
}
interface TokenInTheMaking {
  mask: object;
  set(claim: string, value: unknown): void;
  issue(options: { use: 'logout' }): Promise<string>;
}
type TokenMaker = new (claims: object, about: { client: Client; ctx: undefined }) => TokenInTheMaking;

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** Wherever the provider tells a client of the end of a session, `add` is called instead; a sign-out waits for no client. */
export function queueLogouts(provider: Provider, add: (ended: EndedSession) => Promise<void>): void {
  const prototype = provider.Client.prototype as unknown as BackchannelClient;
  prototype.backchannelLogout = function (accountId, sid) {
    return add({ clientId: this.clientId, accountId, sid });
  };
}

/** The token for one client, signed with the keys in force; undefined when it no longer wants to be told. */
export async function logoutToken(provider: Provider, ended: EndedSession): Promise<LogoutToken | undefined> {
  const client = await provider.Client.find(ended.clientId);
  if (!client?.backchannelLogoutUri) return undefined;
  const token = new (provider.IdToken as unknown as TokenMaker)({ sub: ended.accountId }, { client, ctx: undefined });
  token.mask = { sub: null };
  token.set('events', { [EVENT]: {} });
  token.set('jti', randomUUID());
  token.set('sid', ended.sid);
  return { url: client.backchannelLogoutUri, token: await token.issue({ use: 'logout' }) };
}
