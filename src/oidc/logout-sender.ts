// Owns telling clients of ended sessions: each instance takes what is due, sends it, and tries again for a day.
// Source: OpenID Connect Back-Channel Logout 1.0, sections 2.5 and 2.8. Does not own the queue (`src/store/logout-deliveries.ts`)
// nor the token (`logout-tokens.ts`).

import type { AuditTrail } from '../shared/audit.ts';
import type { Logger } from '../shared/log.ts';
import { epochSeconds } from '../store/connection.ts';
import type { Delivery, EndedSession, LogoutDeliveries } from '../store/logout-deliveries.ts';
import type { LogoutToken } from './logout-tokens.ts';

export interface LogoutSenderOptions {
  deliveries: LogoutDeliveries;
  token(ended: EndedSession): Promise<LogoutToken | undefined>;
  /** Reaches clients only (`outgoing.ts`). */
  fetch: typeof fetch;
  audit: AuditTrail;
  log: Pick<Logger, 'warn'>;
}

export interface LogoutSender {
  /** Looks now instead of within a second. */
  wake(): void;
  /** Breaks off what is on its way: it is sent again after the next start. */
  close(): Promise<void>;
}

/** Milliseconds between two looks, and that a client has to answer. */
const LOOK_EVERY = 1000;
const ANSWER_WITHIN = 5000;
/** Requests at once: a client that does not answer holds up the others only when there are so many. */
const AT_ONCE = 20;
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
export function startLogoutSender({ deliveries, token, fetch, audit, log }: LogoutSenderOptions): LogoutSender {
  const stopping = new AbortController();
  const onTheWay = new Set<Promise<void>>();

  const send = async (ended: EndedSession): Promise<string | undefined> => {
    const made = await token(ended);
    if (!made) return undefined;
    const response = await fetch(made.url, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: made.token }),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      signal: AbortSignal.any([stopping.signal, AbortSignal.timeout(ANSWER_WITHIN)]),
    });
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
      const now = epochSeconds();
      if (stopping.signal.aborted) return deliveries.postpone(id, now);
      const next = nextAttempt(delivery, now);
      if (next === undefined) await deliveries.end(id);
      else await deliveries.postpone(id, next);
      const reason = reasonOf(error);
      const event = next === undefined ? 'logout-token.given-up' : 'logout-token.failed';
      audit.note({ event, account, client, details: { reason, attempt, ...(next && { againIn: next - now }) } });
    }
  };

  const take = async () => {
    for (const delivery of await deliveries.take(AT_ONCE - onTheWay.size, LEASE)) {
      const sending = deliver(delivery)
        .catch((err: unknown) => log.warn({ err }, 'a delivery could not be noted: it is sent again'))
        .finally(() => {
          onTheWay.delete(sending);
          wake();
        });
      onTheWay.add(sending);
    }
    failing = false;
  };
  let failing = false;
  let looking: Promise<void> | undefined;
  let again = false;
  const wake = () => {
    if (stopping.signal.aborted || onTheWay.size >= AT_ONCE) return;
    // What came while it looked may have come too late for that look.
    again = looking !== undefined;
    looking ??= take()
      .catch((err: unknown) => {
        // Said once, not every second.
        if (!failing) log.warn({ err }, 'the queue of sign-outs could not be looked at');
        failing = true;
      })
      .finally(() => {
        looking = undefined;
        if (again) wake();
      });
  };
  const timer = setInterval(wake, LOOK_EVERY);
  timer.unref();
  return {
    wake,
    close: async () => {
      clearInterval(timer);
      stopping.abort();
      await looking;
      await Promise.all(onTheWay);
    },
  };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  if (error.name === 'TimeoutError') return `no answer within ${ANSWER_WITHIN / 1000} s`;
  return error.message || (error as NodeJS.ErrnoException).code || error.name;
}
