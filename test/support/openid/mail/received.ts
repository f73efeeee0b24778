// Reads the mails that a mail server of tests received, as people do.

import { until } from '#support/until.ts';
import type { MailServer, ReceivedMail } from './mail-server.ts';

/** The nth mail to an address of which the subject matches, once it is there. */
export async function mailTo(server: MailServer, address: string, subject: RegExp, nth = 1): Promise<ReceivedMail> {
  const found = () =>
    server.received.filter(({ recipients, subject: of = '' }) => recipients.includes(address) && subject.test(of));
  await until(() => found().length >= nth, `a mail to ${address}: ${subject}`);
  return found()[nth - 1] as ReceivedMail;
}

/** The addresses of links in a mail, as its text has them; each once. */
export function linksIn({ text = '' }: ReceivedMail): string[] {
  return [...new Set(text.match(/https?:\/\/\S+/g))];
}
