// Sends mails as the settings say: through the mail server, or not at all. In development without a mail server, the outbox page shows
// them.

import type { Settings } from '#config/settings.ts';
import { resetRequests } from '#openid/account/links/forgotten-password.ts';
import { createComposer } from '#openid/mail/compose.ts';
import { type DevelopmentOutbox, openDevelopmentOutbox } from '#openid/mail/development-outbox.ts';
import { startMailWorker } from '#openid/mail/mail-queue-worker.ts';
import { smtpSender } from '#openid/mail/smtp.ts';
import type { Parts } from '#openid/parts.ts';
import type { AuditTrail } from '#shared/audit/events.ts';
import type { Logger } from '#shared/log/log.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import type { ActionTokens } from '#store/accounts/action-tokens.ts';
import type { MailQueue } from '#store/outbox/mail-queue.ts';
import type { Closers } from './process/closers.ts';

interface MailOptions {
  settings: Settings;
  stores: {
    mailQueue: MailQueue;
    accounts: Pick<Accounts, 'find' | 'findByEmail'>;
    actionTokens: Pick<ActionTokens, 'mint'>;
  };
  /**
   * Returns the keys that seal people's requests for a new password while the requests wait in the queue. A new request is sealed with the
   * first key. A request can be opened with any key that is still in the list.
   */
  sealingKeys(): readonly string[];
  audit: AuditTrail;
  log: Logger;
  /** Milliseconds between two checks of the queue. By default a second. */
  lookEvery?: number | undefined;
}

export type Mails = Parts['mails'] & {
  /** Holds the mails in development without a mail server; undefined otherwise. */
  outbox?: DevelopmentOutbox;
};

/** Checks whether these settings send mails. Mails that development keeps in the outbox count as sent. */
export function sendsMail({ mail, mode }: Pick<Settings, 'mail' | 'mode'>): boolean {
  return mail !== undefined || mode === 'development';
}

/** Sends the mails of the queue until `closers` are closed. */
export function openMail(
  { settings, stores, sealingKeys, audit, log, lookEvery }: MailOptions,
  closers: Closers,
): Mails {
  if (!sendsMail(settings)) return { enqueue: async () => false, requestReset: async () => false };
  const { mailQueue: queue, accounts, actionTokens } = stores;
  const outbox = settings.mail ? undefined : openDevelopmentOutbox();
  const { requestReset, answerRequest } = resetRequests({ queue, accounts, sealingKeys, audit });
  const worker = startMailWorker({
    queue,
    compose: createComposer({ ...settings, find: accounts.find, links: actionTokens }),
    answerRequest,
    sender: outbox ?? smtpSender(settings.mail as NonNullable<Settings['mail']>, settings),
    audit,
    log,
    lookEvery,
  });
  closers.add(worker.close);
  return {
    enqueue: async (mail) => {
      const queued = await queue.enqueue(mail);
      if (queued) worker.wake();
      return queued;
    },
    requestReset,
    ...(outbox && { outbox }),
  };
}
