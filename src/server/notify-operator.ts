// Tells the operator by mail (`mail.operator` in service.yaml) about failures of work that nobody watches. The running service sends the
// queued mails.

import { parseMailbox } from '#config/service/mail-schema.ts';
import type { Settings } from '#config/settings.ts';
import { digest } from '#shared/crypto/digest.ts';
import { redactText } from '#shared/log/redaction.ts';
import type { Database } from '#store/database/connection.ts';
import { openMailQueue } from '#store/outbox/mail-queue.ts';

/** Maximum lines of a mail, and maximum characters of each line. They keep a mail short, because it does not replace the log. */
const MOST_LINES = 30;
const LONGEST_LINE = 500;

/**
 * Queues a mail about a failure, with its reasons. A mail with the same reasons is sent once a day at most. Returns false if the settings
 * name no operator, or if such a mail was queued already. `about` selects the texts of the mail.
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
