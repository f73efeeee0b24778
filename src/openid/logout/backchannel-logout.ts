// Back-channel logout (OpenID Connect Back-Channel Logout 1.0). oidc-provider makes a logout token for each client, and this file puts a
// delivery into our queue instead of sending the token. When the delivery is due, a new token is made and sent to the client.

import { AsyncLocalStorage } from 'node:async_hooks';
import { CompactSign, decodeJwt, decodeProtectedHeader, type JWK as JoseKey } from 'jose';
import type { JWK, Provider } from 'oidc-provider';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { notifyClient } from '#openid/sessions/end-session.ts';
import type { AuditTrail } from '#shared/audit/events.ts';
import type { Logger } from '#shared/log/log.ts';
import { nextAttempt as nextOf, type OutboxWorker, startOutboxWorker } from '#shared/outbox-worker.ts';
import type { Delivery, EndedSession, LogoutDeliveries } from '#store/outbox/logout-deliveries.ts';

// oidc-provider itself would send each token (section 2.4) only once, while the person waits, and would forget the token if the client does
// not answer (SEC-38). Through the documented `fetch` option of oidc-provider, this file intercepts the tokens. It also applies the client
// setting `logoutTokenType`. The setting `backchannelLogoutSession` becomes client metadata (`clients/client-registry.ts`).

export interface LogoutToken {
  /** The client's back-channel address. */
  url: string;
  /** The logout token. It is made just before it is sent, because it is valid for only two minutes. */
  token: string;
}

/** Thrown if the client cannot be notified any more. The message of the error gives the reason. */
export class NoReceiver extends Error {}

/**
 * Set while `logoutToken` makes a token: the object into which `queueLogoutTokens` puts this token. At all other times there is no such
 * object, and `queueLogoutTokens` puts a delivery into the queue instead.
 */
const making = new AsyncLocalStorage<{ token?: string }>();

/**
 * Wraps the `fetch` of oidc-provider. The returned function does not send a logout token, but puts a delivery into the queue (`add`). It
 * passes any other request on to `reach`.
 */
export function queueLogoutTokens(reach: typeof fetch, add: (ended: EndedSession) => Promise<void>): typeof fetch {
  return async (target, init) => {
    const token = init?.body instanceof URLSearchParams ? init.body.get('logout_token') : null;
    if (token === null) return reach(target, init);
    const made = making.getStore();
    if (made) made.token = token;
    else {
      const { aud, sub = '', sid } = decodeJwt(token);
      // The `sid` is missing if the logout tokens of the client do not name the session. The token that is sent later does not name it
      // either, so the queue needs no `sid`.
      await add({ clientId: String(aud), accountId: sub, sid: String(sid ?? '') });
    }
    return new Response(null, { status: 204 });
  };
}

/**
 * Makes the logout token for one client, signed with the current keys. Returns undefined if the client has no back-channel address and had
 * none before. The queue contains deliveries for such clients, because an operator who ends sessions puts all clients of the sessions into
 * the queue. Throws `NoReceiver` if the client lost its back-channel address while the delivery waited.
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

/**
 * Signs the claims of the token again with the same key, but with `typ: JWT`. oidc-provider always sets the type `logout+jwt`, which some
 * clients refuse, such as pac4j and older versions of Spring Security.
 */
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
  /** Milliseconds between two looks for due deliveries; a second by default. */
  lookEvery?: number | undefined;
}

/** Default of `answerWithin`, in milliseconds. */
const ANSWER_WITHIN = 5000;
/**
 * Maximum number of simultaneous requests to all clients together (`AT_ONCE`), and to one client. The lower number for one client keeps a
 * slow client from delaying the others.
 */
const AT_ONCE = 20;
const AT_ONCE_TO_ONE = 3;
/**
 * Seconds for which a client that did not answer at all is skipped, because each further request to it would probably take the full
 * `answerWithin` again.
 */
const REST = 30;
/**
 * Seconds for which a delivery belongs to the instance that took it. This is longer than a client may take to answer, so that no other
 * instance sends the same delivery meanwhile.
 */
const LEASE = 30;
const LONGEST_PAUSE = 3600;
const DAY = 86_400;

/**
 * Returns the time of the next attempt after a failure, in seconds since 1970; undefined if that would be more than a day after the
 * sign-out. The pauses double, from 5 s to an hour.
 */
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
    // Section 2.8 requires 200, or 204 for frameworks that send no body. Any other 2xx does not confirm that the client has signed the
    // person out. The token is sent again then, because a second token does no harm (section 2.7).
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
