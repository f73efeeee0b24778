// Delivers logout tokens to clients. Each instance takes due deliveries from the queue, sends them, and retries for a day (OpenID Connect
// Back-Channel Logout 1.0, sections 2.5 and 2.8).

import type { AuditTrail } from '#shared/audit/events.ts';
import type { Logger } from '#shared/log/log.ts';
import { nextAttempt as nextOf, type OutboxWorker, startOutboxWorker } from '#shared/outbox-worker.ts';
import type { Delivery, LogoutDeliveries } from '#store/outbox/logout-deliveries.ts';
import { type LogoutToken, NoReceiver } from './logout-token.ts';

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
