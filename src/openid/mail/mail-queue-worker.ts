// Sends the mails of the queue. Each instance takes due mails, and retries failed ones for an hour or a day. This file also declares the
// type of a mail that is ready to be sent, and the interface and errors of a sender.

import type { AuditTrail } from '#shared/audit/events.ts';
import type { Logger } from '#shared/log/log.ts';
import { nextAttempt as nextOf, type OutboxWorker, startOutboxWorker } from '#shared/outbox-worker.ts';
import type { MailKind, MailQueue, QueuedMail } from '#store/outbox/mail-queue.ts';
import type { Language } from '#web/language.ts';

export interface Message {
  kind: MailKind | 'test';
  /** Topic of a notice or of a mail to the operator (`NewMail` in `store/outbox/mail-queue.ts`). Empty for other mails. */
  topic: string;
  /** A single address, without a name. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The Message-ID, without angle brackets. */
  messageId: string;
  language: Language;
}

export interface MailSender {
  /**
   * Resolves once the mail server has accepted the message. Throws `RecipientRefused`, `SendingFailed`, or the abort reason of `signal`.
   */
  send(message: Message, signal: AbortSignal): Promise<void>;
  close(): void;
}

/** Thrown if the server refuses the address as invalid or unknown. Another attempt would not help, so the mail is given up. */
export class RecipientRefused extends Error {}

/** Thrown if a later attempt may succeed. The message of this error contains no password and no part of the mail. */
export class SendingFailed extends Error {
  /** True if other mails would fail too: the server could not be reached, or it accepts nothing from this service. */
  readonly ofServer: boolean;
  /** The answer of the mail server. Only an operator who tries the settings sees it, because it may quote the mail. */
  readonly answer: string | undefined;
  constructor(message: string, { ofServer, answer }: { ofServer: boolean; answer?: string | undefined }) {
    super(message);
    this.ofServer = ofServer;
    this.answer = answer;
  }
}

interface WorkerOptions {
  queue: MailQueue;
  /** Makes the mail, with a new link if it has one. Resolves with undefined if the mail must not be sent any more (`compose.ts`). */
  compose(mail: QueuedMail): Promise<Message | undefined>;
  /** Answers a request for a new password: puts a mail into the queue if an account has the requested login. */
  answerRequest(request: QueuedMail): Promise<void>;
  sender: MailSender;
  audit: AuditTrail;
  log: Pick<Logger, 'error' | 'warn' | 'info'>;
  /** Seconds for which nothing is sent after the mail server failed; 30 by default. */
  rest?: number;
  /** Milliseconds between two looks at the queue; a second by default. */
  lookEvery?: number | undefined;
}

/** Maximum milliseconds for the sending of one mail. */
const SEND_WITHIN = 60_000;
const AT_ONCE = 3;
/**
 * Seconds for which a mail belongs to the instance that took it. This is longer than `SEND_WITHIN`, so that no other instance sends the
 * same mail meanwhile.
 */
const LEASE = 120;
const REST = 30;

const LONGEST_PAUSE = 900;
const HOUR = 3600;
const DAY = 86_400;
/**
 * Seconds for which a failed mail is tried again. A mail that a person waits for is given up after an hour, because the person asks for
 * another mail long before a day is over.
 */
const TRIED_FOR: Readonly<Record<MailKind, number>> = {
  invitation: DAY,
  'password-reset': HOUR,
  'email-verification': HOUR,
  'email-change': HOUR,
  notice: DAY,
  operator: DAY,
};

/**
 * Returns the time of the next attempt in seconds since 1970; undefined if the mail is given up. The pauses double, from 5 s to a quarter
 * of an hour.
 */
export function nextAttempt(mail: Pick<QueuedMail, 'kind' | 'attempts' | 'createdAt'>, now: number) {
  return nextOf(mail, now, { longestPause: LONGEST_PAUSE, within: TRIED_FOR[mail.kind] });
}

/** Sends mails until the worker is closed. */
export function startMailWorker(options: WorkerOptions): OutboxWorker {
  const { queue, compose, answerRequest, sender, audit, log, rest = REST } = options;
  /** Time until which no mail is taken (on the clock of `performance.now()`). */
  let resting = 0;
  let serverFails = false;

  const about = ({ kind, topic, accountId }: QueuedMail) => ({
    account: accountId || undefined,
    details: { kind, ...(topic !== '' && { about: topic }) },
  });
  const send = async (mail: QueuedMail, stopping: AbortSignal) => {
    if (isRequest(mail)) {
      await answerRequest(mail);
      return undefined;
    }
    const message = await compose(mail);
    const { account, details } = about(mail);
    const attempt = mail.attempts;
    if (!message) return { event: 'mail.given-up', account, details: { ...details, attempt, reason: GONE } } as const;
    await sender.send(message, AbortSignal.any([stopping, AbortSignal.timeout(SEND_WITHIN)]));
    if (serverFails) log.info('mails are sent again');
    serverFails = false;
    return { event: 'mail.sent', account, details: { ...details, attempt } } as const;
  };
  const reasonOf = (error: unknown) => {
    if (error instanceof SendingFailed && error.ofServer) {
      resting = performance.now() + rest * 1000;
      // An outage of the mail server is logged once, and not again for each mail.
      if (!serverFails) log.error({ reason: error.message }, 'mails cannot be sent: they are tried again');
      serverFails = true;
    }
    return error instanceof Error ? error.message : String(error);
  };

  const worker = startOutboxWorker<QueuedMail>({
    queue,
    take: (most) => queue.take({ most, lease: LEASE }),
    atOnce: AT_ONCE,
    lookEvery: options.lookEvery,
    ready: () => performance.now() >= resting,
    send,
    reasonOf,
    retryAt: (mail, error, now) => (error instanceof RecipientRefused ? undefined : nextAttempt(mail, now)),
    // A failed request for a new password is not recorded in the audit trail, because the record could reveal whether the account exists,
    // and would repeat what a stranger has typed (SEC-74).
    about: (mail) => (isRequest(mail) ? undefined : about(mail)),
    events: { failed: 'mail.failed', givenUp: 'mail.given-up' },
    span: ({ kind, attempts }) => ({
      name: 'deliver a mail',
      attributes: { 'hygie.mail': kind, 'hygie.attempt': attempts },
    }),
    audit,
    log,
    texts: {
      failed: 'a mail could not be sent',
      notNoted: 'a mail could not be noted as sent: it is sent again',
      notTaken: 'the queue of mails could not be looked at',
    },
  });
  return {
    wake: worker.wake,
    close: async () => {
      await worker.close();
      sender.close();
    },
  };
}

function isRequest({ accountId, kind }: QueuedMail): boolean {
  return accountId === '' && kind !== 'operator';
}

const GONE = 'there is no such account any more, or it has changed since';
