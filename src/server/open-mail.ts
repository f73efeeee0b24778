// Sends mails according to the settings: by the mail server; in development without a server, to the outbox page; or not at all.

import type { Settings } from '#config/settings.ts';
import { createComposer } from '#openid/mail/compose.ts';
import { startMailWorker } from '#openid/mail/mail-queue-worker.ts';
import { type Outbox, openOutbox } from '#openid/mail/outbox.ts';
import { smtpSender } from '#openid/mail/smtp.ts';
import type { AuditTrail } from '#shared/audit/events.ts';
import { seal, unseal } from '#shared/crypto/sealed-text.ts';
import type { Logger } from '#shared/log/log.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import type { ActionTokens } from '#store/accounts/action-tokens.ts';
import type { MailQueue, NewMail, ResetRequest } from '#store/outbox/mail-queue.ts';
import type { Closers } from './process/closers.ts';

interface MailOptions {
  settings: Settings;
  stores: {
    mailQueue: MailQueue;
    accounts: Pick<Accounts, 'find' | 'findByEmail'>;
    actionTokens: Pick<ActionTokens, 'mint'>;
  };
  /** Keys for the requests of strangers. The first one seals, all can open. */
  sealingKeys(): readonly string[];
  audit: AuditTrail;
  log: Logger;
}

export interface Mails {
  /** Queues a mail, as `MailQueue` does. Nothing is queued if nothing can be sent. */
  enqueue(mail: NewMail): Promise<boolean>;
  requestReset(request: Omit<ResetRequest, 'sealed'> & { address: string }): Promise<boolean>;
  /** Present in development without a mail server. */
  outbox?: Outbox;
}

/** Checks whether these settings send mails, or keep them in the outbox. */
export function sendsMail({ mail, mode }: Pick<Settings, 'mail' | 'mode'>): boolean {
  return mail !== undefined || mode === 'development';
}

/** Sends the mails of the queue until closed. */
export function openMail({ settings, stores, sealingKeys, audit, log }: MailOptions, closers: Closers): Mails {
  if (!sendsMail(settings)) return { enqueue: async () => false, requestReset: async () => false };
  const { mailQueue: queue, accounts, actionTokens } = stores;
  const outbox = settings.mail ? undefined : openOutbox();
  const worker = startMailWorker({
    queue,
    compose: createComposer({ ...settings, find: accounts.find, links: actionTokens }),
    answerRequest: async ({ language, details }) => {
      const opened = unseal(sealingKeys(), String(details['sealed']), REQUEST) ?? '{"login":""}';
      const { login, address } = JSON.parse(opened) as { login: string; address?: string };
      const { account } = (await accounts.findByEmail(login)) ?? {};
      if (account?.status !== 'active') return;
      const about = { account: account.id, address };
      await audit.record({ event: 'account.password-reset-requested', actor: 'unknown', ...about });
      await queue.enqueue({ kind: 'password-reset', accountId: account.id, language });
    },
    sender: outbox ?? smtpSender(settings.mail as NonNullable<Settings['mail']>, settings),
    audit,
    log,
  });
  closers.add(worker.close);
  return {
    enqueue: async (mail) => {
      const queued = await queue.enqueue(mail);
      if (queued) worker.wake();
      return queued;
    },
    requestReset: ({ login, language, address }) => {
      const sealed = seal(sealingKeys()[0] ?? '', JSON.stringify({ login, address }), REQUEST);
      return queue.request({ login, language, sealed });
    },
    ...(outbox && { outbox }),
  };
}

const REQUEST = 'request for a new password';
