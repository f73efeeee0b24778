// Back-channel logout (OpenID Connect Back-Channel Logout 1.0): puts the logout tokens of oidc-provider into our queue, makes each token
// anew when the queue sends it, and delivers it to the client.

import { AsyncLocalStorage } from 'node:async_hooks';
import { CompactSign, decodeJwt, decodeProtectedHeader, type JWK as JoseKey } from 'jose';
import type { JWK, Provider } from 'oidc-provider';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { notifyClient } from '#openid/sessions/end-session.ts';
import type { AuditTrail } from '#shared/audit/events.ts';
import type { Logger } from '#shared/log/log.ts';
import { nextAttempt as nextOf, type OutboxWorker, startOutboxWorker } from '#shared/outbox-worker.ts';
import type { Delivery, EndedSession, LogoutDeliveries } from '#store/outbox/logout-deliveries.ts';

// oidc-provider itself would send each token (section 2.4) once, while the person waits, and forget it if the client does not answer
// (SEC-38). The documented `fetch` option of oidc-provider lets us intercept the tokens. This file applies the client setting
// `logoutTokenType`. `backchannelLogoutSession` is client metadata (`clients/client-registry.ts`).

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

// Each instance takes due deliveries from the queue, sends them, and retries for a day (sections 2.5 and 2.8).

interface LogoutSenderOptions {
  deliveries: LogoutDeliveries;
  token(delivery: Delivery): Promise<LogoutToken | undefined>;
  /** The `fetch` for addresses of clients (`clients/outbound-fetch.ts`). */
  fetch: typeof fetch;
  audit: AuditTrail;
  log: Pick<Logger, 'warn'>;
  /** Milliseconds that a client has to answer; five seconds by default. */
  answerWithin?: number;
  /** Milliseconds between two looks for due deliveries. By default a second. */
  lookEvery?: number | undefined;
}

/** Default of `answerWithin`, in milliseconds. */
const ANSWER_WITHIN = 5000;
/** Maximum simultaneous requests to all clients, and to one client. So no client delays the others. */
const AT_ONCE = 20;
const AT_ONCE_TO_ONE = 3;
/** Seconds for which a client that did not answer at all is skipped. Each request to it would take the full `answerWithin`. */
const REST = 30;
/** Seconds for which a delivery belongs to the instance that took it. They are longer than an answer may take. */
const LEASE = 30;
const LONGEST_PAUSE = 3600;
const DAY = 86_400;

/** When a failed delivery is tried again, in seconds since 1970; undefined after a day. The pauses double, from 5 s to an hour. */
export function nextAttempt(delivery: Pick<Delivery, 'attempts' | 'createdAt'>, now: number): number | undefined {
  return nextOf(delivery, now, { longestPause: LONGEST_PAUSE, within: DAY });
}

/** Sends logout tokens until the worker is closed. */
export function startLogoutSender(options: LogoutSenderOptions): OutboxWorker {
  const { deliveries, token, fetch, audit, log, answerWithin = ANSWER_WITHIN } = options;
  /** The clients that are skipped, each with the end of its pause (on the clock of `performance.now()`). */
  const resting = new Map<string, number>();

  const send = async (delivery: Delivery, stopping: AbortSignal) => {
    const made = await token(delivery);
    if (!made) return undefined;
    const response = await fetch(made.url, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: made.token }),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      signal: AbortSignal.any([stopping, AbortSignal.timeout(answerWithin)]),
    });
    // Section 2.8 requires 200, or 204 for frameworks that send no body. Any other 2xx does not confirm that the person is signed out
    // there. A second token does no harm (section 2.7).
    if (response.status !== 200 && response.status !== 204) throw new Error(`it answered ${response.status}`);
    const { clientId: client, accountId: account, attempts: attempt } = delivery;
    return { event: 'logout-token.delivered', account, client, details: { url: made.url, attempt } } as const;
  };
  const take = (most: number, sending: Iterable<Delivery>) => {
    const now = performance.now();
    for (const [client, until] of resting) if (until <= now) resting.delete(client);
    const except = new Set([...Array.from(sending, ({ clientId }) => clientId), ...resting.keys()]);
    return deliveries.take({ most, perClient: AT_ONCE_TO_ONE, except: [...except], lease: LEASE });
  };

  return startOutboxWorker<Delivery>({
    queue: deliveries,
    take,
    atOnce: AT_ONCE,
    lookEvery: options.lookEvery,
    send,
    reasonOf: (error, { clientId }) => {
      const { message, code, name } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
      if (name !== 'TimeoutError') return message || code || name || 'unknown';
      resting.set(clientId, performance.now() + REST * 1000);
      return `no answer within ${answerWithin / 1000} s`;
    },
    retryAt: (delivery, error, now) => (error instanceof NoReceiver ? undefined : nextAttempt(delivery, now)),
    about: ({ accountId: account, clientId: client }) => ({ account, client }),
    events: { failed: 'logout-token.failed', givenUp: 'logout-token.given-up' },
    span: ({ clientId, attempts }) => ({
      name: 'deliver a logout token',
      attributes: { 'hygie.client_id': clientId, 'hygie.attempt': attempts },
    }),
    audit,
    log,
    texts: {
      failed: 'a client could not be notified of a sign-out',
      notNoted: 'a delivery could not be noted: it is sent again',
      notTaken: 'the queue of sign-outs could not be looked at',
    },
  });
}
