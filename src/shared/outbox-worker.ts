// Sends the entries of an outbox until closed. It takes due entries every second, and at once when woken. Entries that fail are tried again
// at ever longer intervals. Mails and logout tokens are sent this way.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditEvent, AuditEventName, AuditTrail } from './audit/events.ts';
import type { Logger } from './log/log.ts';
import { tracedAlone } from './request-context.ts';

export interface OutboxEntry {
  id: string;
  createdAt: number;
  /** Number of attempts, including the current one. */
  attempts: number;
}

interface OutboxWorkerOptions<Entry extends OutboxEntry> {
  queue: {
    end(id: string): Promise<void>;
    postpone(id: string, dueAt: number): Promise<void>;
    putBack(id: string): Promise<void>;
  };
  /**
   * Takes at most `most` due entries. `sending` are the entries that are being sent at the moment, so that a queue can leave out their
   * receivers.
   */
  take(most: number, sending: Iterable<Entry>): Promise<Entry[]>;
  /** Maximum number of entries that are sent at the same time. */
  atOnce: number;
  /** Tells whether entries may be sent at the moment. */
  ready?(): boolean;
  /** Milliseconds between two searches for due entries. By default a second. */
  lookEvery?: number | undefined;
  /** Sends the entry. Resolves with the event for the audit trail. */
  send(entry: Entry, stopping: AbortSignal): Promise<AuditEvent | undefined>;
  /** Returns the reason of a failure, in the words of the audit trail. */
  reasonOf(error: unknown, entry: Entry): string;
  /** Returns the time of the next attempt in seconds since 1970, or undefined to give the entry up. */
  retryAt(entry: Entry, error: unknown, now: number): number | undefined;
  /**
   * Returns facts about an entry for the audit trail. If it returns undefined, a failure of the entry is logged, but not recorded in the
   * trail.
   */
  about(entry: Entry): Pick<AuditEvent, 'account' | 'client' | 'details'> | undefined;
  events: { failed: AuditEventName; givenUp: AuditEventName };
  span(entry: Entry): { name: string; attributes: Record<string, string | number> };
  audit: Pick<AuditTrail, 'note'>;
  log: Pick<Logger, 'warn'>;
  /**
   * Messages of the log for three failures: an entry could not be sent, the result of sending could not be stored, and the due entries
   * could not be read.
   */
  texts: { failed: string; notNoted: string; notTaken: string };
}

export interface OutboxWorker {
  /** Searches for due entries now, without waiting for the next regular search. */
  wake(): void;
  /** Aborts sending. The entries are sent again after the next start. */
  close(): Promise<void>;
}

/** Milliseconds between two searches for due entries. */
const LOOK_EVERY = 1000;
/** Seconds before the second attempt. Each further pause is twice as long. */
const FIRST_PAUSE = 5;

/** Returns the time of the next attempt in seconds since 1970; undefined once the entry has been tried for `within` seconds. */
export function nextAttempt(
  { attempts, createdAt }: Pick<OutboxEntry, 'attempts' | 'createdAt'>,
  now: number,
  { longestPause, within }: { longestPause: number; within: number },
): number | undefined {
  const at = now + Math.min(FIRST_PAUSE * 2 ** (attempts - 1), longestPause);
  return at <= createdAt + within ? at : undefined;
}

/**
 * Sends entries until closed. If a process is killed after it has sent an entry and before it has recorded the success, the entry is sent a
 * second time. This is accepted, because an entry must not be lost.
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
      if (stopping.signal.aborted) await queue.putBack(entry.id);
      else await postpone(entry, error);
    }
  };
  /** Puts an entry that failed off until its next attempt, or gives it up. Records or logs the failure. */
  const postpone = async (entry: Entry, error: unknown) => {
    const now = Math.floor(Date.now() / 1000);
    const reason = options.reasonOf(error, entry);
    const next = options.retryAt(entry, error, now);
    if (next === undefined) await queue.end(entry.id);
    else await queue.postpone(entry.id, next);
    const about = options.about(entry);
    const { details: ofEntry, ...who } = about ?? {};
    const details = { ...ofEntry, reason, attempt: entry.attempts, ...(next && { againIn: next - now }) };
    const { failed, givenUp } = options.events;
    // Only the first and the last failure of an entry are recorded, so that the audit trail does not fill up while a receiver is down for a
    // day.
    if (about && (next === undefined || entry.attempts === 1))
      audit.note({ event: next === undefined ? givenUp : failed, ...who, details });
    else log.warn({ ...who, ...details }, texts.failed);
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
  // The search runs outside the context of the request that woke the worker, because most entries that it finds belong to other requests.
  const look = AsyncLocalStorage.bind(async () => {
    try {
      await take();
      failing = false;
    } catch (err) {
      // Only the first of several failures in a row is logged, because the search is repeated every second.
      if (!failing) log.warn({ err }, texts.notTaken);
      failing = true;
    }
  });
  const wake = () => {
    if (stopping.signal.aborted || sending.size >= options.atOnce || !ready()) return;
    // A running search may not find an entry that came after its beginning, so another search follows.
    again = looking !== undefined;
    looking ??= look().finally(() => {
      looking = undefined;
      if (again) wake();
    });
  };
  const timer = setInterval(wake, options.lookEvery ?? LOOK_EVERY).unref();
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
