// Puts the logout tokens of oidc-provider (OpenID Connect Back-Channel Logout 1.0, section 2.4) into our queue, and makes the token anew
// when the queue sends it. oidc-provider itself would send each token once, while the person waits, and forget it if the client does not
// answer (SEC-38). The documented `fetch` option of oidc-provider lets us intercept the tokens. This file applies the client setting
// `logoutTokenType`. `backchannelLogoutSession` is client metadata (`clients/client-registry.ts`).

import { AsyncLocalStorage } from 'node:async_hooks';
import { CompactSign, decodeJwt, decodeProtectedHeader, type JWK as JoseKey } from 'jose';
import type { JWK, Provider } from 'oidc-provider';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { notifyClient } from '#openid/sessions/end-session.ts';
import type { Delivery, EndedSession } from '#store/outbox/logout-deliveries.ts';

export interface LogoutToken {
  /** The client's back-channel address. */
  url: string;
  /** The logout token. It is valid for two minutes, so it is made when it is sent. */
  token: string;
}

/** Thrown if the client cannot be notified any more. The message says why. */
export class NoReceiver extends Error {}

/** Receives the token that the queue is about to send. */
const making = new AsyncLocalStorage<{ token?: string }>();

/** Wraps the `fetch` of oidc-provider. It puts a logout token into the queue by `add`, and passes any other request on to `reach`. */
export function queueLogoutTokens(reach: typeof fetch, add: (ended: EndedSession) => Promise<void>): typeof fetch {
  return async (target, init) => {
    const token = init?.body instanceof URLSearchParams ? init.body.get('logout_token') : null;
    if (token === null) return reach(target, init);
    const made = making.getStore();
    if (made) made.token = token;
    else {
      const { aud, sub = '', sid } = decodeJwt(token);
      // The `sid` is missing if the client's tokens do not name the session. The client then has no use for it.
      await add({ clientId: String(aud), accountId: sub, sid: String(sid ?? '') });
    }
    return new Response(null, { status: 204 });
  };
}

/**
 * Makes the token for one client, signed with the current keys. Returns undefined if the client takes none: when an operator ends sessions,
 * all of their clients are in the queue. Throws `NoReceiver` if the client lost its back-channel address while the delivery waited.
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
  const made: { token?: string } = {};
  await making.run(made, () => notifyClient(client, accountId, sid));
  const { token = '' } = made;
  const typed = clients.find(clientId)?.logoutTokenType === 'JWT' ? await withTypeJwt(token, signing) : token;
  return { url: client.backchannelLogoutUri, token: typed };
}

/** Signs the same claims again with the same key and `typ: JWT`. oidc-provider itself knows only one `typ`. */
function withTypeJwt(issued: string, signing: readonly JWK[]): Promise<string> {
  const { alg = '', kid = '' } = decodeProtectedHeader(issued);
  const key = signing.find((one) => one.kid === kid);
  if (!key) throw new Error(`the key ${kid} of a logout token is none of those in force`);
  const claims = Buffer.from(issued.split('.')[1] ?? '', 'base64url');
  return new CompactSign(claims).setProtectedHeader({ alg, kid, typ: 'JWT' }).sign({ ...key, alg } as JoseKey);
}
