// Puts the logout tokens of oidc-provider (OpenID Connect Back-Channel Logout 1.0, section 2.4) into our queue, and makes the token of a
// queued sign-out when it is sent. oidc-provider itself sends each token once, while the person waits, and forgets it if the client does
// not answer (SEC-38). Its documented `fetch` option intercepts the tokens. Of a client's settings, `logoutTokenType` takes effect here,
// `backchannelLogoutSession` by its metadata (`clients/client-registry.ts`).

import { AsyncLocalStorage } from 'node:async_hooks';
import { CompactSign, decodeJwt, decodeProtectedHeader, type JWK as JoseKey } from 'jose';
import type { JWK, Provider } from 'oidc-provider';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { notifyClient } from '#openid/sessions/end-session.ts';
import type { Delivery, EndedSession } from '#store/outbox/logout-deliveries.ts';

export interface LogoutToken {
  /** The client's back-channel address. */
  url: string;
  /** The logout token. It lives for two minutes, so it is made when it is sent. */
  token: string;
}

/** Thrown if no client is left to be notified. The message says why. */
export class NoReceiver extends Error {}

/** Receives the token that is being made for the queue to send. */
const making = new AsyncLocalStorage<{ token?: string }>();

/** Wraps the `fetch` of oidc-provider. A logout token goes into the queue by `add`; any other request is fetched. */
export function queueLogoutTokens(reach: typeof fetch, add: (ended: EndedSession) => Promise<void>): typeof fetch {
  return async (target, init) => {
    const token = init?.body instanceof URLSearchParams ? init.body.get('logout_token') : null;
    if (token === null) return reach(target, init);
    const made = making.getStore();
    if (made) made.token = token;
    else {
      const { aud, sub = '', sid } = decodeJwt(token);
      // A client that is not told the session has no use for its id.
      await add({ clientId: String(aud), accountId: sub, sid: String(sid ?? '') });
    }
    return new Response(null, { status: 204 });
  };
}

/**
 * The token for one client, signed with the current keys. Undefined if the client takes none: when an operator ends sessions, all of their
 * clients are in the queue. Throws `NoReceiver` if the client lost its back-channel address while the token waited.
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

/** oidc-provider knows only one `typ`, so the same claims are signed again with the same key. */
function withTypeJwt(issued: string, signing: readonly JWK[]): Promise<string> {
  const { alg = '', kid = '' } = decodeProtectedHeader(issued);
  const key = signing.find((one) => one.kid === kid);
  if (!key) throw new Error(`the key ${kid} of a logout token is none of those in force`);
  const claims = Buffer.from(issued.split('.')[1] ?? '', 'base64url');
  return new CompactSign(claims).setProtectedHeader({ alg, kid, typ: 'JWT' }).sign({ ...key, alg } as JoseKey);
}
