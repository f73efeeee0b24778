// A real mail server for tests, on the loopback address: takes mails, and refuses as it is told.

import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type ParsedMail, simpleParser } from 'mailparser';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';
import type { MailSettings } from '#config/settings.ts';

/** Self-signed, for localhost: of tests alone. */
export const CERTIFICATE = readFileSync(new URL('../../../fixtures/mail/localhost.pem', import.meta.url), 'utf8');
export const MAIL_USER = 'hygie';
export const MAIL_PASSWORD = 'a-password-of-the-mail-server-of-tests';

/** In the text of a refusal: stands for the address that is refused. */
export const RECIPIENT = 'RECIPIENT';

export interface ReceivedMail extends ParsedMail {
  /** As it came. */
  raw: string;
  /** The addresses that the client named, apart from the mail. */
  recipients: string[];
}

export interface MailServer {
  port: number;
  /** In the order in which they came. */
  received: ReceivedMail[];
  /** What it answers at each step instead of taking it: number of the code and text. */
  refuse: { recipient?: [number, string]; data?: [number, string] };
  /** How often somebody tried to sign in. */
  signIns: number;
  settings(changes?: Partial<MailSettings>): MailSettings;
  close(): Promise<void>;
}

/** Makes this process trust the certificate of the server, as NODE_EXTRA_CA_CERTS does; returns how to undo it. */
export function trustMailServer(): () => void {
  const before = getCACertificates('default');
  setDefaultCACertificates([...before, CERTIFICATE.slice(CERTIFICATE.indexOf('-----BEGIN CERTIFICATE'))]);
  return () => setDefaultCACertificates(before);
}

/** With STARTTLS and sign-in, unless the options say otherwise. */
export async function startMailServer(options: SMTPServerOptions = {}, port = 0): Promise<MailServer> {
  const server: MailServer = {
    port,
    received: [],
    refuse: {},
    signIns: 0,
    settings: (changes = {}) => ({
      host: 'localhost',
      port: server.port,
      security: 'starttls',
      user: MAIL_USER,
      password: MAIL_PASSWORD,
      from: 'Connexion de test <connect@clinic.example>',
      language: 'fr',
      ...changes,
    }),
    close: () => new Promise((done) => smtp.close(() => done())),
  };
  const refusal = ([responseCode, message]: [number, string]) => Object.assign(new Error(message), { responseCode });
  const smtp = new SMTPServer({
    key: CERTIFICATE,
    cert: CERTIFICATE,
    disableReverseLookup: true,
    closeTimeout: 100,
    onAuth: ({ username, password }, _session, done) => {
      server.signIns += 1;
      if (username === MAIL_USER && password === MAIL_PASSWORD) done(null, { user: username });
      else done(refusal([535, 'authentication failed']));
    },
    onRcptTo: ({ address }, _session, done) => {
      const [code, text] = server.refuse.recipient ?? [];
      done(code && text ? refusal([code, text.replaceAll(RECIPIENT, address)]) : null);
    },
    onData: (stream, { envelope }, done) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        if (server.refuse.data) return done(refusal(server.refuse.data));
        const raw = Buffer.concat(chunks).toString('utf8');
        const recipients = envelope.rcptTo.map(({ address }) => address);
        server.received.push({ ...(await simpleParser(raw)), raw, recipients });
        done();
      });
    },
    ...options,
  });
  smtp.on('error', () => {});
  await new Promise<void>((done) => smtp.listen(port, '127.0.0.1', done));
  server.port = (smtp.server.address() as AddressInfo).port;
  return server;
}
