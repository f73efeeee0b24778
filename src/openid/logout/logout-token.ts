// Makes the logout token of a session that ended (OpenID Connect Back-Channel Logout 1.0, section 2.4).

import { randomUUID } from 'node:crypto';
import { CompactSign, decodeProtectedHeader, type JWK as JoseKey } from 'jose';
import type { Client, JWK, Provider } from 'oidc-provider';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import type { Delivery } from '#store/oidc/logout-deliveries.ts';

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

/** Nobody is left to be notified; the message says why. */
export class NoReceiver extends Error {}

/**
 * The token for one client, signed with the keys in force; undefined when it takes none: where an operator ends sessions, all of
 * their clients are in the queue. Throws `NoReceiver` when it lost its back-channel address while the token waited.
 */
export async function logoutToken(
  provider: Provider,
  clients: Pick<ClientRegistry, 'find' | 'hadLogoutAddress'>,
  signing: readonly JWK[],
  { clientId, accountId, sid, attempts }: Delivery,
): Promise<LogoutToken | undefined> {
  const client = await provider.Client.find(clientId);
  if (!client?.backchannelLogoutUri) {
    if (attempts === 1 && !clients.hadLogoutAddress(clientId)) return undefined;
    throw new NoReceiver(
      `${client ? 'the client has no backchannelLogoutUrl' : 'clients.yaml has no such client'} any more`,
    );
  }
  const token = new (provider.IdToken as unknown as TokenConstructor)({ sub: accountId }, { client, ctx: undefined });
  token.mask = { sub: null };
  token.set('events', { [EVENT]: {} });
  token.set('jti', randomUUID());
  if (client.backchannelLogoutSessionRequired) token.set('sid', sid);
  const issued = await token.issue({ use: 'logout' });
  const made = clients.find(clientId)?.logoutTokenType === 'JWT' ? await withTypeJwt(issued, signing) : issued;
  return { url: client.backchannelLogoutUri, token: made };
}

/** The library knows one `typ`: the same claims are signed again, by the same key. */
function withTypeJwt(issued: string, signing: readonly JWK[]): Promise<string> {
  const { alg = '', kid = '' } = decodeProtectedHeader(issued);
  const key = signing.find((one) => one.kid === kid);
  if (!key) throw new Error(`the key ${kid} of a logout token is none of those in force`);
  const claims = Buffer.from(issued.split('.')[1] ?? '', 'base64url');
  return new CompactSign(claims).setProtectedHeader({ alg, kid, typ: 'JWT' }).sign({ ...key, alg } as JoseKey);
}
