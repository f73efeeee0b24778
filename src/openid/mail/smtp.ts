// Hands mails to the operator's mail server by SMTP (nodemailer). Says in plain words why the server refuses a mail.

import type { createTransport } from 'nodemailer';
import { parseMailbox } from '#config/service/mail-schema.ts';
import type { Settings } from '#config/settings.ts';
import { traced } from '#shared/request-context.ts';
import { type MailSender, type Message, RecipientRefused, SendingFailed } from './mail-queue-worker.ts';

/** Maximum milliseconds for each step that opens a connection. `socketTimeout` is twice as long. */
const STEP_WITHIN = 10_000;
/** Maximum simultaneous connections of one process. */
const CONNECTIONS = 3;

/** Properties of nodemailer's errors. */
interface SmtpError extends Error {
  code?: string;
  responseCode?: number;
  response?: string;
  command?: string;
}

/**
 * Form of the addresses to which mail is sent. An address contains no comma, line break or other separator, so it cannot name a second
 * recipient.
 */
const ADDRESS = /^[^\s<>(),;:"\\@\p{Cc}]{1,64}@[^\s<>(),;:"\\@\p{Cc}]{1,253}$/u;

/** Makes the sender of mails by SMTP. It opens no connection before the first mail. */
export function smtpSender(
  { host, port, security, user, password, from, replyTo }: NonNullable<Settings['mail']>,
  { issuer, branding }: Pick<Settings, 'issuer'> & { branding: Pick<Settings['branding'], 'name'> },
): MailSender {
  const options = {
    pool: true,
    maxConnections: CONNECTIONS,
    // If the server closes the connection before it has accepted a mail, nodemailer itself sends the mail again: by default five times,
    // here only once, because our queue does the retries and logs them.
    maxRequeues: 1,
    host,
    port,
    // The name that this host gives in the SMTP greeting. It is the host of the issuer, because the name of this machine may have no dot,
    // and some servers refuse such a name.
    name: new URL(issuer).hostname.replace(/^\[(.*)\]$/, '[IPv6:$1]'),
    secure: security === 'tls',
    requireTLS: security === 'starttls',
    ignoreTLS: security === 'none',
    tls: { minVersion: 'TLSv1.2' },
    ...(user !== undefined && { auth: { user, pass: password } }),
    dnsTimeout: STEP_WITHIN,
    connectionTimeout: STEP_WITHIN,
    greetingTimeout: STEP_WITHIN,
    socketTimeout: 2 * STEP_WITHIN,
    disableFileAccess: true,
    disableUrlAccess: true,
  } as Parameters<typeof createTransport>[0];
  let opened: Promise<ReturnType<typeof createTransport>> | undefined;
  // nodemailer takes two megabytes of memory, so it is loaded only when the first mail is sent.
  const open = () => import('nodemailer').then((nodemailer) => nodemailer.createTransport(options));
  const sender = parseMailbox(from) ?? { name: '', address: from };
  const answers = replyTo === undefined ? undefined : parseMailbox(replyTo);
  return {
    send: async ({ to, subject, text, html, messageId, language }: Message, signal) => {
      if (!ADDRESS.test(to)) throw new RecipientRefused('the address is none that mail can be sent to');
      const headers = {
        // The first two headers ask for no automatic replies (RFC 3834; the second header is Microsoft's).
        'Auto-Submitted': 'auto-generated',
        'X-Auto-Response-Suppress': 'All',
        'Content-Language': language,
      };
      try {
        const attributes = { 'server.address': host, 'server.port': port };
        const mail = {
          from: { name: sender.name || branding.name, address: sender.address },
          to: { name: '', address: to },
          ...(answers && { replyTo: answers }),
          subject,
          text,
          html,
          messageId: `<${messageId}>`,
          date: new Date(),
          headers,
          signal,
        };
        opened ??= open();
        const transport = await opened;
        await traced('send by SMTP', { kind: 'client', attributes }, () => transport.sendMail(mail));
      } catch (error) {
        if (signal.aborted) throw abortedBy(signal, `${host}:${port}`);
        throw failureOf(error as SmtpError, `${host}:${port}`);
      }
    },
    close: () => void opened?.then((transport) => transport.close()),
  };
}

function abortedBy({ reason }: AbortSignal, server: string): unknown {
  const late = reason instanceof Error && reason.name === 'TimeoutError';
  return late ? new SendingFailed(`${server} did not take the mail in time`, { ofServer: true }) : reason;
}

/** OpenSSL's messages for a certificate that no known authority has signed. */
const UNTRUSTED = /self[- ]signed certificate|unable to (verify the first|get (local )?issuer) certificate/i;
const TRUST = 'name its authority in NODE_EXTRA_CA_CERTS, a file in PEM, in the environment of the service';

/** OpenSSL's message if the server answers without TLS where TLS is expected from the first byte. */
const PLAIN = /:wrong version number:/;
/** nodemailer's message if the server says nothing, as one does that waits for TLS. */
const SILENT = /^Greeting never received/;

/**
 * Translates an error of nodemailer. The message does not repeat the server's answer to a mail or a password. A spam filter quotes links
 * that it dislikes, and a link of a mail may open an account. The answer to a password may contain anything.
 */
function failureOf(error: SmtpError, server: string): Error {
  const { code = 'unknown error', responseCode, response } = error;
  const message = UNTRUSTED.test(error.message) ? `${error.message} (${TRUST})` : error.message;
  const permanent = responseCode !== undefined && responseCode >= 500;
  const failed = (reason: string, ofServer: boolean) =>
    new SendingFailed(responseCode === undefined ? reason : `${reason} (${responseCode})`, {
      ofServer,
      answer: response,
    });
  switch (code) {
    case 'EAUTH':
    case 'ENOAUTH':
      return failed(`${server} refuses the user or the password`, true);
    case 'ETLS':
      return failed(`${server}: no TLS; it offers none, or its certificate is refused: ${message}`, true);
    case 'EENVELOPE':
      if (error.command === 'RCPT TO' && permanent)
        return new RecipientRefused(`the address is refused (${responseCode})`);
      return failed(
        `${server} refuses the ${error.command === 'RCPT TO' ? 'address for now' : 'sender (mail.from)'}`,
        false,
      );
    case 'EMESSAGE':
      return failed(`${server} refuses the mail`, false);
    default:
      if (PLAIN.test(error.message))
        return failed(
          `${server} answers without TLS: mail.security tls needs its port for TLS (465), else starttls`,
          true,
        );
      if (SILENT.test(error.message))
        return failed(`${server} says nothing: if its port is one for TLS (465), mail.security has to be tls`, true);
      // Here the connection failed. If the server sent no status, the message contains the text of the operating system or of the
      // certificate check.
      return failed(responseCode === undefined ? `${server}: ${message}` : `${server}: ${code}`, true);
  }
}
