// The keys of `service.yaml` about mail: the mail server and the sender.

import { z } from 'zod';
import type { Problem } from '#config/configuration-error.ts';
import { ALWAYS, addProblem, rule, text, wholeNumber } from '#config/schema/fields.ts';
import { isLoopbackHost, type Mode } from '#config/url-rules.ts';

/** Default TCP port of a mail server, by the way in which the connection is secured (RFC 8314). */
export const MAIL_PORTS = { tls: 465, starttls: 587, none: 25 } as const;

/** Pattern of a mail address in the plain form that every mail server accepts: without quotation marks, comments and line breaks. */
const ADDRESS = /^[\w.!#$%&'*+/=?^`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$/;
const NAMED = /^([^<>"\p{Cc}]{0,100}?)\s*<([^<>]*)>$/u;

/** Parses `a@b.example` or `Name <a@b.example>` into name and address. Returns undefined if the text has another form. */
export function parseMailbox(text: string): { name: string; address: string } | undefined {
  const [, name = '', address = ''] = NAMED.exec(text) ?? ['', '', text];
  return ADDRESS.test(address) ? { name, address } : undefined;
}

const mailbox = () =>
  z
    .string()
    .superRefine(rule((text: string) => (typeof text === 'string' && !parseMailbox(text) ? NO_MAILBOX : undefined)));

const NO_MAILBOX: Problem = {
  problem: 'Is no mail address.',
  remedy: 'Write connect@clinic.example, or Name <connect@clinic.example>, in ASCII letters after the name.',
};

/**
 * Returns the schema of the group `mail`, with the rules of the mode. A sandbox may not send mail, because strangers sign in there and
 * could have mail sent to anybody.
 */
export const mail = (mode: Mode, sandbox: boolean) =>
  z
    .strictObject({
      host: z
        .string()
        .regex(/^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$|^[0-9A-Fa-f:]{2,45}$/, {
          error: 'Is no host name and no IP address.',
        })
        .describe('Host name or IP address of the mail server (SMTP). Its TLS certificate must have this name.'),
      port: wholeNumber(1, 65_535)
        .exactOptional()
        .describe('TCP port of the mail server. Default: 587 with starttls, 465 with tls, 25 with none.'),
      security: z
        .enum(['starttls', 'tls', 'none'])
        .default('starttls')
        .describe(
          'How the connection is secured: starttls (required, without a fallback), tls from the first byte, or none. Production allows none only for a server on the same machine.',
        ),
      user: text()
        .max(256)
        .exactOptional()
        .describe('User name at the mail server; the password is in HYGIE_MAIL_PASSWORD. Default: no sign-in there.'),
      from: mailbox().describe(
        'Sender of every mail: connect@clinic.example, or Name <connect@clinic.example>. The default name is branding.name.',
      ),
      operator: mailbox()
        .exactOptional()
        .describe(
          'Mail address of the operator, who gets a mail when an edition in the watched folder is refused, and when backup --notify fails or finds a fault.',
        ),
      language: z
        .enum(['fr', 'en'])
        .default('fr')
        .describe('Language of mails, fr or en: to the operator, and to people whose language is not known.'),
      replyTo: mailbox().exactOptional().describe('Address for replies, such as a help desk. Default: from.'),
    })
    .superRefine((value, context) => {
      const add = addProblem(context);
      if (sandbox) return add([], NOT_IN_A_SANDBOX);
      const open = value?.security === 'none' && typeof value.host === 'string' && !isLoopbackHost(value.host);
      if (mode === 'production' && open) add(['security'], NOT_WITHOUT_TLS);
    }, ALWAYS)
    .exactOptional();

const NOT_WITHOUT_TLS: Problem = {
  problem: 'Production sends no mail over an open connection: links to new passwords could be read on the way.',
  remedy: 'Write starttls or tls; none is only for a mail server on the same machine (localhost).',
};

const NOT_IN_A_SANDBOX: Problem = {
  problem: 'A sandbox sends no mail: everybody may sign in there, and could have mails sent to anybody.',
  remedy: 'Remove mail from service.yaml.',
};
