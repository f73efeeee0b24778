// Sends the mails of the queue: each instance takes what is due, and tries again what fails, for an hour or a day.

import type { AuditTrail } from '#shared/audit/events.ts';
import type { Logger } from '#shared/log/log.ts';
import { startQueuePoll } from '#shared/queue-poll.ts';
import { tracedAlone } from '#shared/request-context.ts';
import { epochSeconds } from '#store/database/connection.ts';
import type { MailKind } from '#store/mail/mail-limits.ts';
import type { MailQueue, QueuedMail } from '#store/mail/mail-queue.ts';
import { type MailSender, type Message, RecipientRefused, SendingFailed } from './message.ts';

interface WorkerOptions {
  queue: MailQueue;
  /** Makes the mail, with the token of its link; undefined where there is nobody to send it to any more. */
  compose(mail: QueuedMail): Promise<Message | undefined>;
  /** Looks up whose a request for a new password is, and puts the mail into the queue where it is somebody's. */
  answerRequest(request: QueuedMail): Promise<void>;
  sender: MailSender;
  audit: AuditTrail;
  log: Pick<Logger, 'error' | 'warn' | 'info'>;
  /** Seconds for which nothing is tried after the mail server failed: half a minute. */
  rest?: number;
}

export interface MailWorker {
  /** Looks now instead of within a second. */
  wake(): void;
  /** Aborts what is being sent: it is sent again after the next start. */
  close(): Promise<void>;
}

/** Milliseconds that sending one may take. */
const SEND_WITHIN = 60_000;
const AT_ONCE = 3;
/** Seconds that a mail belongs to who took it: longer than sending may take. */
const LEASE = 120;
const REST = 30;

const FIRST_PAUSE = 5;
const LONGEST_PAUSE = 900;
const HOUR = 3600;
const DAY = 86_400;
/** Seconds for which a mail is tried: who waits for a link asks again long before a day is over. */
const TRIED_FOR: Readonly<Record<MailKind, number>> = {
  invitation: DAY,
  'password-reset': HOUR,
  'email-verification': HOUR,
  'email-change': HOUR,
  notice: DAY,
  operator: DAY,
};

/** Second at which a mail is tried again: pauses double from 5 s to a quarter of an hour; undefined when it is given up. */
export function nextAttempt(
  { kind, attempts, createdAt }: Pick<QueuedMail, 'kind' | 'attempts' | 'createdAt'>,
  now: number,
): number | undefined {
  const at = now + Math.min(FIRST_PAUSE * 2 ** (attempts - 1), LONGEST_PAUSE);
  return at <= createdAt + TRIED_FOR[kind] ? at : undefined;
}

/**
 * Sends until closed. A process that is killed between the server's answer and the note of it leaves the mail to be sent again: twice
 * rather than never.
 */
export function startMailWorker(options: WorkerOptions): MailWorker {
  const { queue, compose, answerRequest, sender, audit, log, rest = REST } = options;
  const stopping = new AbortController();
  const sending = new Set<Promise<void>>();
  /** Millisecond of the process's own clock until which nothing is taken. */
  let resting = 0;
  let serverFails = false;

  const deliver = async (mail: QueuedMail) => {
    const { id, kind, topic, accountId, attempts: attempt } = mail;
    const account = accountId || undefined;
    if (account === undefined && kind !== 'operator') {
      await answerRequest(mail);
      return queue.remove(id);
    }
    const about = { kind, ...(topic !== '' && { about: topic }), attempt };
    try {
      const message = await compose(mail);
      if (message) await sender.send(message, AbortSignal.any([stopping.signal, AbortSignal.timeout(SEND_WITHIN)]));
      await queue.end(id);
      if (message) audit.note({ event: 'mail.sent', account, details: about });
      else audit.note({ event: 'mail.given-up', account, details: { ...about, reason: GONE } });
      if (serverFails) log.info('mails are sent again');
      serverFails = false;
    } catch (error) {
      if (stopping.signal.aborted) return queue.putBack(id);
      const now = epochSeconds();
      const reason = error instanceof Error ? error.message : String(error);
      if (error instanceof SendingFailed && error.ofServer) {
        resting = performance.now() + rest * 1000;
        // Once, not for every mail.
        if (!serverFails) log.error({ reason }, 'mails cannot be sent: they are tried again');
        serverFails = true;
      }
      const next = error instanceof RecipientRefused ? undefined : nextAttempt(mail, now);
      if (next === undefined) await queue.end(id);
      else await queue.postpone(id, next);
      const details = { ...about, reason, ...(next && { againIn: next - now }) };
      if (next === undefined) audit.note({ event: 'mail.given-up', account, details });
      else if (attempt === 1) audit.note({ event: 'mail.failed', account, details });
      else log.warn({ account, ...details }, 'a mail could not be sent');
    }
  };

  const take = async () => {
    for (const mail of await queue.take({ most: AT_ONCE - sending.size, lease: LEASE })) {
      const attributes = { 'hygie.mail': mail.kind, 'hygie.attempt': mail.attempts };
      const attempt = tracedAlone('deliver a mail', attributes, () => deliver(mail))
        .catch((err: unknown) => log.warn({ err }, 'a mail could not be noted as sent: it is sent again'))
        .finally(() => {
          sending.delete(attempt);
          poll.wake();
        });
      sending.add(attempt);
    }
  };
  const poll = startQueuePoll({
    take,
    ready: () => sending.size < AT_ONCE && performance.now() >= resting,
    failed: (err) => log.warn({ err }, 'the queue of mails could not be looked at'),
  });
  return {
    wake: poll.wake,
    close: async () => {
      stopping.abort();
      await poll.close();
      await Promise.all(sending);
      sender.close();
    },
  };
}

const GONE = 'there is no such account any more, or it has changed since';
