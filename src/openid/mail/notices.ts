// Notifies people by mail of critical changes to their account. Events of the audit trail trigger these mails, and nothing else does.
// `compose.ts` writes the text.

import type { AuditEvent, AuditTrail } from '#shared/audit/events.ts';
import type { Logger } from '#shared/log/log.ts';
import type { NewMail } from '#store/outbox/mail-queue.ts';
import { LANGUAGES } from '#web/language.ts';
import { type Messages, messagesIn } from '#web/messages.ts';

/**
 * Topics of notices. Each topic is the name of an event of the audit trail. In every language, the messages have a subject and a lead for
 * each topic.
 */
export type NoticeTopic = keyof Messages['mails']['notice']['subjects'];

export function isNotice(event: string): event is NoticeTopic {
  return Object.hasOwn(messagesIn('fr').mails.notice.subjects, event);
}

interface NoticeOptions {
  enqueue(mail: NewMail): Promise<boolean>;
  /**
   * Returns the account's present address. It is read when the notice is queued, because an intruder may change the address before the mail
   * is sent.
   */
  addressOf(accountId: string): Promise<string | undefined>;
  log?: Pick<Logger, 'error'> | undefined;
}

/**
 * Wraps the audit trail, so that each recorded event also puts its mail notice into the queue. `settled` resolves when the notices of all
 * events so far are in the queue. Neither `settled` nor the trail rejects if a notice cannot be queued: that is an error in the log.
 */
export function withNotices<Trail extends AuditTrail>(
  trail: Trail,
  options: NoticeOptions,
): Trail & { settled(): Promise<void> } {
  const pending = new Set<Promise<void>>();
  const notifyAfter = (event: AuditEvent, written: Promise<void> | undefined): Promise<void> => {
    if (!isNotice(event.event)) return written ?? Promise.resolve();
    const queued = Promise.resolve(written)
      .then(() => enqueueNotice(event, options))
      .catch((err: unknown) => options.log?.error({ err, event: event.event }, 'a person could not be sent a notice'))
      .finally(() => pending.delete(queued));
    pending.add(queued);
    return queued;
  };
  return {
    ...trail,
    record: (event) => notifyAfter(event, trail.record(event)),
    note: (event) => {
      trail.note(event);
      void notifyAfter(event, undefined);
    },
    settled: async () => {
      await Promise.all(pending);
    },
  };
}

/** Puts the notice of an event into the queue, if people get notices of events of this kind. */
export async function enqueueNotice(event: AuditEvent, { enqueue, addressOf }: NoticeOptions): Promise<void> {
  const { event: topic, account, actor, details = {} } = event;
  if (!isNotice(topic) || account === undefined) return;
  // If the address was changed or the account deleted, the details of the event contain the earlier address. The notice goes to that
  // address.
  const before = details['before'];
  const to = typeof before === 'string' ? before : await addressOf(account);
  if (to === undefined) return;
  const { device } = details;
  await enqueue({
    kind: 'notice',
    topic,
    accountId: account,
    to,
    language: LANGUAGES.find((language) => language === event.language),
    details: {
      ...(typeof device === 'string' && { device }),
      ...(actor?.startsWith('operator:') && { byOperator: true }),
    },
  });
}
