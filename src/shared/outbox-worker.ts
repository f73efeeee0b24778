// Empties an outbox until closed: takes what is due every second, and at once when it is woken; sends it, and tries again what fails at
// ever longer pauses. Mails and logout tokens are sent so.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditEvent, AuditEventName, AuditTrail } from './audit/events.ts';
import type { Logger } from './log/log.ts';
import { tracedAlone } from './request-context.ts';

export interface OutboxEntry {
  id: string;
  createdAt: number;
  /** This one included. */
  attempts: number;
}

interface OutboxWorkerOptions<Entry extends OutboxEntry> {
  queue: {
    end(id: string): Promise<void>;
    postpone(id: string, dueAt: number): Promise<void>;
    putBack(id: string): Promise<void>;
  };
  /** Takes at most `most` of what is due, while others are being sent. */
  take(most: number, sending: Iterable<Entry>): Promise<Entry[]>;
  /** Entries that are sent at once. */
  atOnce: number;
  /** Whether anything is to be sent at the moment. */
  ready?(): boolean;
  /** Resolves once the entry is sent, with what the audit trail records of it. */
  send(entry: Entry, stopping: AbortSignal): Promise<AuditEvent | undefined>;
  /** Why it failed, in the words of the audit trail. */
  reasonOf(error: unknown, entry: Entry): string;
  /** Second at which it is tried again; undefined gives it up. */
  retryAt(entry: Entry, error: unknown, now: number): number | undefined;
  /** What records say about an entry; undefined keeps its failures out of the audit trail. */
  about(entry: Entry): Pick<AuditEvent, 'account' | 'client' | 'details'> | undefined;
  events: { failed: AuditEventName; givenUp: AuditEventName };
  span(entry: Entry): { name: string; attributes: Record<string, string | number> };
  audit: Pick<AuditTrail, 'note'>;
  log: Pick<Logger, 'warn'>;
  /** Messages of the log. */
  texts: { failed: string; notNoted: string; notTaken: string };
}

export interface OutboxWorker {
  /** Looks now instead of within a second. */
  wake(): void;
  /** Aborts what is being sent: it is sent again after the next start. */
  close(): Promise<void>;
}

/** Milliseconds between two looks. */
const LOOK_EVERY = 1000;
/** Seconds before the second attempt; each pause is twice as long as the one before. */
const FIRST_PAUSE = 5;

/** Second of the next attempt; undefined once the entry has been tried for `within` seconds. */
export function nextAttempt(
  { attempts, createdAt }: Pick<OutboxEntry, 'attempts' | 'createdAt'>,
  now: number,
  { longestPause, within }: { longestPause: number; within: number },
): number | undefined {
  const at = now + Math.min(FIRST_PAUSE * 2 ** (attempts - 1), longestPause);
  return at <= createdAt + within ? at : undefined;
}

/**
 * Sends until closed. A process that is killed after it has sent an entry and before it has noted that leaves the entry to be sent again:
 * twice rather than never.
 */
export function startOutboxWorker<Entry extends OutboxEntry>(options: OutboxWorkerOptions<Entry>): OutboxWorker {
  const { queue, audit, log, texts, ready = () => true } = options;
  const stopping = new AbortController();
  const sending = new Map<Promise<void>, Entry>();
  let failing = false;
  let looking: Promise<void> | undefined;
  let again = false;

  const attempt = async (entry: Entry) => {
    try {
      const sent = await options.send(entry, stopping.signal);
      await queue.end(entry.id);
      if (sent) audit.note(sent);
    } catch (error) {
      if (stopping.signal.aborted) return queue.putBack(entry.id);
      const now = Math.floor(Date.now() / 1000);
      const reason = options.reasonOf(error, entry);
      const next = options.retryAt(entry, error, now);
      if (next === undefined) await queue.end(entry.id);
      else await queue.postpone(entry.id, next);
      const { details: ofEntry, ...who } = options.about(entry) ?? {};
      const details = { ...ofEntry, reason, attempt: entry.attempts, ...(next && { againIn: next - now }) };
      const { failed, givenUp } = options.events;
      // Each failure in between would fill the audit trail while a receiver is down for a day.
      if (options.about(entry) && (next === undefined || entry.attempts === 1))
        audit.note({ event: next === undefined ? givenUp : failed, ...who, details });
      else log.warn({ ...who, ...details }, texts.failed);
    }
  };
  const take = async () => {
    for (const entry of await options.take(options.atOnce - sending.size, sending.values())) {
      const { name, attributes } = options.span(entry);
      const sent = tracedAlone(name, attributes, () => attempt(entry))
        .catch((err: unknown) => log.warn({ err }, texts.notNoted))
        .finally(() => {
          sending.delete(sent);
          wake();
        });
      sending.set(sent, entry);
    }
  };
  // Never as a part of the request that woke it: what it finds is of others, too.
  const look = AsyncLocalStorage.bind(async () => {
    try {
      await take();
      failing = false;
    } catch (err) {
      // Once, not every second.
      if (!failing) log.warn({ err }, texts.notTaken);
      failing = true;
    }
  });
  const wake = () => {
    if (stopping.signal.aborted || sending.size >= options.atOnce || !ready()) return;
    // What came while it looked may have come too late for that look.
    again = looking !== undefined;
    looking ??= look().finally(() => {
      looking = undefined;
      if (again) wake();
    });
  };
  const timer = setInterval(wake, LOOK_EVERY).unref();
  return {
    wake,
    close: async () => {
      stopping.abort();
      clearInterval(timer);
      await looking;
      await Promise.all(sending.keys());
    },
  };
}
