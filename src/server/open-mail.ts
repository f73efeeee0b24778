// What of the settings sends mails: the mail server; in development without one the outbox; else nothing.

import type { Settings } from '../config/settings.ts';
import { createComposer } from '../mail/compose.ts';
import { startMailWorker } from '../mail/mail-queue-worker.ts';
import { type Outbox, openOutbox } from '../mail/outbox.ts';
import { smtpSender } from '../mail/smtp.ts';
import type { AuditTrail } from '../shared/audit/events.ts';
import type { Logger } from '../shared/log/log.ts';
import type { Accounts } from '../store/accounts/accounts.ts';
import type { ActionTokens } from '../store/accounts/action-tokens.ts';
import type { MailQueue, NewMail, ResetRequest } from '../store/mail/mail-queue.ts';

interface MailOptions {
  settings: Settings;
  queue: MailQueue;
  accounts: Pick<Accounts, 'find' | 'findByEmail'>;
  actionTokens: Pick<ActionTokens, 'mint'>;
  audit: AuditTrail;
  log: Logger;
}

export interface Mails {
  /** As `MailQueue`; where nothing can be sent, nothing is queued. */
  enqueue(mail: NewMail): Promise<boolean>;
  requestReset(request: ResetRequest): Promise<boolean>;
  /** In development without a mail server. */
  outbox?: Outbox;
  close(): Promise<void>;
}

/** Whether these settings send mails, or keep them in the outbox. */
export function sendsMail({ mail, mode }: Pick<Settings, 'mail' | 'mode'>): boolean {
  return mail !== undefined || mode === 'development';
}

/** Sends what is in the queue until closed. */
export function openMail({ settings, queue, accounts, actionTokens, audit, log }: MailOptions): Mails {
  if (!sendsMail(settings))
    return { enqueue: async () => false, requestReset: async () => false, close: async () => {} };
  const outbox = settings.mail ? undefined : openOutbox();
  const worker = startMailWorker({
    queue,
    compose: createComposer({ ...settings, find: accounts.find, links: actionTokens }),
    answerRequest: async ({ to = '', language, details }) => {
      const { account } = (await accounts.findByEmail(to)) ?? {};
      if (account?.status !== 'active') return;
      const about = { account: account.id, address: String(details['address']) };
      await audit.record({ event: 'account.password-reset-requested', actor: 'unknown', ...about });
      await queue.enqueue({ kind: 'password-reset', accountId: account.id, language });
    },
    sender: outbox ?? smtpSender(settings.mail as NonNullable<Settings['mail']>, settings),
    audit,
    log,
  });
  return {
    enqueue: async (mail) => {
      const queued = await queue.enqueue(mail);
      if (queued) worker.wake();
      return queued;
    },
    requestReset: queue.request,
    ...(outbox && { outbox }),
    close: worker.close,
  };
}
