// Tells the operator by mail what nobody may be looking at: `mail.operator` in service.yaml. The running service sends what is queued here.

import { parseMailbox } from '#config/service/mail-schema.ts';
import type { Settings } from '#config/settings.ts';
import { digest } from '#shared/crypto/digest.ts';
import { redactText } from '#shared/log/redaction.ts';
import type { Database } from '#store/database/connection.ts';
import { openMailQueue } from '#store/outbox/mail-queue.ts';

/** A mail is no log: lines that are told at most, and characters of each. */
const MOST_LINES = 30;
const LONGEST_LINE = 500;

/**
 * Queues a mail with the reasons, once a day for the same ones; false where the settings name no operator, or it was queued already.
 * `about` leads to the words of the mail.
 */
export async function notifyOperator(
  database: Database,
  { mail }: Pick<Settings, 'mail'>,
  about: 'directory.refused' | 'backup.failed',
  reasons: readonly string[],
): Promise<boolean> {
  const to = parseMailbox(mail?.operator ?? '')?.address;
  if (to === undefined) return false;
  const said = reasons.slice(0, MOST_LINES).map((line) => redactText(line).slice(0, LONGEST_LINE));
  const topic = `${about} ${digest(said.join('\n')).slice(0, 16)}`;
  return openMailQueue(database).enqueue({
    kind: 'operator',
    topic,
    accountId: '',
    to,
    details: { reasons: said.join('\n') },
  });
}
