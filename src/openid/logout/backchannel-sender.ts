// Delivers logout tokens to clients: each instance takes what is due from the queue, sends it, and retries for a day (OpenID
// Connect Back-Channel Logout 1.0, sections 2.5 and 2.8).

import type { AuditTrail } from '#shared/audit/events.ts';
import type { Logger } from '#shared/log/log.ts';
import { startQueuePoll } from '#shared/queue-poll.ts';
import { tracedAlone } from '#shared/request-context.ts';
import { epochSeconds } from '#store/database/connection.ts';
import type { Delivery, LogoutDeliveries } from '#store/oidc/logout-deliveries.ts';
import { type LogoutToken, NoReceiver } from './logout-token.ts';

interface LogoutSenderOptions {
  deliveries: LogoutDeliveries;
  token(delivery: Delivery): Promise<LogoutToken | undefined>;
  /** Reaches clients only (`clients/outbound-fetch.ts`). */
  fetch: typeof fetch;
  audit: AuditTrail;
  log: Pick<Logger, 'warn'>;
  /** Milliseconds that a client has to answer: five seconds. */
  answerWithin?: number;
}

export interface LogoutSender {
  /** Looks now instead of within a second. */
  wake(): void;
  /** Aborts what is being sent: it is sent again after the next start. */
  close(): Promise<void>;
}

/** Milliseconds that a client has to answer. */
const ANSWER_WITHIN = 5000;
/** Requests at once, and of these to one client: none holds up the others. */
const AT_ONCE = 20;
const AT_ONCE_TO_ONE = 3;
/** Seconds for which a client is passed over that did not answer at all: it costs a request its whole time. */
const REST = 30;
/** Seconds that a delivery belongs to who took it: longer than an answer may take. */
const LEASE = 30;

const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 3600;
const TRIED_FOR = 86_400;

/** Second at which a failed delivery is tried again: pauses double from 5 s to an hour; undefined after a day. */
export function nextAttempt(
  { attempts, createdAt }: Pick<Delivery, 'attempts' | 'createdAt'>,
  now: number,
): number | undefined {
  const at = now + Math.min(FIRST_PAUSE * 2 ** (attempts - 1), LONGEST_PAUSE);
  return at <= createdAt + TRIED_FOR ? at : undefined;
}

/** Sends until closed. */
export function startLogoutSender(options: LogoutSenderOptions): LogoutSender {
  const { deliveries, token, fetch, audit, log, answerWithin = ANSWER_WITHIN } = options;
  const stopping = new AbortController();
  /** What is being sent, and to which client. */
  const sending = new Map<Promise<void>, string>();
  /** Clients that rest, and until which millisecond of the process's own clock. */
  const resting = new Map<string, number>();

  const send = async (delivery: Delivery): Promise<string | undefined> => {
    const made = await token(delivery);
    if (!made) return undefined;
    const response = await fetch(made.url, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: made.token }),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(answerWithin)]),
    });
    // Section 2.8: 200, or 204 of frameworks that have nothing to add. Any other 2xx does not confirm that the person is
    // signed out there; a second token does no harm (section 2.7).
    if (response.status !== 200 && response.status !== 204) throw new Error(`it answered ${response.status}`);
    return made.url;
  };

  const deliver = async (delivery: Delivery) => {
    const { id, clientId: client, accountId: account, attempts: attempt } = delivery;
    try {
      const url = await send(delivery);
      await deliveries.end(id);
      if (url !== undefined)
        audit.note({ event: 'logout-token.delivered', account, client, details: { url, attempt } });
    } catch (error) {
      if (stopping.signal.aborted) return deliveries.putBack(id);
      const now = epochSeconds();
      const late = isLate(error);
      if (late) resting.set(client, performance.now() + REST * 1000);
      const next = error instanceof NoReceiver ? undefined : nextAttempt(delivery, now);
      if (next === undefined) await deliveries.end(id);
      else await deliveries.postpone(id, next);
      const reason = late ? `no answer within ${answerWithin / 1000} s` : reasonOf(error);
      const details = { reason, attempt, ...(next && { againIn: next - now }) };
      if (next === undefined) audit.note({ event: 'logout-token.given-up', account, client, details });
      else if (attempt === 1) audit.note({ event: 'logout-token.failed', account, client, details });
      // A client that is down for a day would fill the audit trail.
      else log.warn({ account, client, ...details }, 'a client could not be notified of a sign-out');
    }
  };

  const take = async () => {
    const now = performance.now();
    for (const [client, until] of resting) if (until <= now) resting.delete(client);
    const except = [...new Set([...sending.values(), ...resting.keys()])];
    const share = { most: AT_ONCE - sending.size, perClient: AT_ONCE_TO_ONE, except, lease: LEASE };
    for (const delivery of await deliveries.take(share)) {
      const attributes = { 'hygie.client_id': delivery.clientId, 'hygie.attempt': delivery.attempts };
      const attempt = tracedAlone('deliver a logout token', attributes, () => deliver(delivery))
        .catch((err: unknown) => log.warn({ err }, 'a delivery could not be noted: it is sent again'))
        .finally(() => {
          sending.delete(attempt);
          poll.wake();
        });
      sending.set(attempt, delivery.clientId);
    }
  };
  const poll = startQueuePoll({
    take,
    ready: () => sending.size < AT_ONCE,
    failed: (err) => log.warn({ err }, 'the queue of sign-outs could not be looked at'),
  });
  return {
    wake: poll.wake,
    close: async () => {
      stopping.abort();
      await poll.close();
      await Promise.all(sending.keys());
    },
  };
}

function isLate(error: unknown): boolean {
  return (error as Partial<Error> | undefined)?.name === 'TimeoutError';
}

function reasonOf(error: unknown): string {
  const { message, code, name } = (error ?? {}) as Partial<NodeJS.ErrnoException>;
  return message || code || name || 'unknown';
}
