// Makes the logout token of a session that ended (OpenID Connect Back-Channel Logout 1.0, section 2.4).

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
interface UnsignedToken {
  mask: object;
  set(claim: string, value: unknown): void;
  issue(options: { use: 'logout' }): Promise<string>;
}
type TokenConstructor = new (claims: object, about: { client: Client; ctx: undefined }) => UnsignedToken;

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** The token for one client, signed with the keys in force; undefined when it no longer has a back-channel address. */
export async function logoutToken(provider: Provider, ended: EndedSession): Promise<LogoutToken | undefined> {
  const client = await provider.Client.find(ended.clientId);
  if (!client?.backchannelLogoutUri) return undefined;
  const token = new (provider.IdToken as unknown as TokenConstructor)(
    { sub: ended.accountId },
    { client, ctx: undefined },
  );
  token.mask = { sub: null };
  token.set('events', { [EVENT]: {} });
  token.set('jti', randomUUID());
  token.set('sid', ended.sid);
  return { url: client.backchannelLogoutUri, token: await token.issue({ use: 'logout' }) };
}
