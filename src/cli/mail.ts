// The command `mail`: lets an operator test the settings of the mail server, and lists the mails that wait to be sent.
// `openid/mail/mail-queue-worker.ts` sends them.

import { loadSettings } from '#config/index.ts';
import { parseMailbox } from '#config/service/mail-schema.ts';
import { testMessage } from '#openid/mail/compose.ts';
import { SendingFailed } from '#openid/mail/mail-queue-worker.ts';
import { smtpSender } from '#openid/mail/smtp.ts';
import { withCurrentDatabase } from '#server/open-database.ts';
import { redactText } from '#shared/log/redaction.ts';
import { printNotice, Refusal } from '#shared/operator-messages.ts';
import { openMailQueue } from '#store/outbox/mail-queue.ts';
import { action, type Command, option } from './support/command.ts';

const SEND_WITHIN = 60_000;

export const mailCommand: Command = {
  name: 'mail',
  summary: 'Tests the settings of the mail server (mail in service.yaml), and counts waiting mails',
  actions: {
    test: action({
      summary: 'Sends one mail at once, without the queue, and prints the answer of the mail server',
      options: { to: option('ADDRESS', 'Recipient of the mail.', { required: true }) },
      run: test,
    }),
    queue: action({ summary: 'Prints how many mails wait, and since when', run: queue }),
  },
  text: `
Every mail of the service goes through the queue. If the mail server does not accept a mail, the service tries again for a day, or for an hour if the mail has a link that somebody waits for. \`audit --event mail\` lists the mails of each person.`,
  examples: [['mail test --to you@clinic.example', 'whether the settings are right']],
};

async function test({ to = '' }: { to?: string | undefined }): Promise<void> {
  const mailbox = parseMailbox(to);
  if (!mailbox) throw new Refusal('--to is no mail address. Write it as you@clinic.example.');
  const settings = await loadSettings();
  const { mail } = settings;
  if (!mail)
    throw new Refusal('service.yaml names no mail server. Set mail there: host, from, and what the server asks for.');
  const sender = smtpSender(mail, settings);
  try {
    await sender.send(testMessage(settings, mailbox.address), AbortSignal.timeout(SEND_WITHIN));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const answer = error instanceof SendingFailed && error.answer ? [`It answered: ${redactText(error.answer)}`] : [];
    throw new Refusal([`The mail was not sent: ${error.message}.`, ...answer]);
  } finally {
    sender.close();
  }
  printNotice(
    `${mail.host}:${mail.port} accepted a mail to ${mailbox.address}. Check that it arrives, and not as spam.`,
  );
}

async function queue(): Promise<void> {
  await withCurrentDatabase(
    async (database) => {
      const { count, since } = await openMailQueue(database).waiting();
      const first = since === undefined ? '' : `, the first since ${new Date(since * 1000).toISOString()}`;
      process.stdout.write(`${count} ${count === 1 ? 'mail waits' : 'mails wait'}${first}\n`);
    },
    { writes: false },
  );
}
