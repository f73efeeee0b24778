// Mails handed to a real mail server: TLS and sign-in, what arrives, and what its refusals mean (SEC-17, SEC-44).

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { testMessage } from '#openid/mail/compose.ts';
import { type Message, RecipientRefused, SendingFailed } from '#openid/mail/mail-queue-worker.ts';
import { smtpSender } from '#openid/mail/smtp.ts';
import { freePort } from '#support/free-port.ts';
import { MAIL_PASSWORD, type MailServer, startMailServer, trustMailServer } from '#support/openid/mail/mail-server.ts';

const SERVICE = { issuer: 'https://connect.clinic.example/sign', branding: { name: 'Hôpital Sud', colour: '#0b5f6b' } };
const never = () => new AbortController().signal;

describe('SMTP', () => {
  let server: MailServer;
  let distrust: () => void;

  beforeAll(async () => {
    server = await startMailServer();
    distrust = trustMailServer();
  });
  afterAll(async () => {
    distrust();
    await server.close();
  });
  afterEach(() => {
    server.refuse = {};
    server.received.length = 0;
  });

  const send = async (changes: Parameters<MailServer['settings']>[0] = {}, message: Partial<Message> = {}) => {
    const sender = smtpSender(server.settings(changes), SERVICE);
    try {
      await sender.send({ ...testMessage(SERVICE, 'camille@clinic.example'), ...message }, never());
    } finally {
      sender.close();
    }
  };
  const address = () => `localhost:${server.port}`;
  const failure = async (...args: Parameters<typeof send>) =>
    send(...args).then(
      () => new Error('it was sent'),
      (error: Error) => error,
    );

  it('arrives by STARTTLS after a sign-in, as text and HTML in one language, marked as automatic', async () => {
    await send({ replyTo: 'aide@clinic.example' });
    const [mail] = server.received;
    expect(mail?.recipients).toEqual(['camille@clinic.example']);
    expect(mail?.from?.value).toEqual([{ name: 'Connexion de test', address: 'connect@clinic.example' }]);
    expect(mail?.replyTo?.value).toMatchObject([{ address: 'aide@clinic.example' }]);
    expect(mail?.subject).toBe('Essai d’envoi de Hôpital Sud');
    expect(mail?.text).toContain('Hôpital Sud peut envoyer des e-mails.');
    expect(mail?.html).toContain('<html lang="fr">');
    expect(mail?.headers.get('auto-submitted')).toBe('auto-generated');
    expect(mail?.headers.get('content-language')).toBe('fr');
    expect(mail?.messageId).toMatch(/^<[0-9a-f]{32}@connect\.clinic\.example>$/);
    expect(Math.abs(Number(mail?.date) - Date.now())).toBeLessThan(600_000);
    // RFC 5322 2.1.1: no line is longer than 998 characters; nothing but ASCII travels.
    for (const line of mail?.raw.split('\r\n') ?? []) expect(line).toMatch(/^[\t -~]{0,998}$/);
  });

  it('has the service’s name where the sender has none', async () => {
    await send({ from: 'connect@clinic.example' });
    expect(server.received[0]?.from?.value).toEqual([{ name: 'Hôpital Sud', address: 'connect@clinic.example' }]);
  });

  it('loads nothing from anywhere: no picture, script, font, style sheet or form', async () => {
    const { html } = testMessage(SERVICE, 'camille@clinic.example');
    expect(html).not.toMatch(/\bsrc=|<img|<script|<link|<style|<form|<table|url\(|@import|https?:/i);
  });

  it.each(['text', 'html'] as const)('SEC-44 takes no %s from a file or an address', async (part) => {
    for (const source of [{ path: import.meta.filename }, { href: 'http://127.0.0.1:9/' }])
      expect((await failure({}, { [part]: source })).message).toMatch(/(File|Url) access rejected/);
    expect(server.received).toEqual([]);
  });

  it.each([
    'camille@clinic.example\r\nBcc: mallory@evil.example',
    'camille@clinic.example, mallory@evil.example',
    'camille@clinic.example>\r\nRCPT TO:<mallory@evil.example',
    '"camille" <mallory@evil.example>',
    'camille',
  ])('SEC-44 refuses the address %j, before it connects', async (to) => {
    const before = server.signIns;
    expect(await failure({}, { to })).toBeInstanceOf(RecipientRefused);
    expect(server.signIns).toBe(before);
    expect(server.received).toEqual([]);
  });

  it('SEC-44 a line break in a subject or id adds no header', async () => {
    const evil = 'Bonjour\r\nBcc: mallory@evil.example\r\n\r\nSurprise';
    await send({}, { subject: evil, messageId: `x@y>\r\nX-Evil: 1\r\nX: <z` });
    const [mail] = server.received;
    expect(mail?.recipients).toEqual(['camille@clinic.example']);
    expect(mail?.bcc).toBeUndefined();
    expect([...(mail?.headers.keys() ?? [])]).not.toContain('x-evil');
    expect(mail?.text).not.toContain('Surprise');
  });

  it('tells a refused address from one that is taken later, and from a refused mail', async () => {
    server.refuse = { recipient: [550, 'no such mailbox'] };
    const gone = await failure();
    expect([gone.constructor, gone.message]).toEqual([RecipientRefused, 'the address is refused (550)']);
    server.refuse = { recipient: [450, 'greylisted'] };
    expect(await failure()).toMatchObject({
      constructor: SendingFailed,
      ofServer: false,
      answer: expect.stringContaining('greylisted'),
      message: `${address()} refuses the address for now (450)`,
    });
    const link = 'https://connect.clinic.example/account-link/invitation/secret';
    server.refuse = { data: [554, `blocked: ${link}`] };
    const refused = await failure();
    expect(refused).toMatchObject({
      constructor: SendingFailed,
      ofServer: false,
      answer: `554 blocked: ${link}`,
      message: `${address()} refuses the mail (554)`,
    });
    // SEC-17: a filter that quotes a link brings it into no log.
    expect(refused.message).not.toContain('secret');
  });

  it('SEC-17 says that user or password are refused, and neither of them', async () => {
    const error = await failure({ password: 'a-wrong-password' });
    expect(error).toMatchObject({ constructor: SendingFailed, ofServer: true });
    expect(error.message).toBe(`${address()} refuses the user or the password (535)`);
    expect(error.message).not.toContain('a-wrong-password');
  });

  it('sends neither password nor mail where the server offers no TLS, or nobody trusts its certificate', async () => {
    const open = await startMailServer({ hideSTARTTLS: true, disabledCommands: ['STARTTLS'], allowInsecureAuth: true });
    try {
      const error = await failure({ port: open.port });
      expect(error).toMatchObject({ constructor: SendingFailed, ofServer: true });
      expect(error.message).toMatch(/^localhost:\d+: no TLS; it offers none, or its certificate is refused: /);
      expect([open.signIns, open.received.length]).toEqual([0, 0]);
      // Where the operator says so it goes: to this machine alone, in production.
      await send({ port: open.port, security: 'none' });
      expect(open.received).toHaveLength(1);
    } finally {
      await open.close();
    }
    distrust();
    try {
      const before = server.signIns;
      expect((await failure()).message).toMatch(/certificate.*name its authority in NODE_EXTRA_CA_CERTS/);
      expect((await failure({ host: '127.0.0.1' })).message).toMatch(/certificate/);
      expect(server.signIns).toBe(before);
    } finally {
      distrust = trustMailServer();
    }
  });

  it('arrives by TLS from the first byte', async () => {
    const secure = await startMailServer({ secure: true });
    try {
      await send({ port: secure.port, security: 'tls' });
      expect(secure.received).toHaveLength(1);
    } finally {
      await secure.close();
    }
  });

  it('says that a port is none for TLS', async () => {
    expect((await failure({ security: 'tls' })).message).toBe(
      `${address()} answers without TLS: mail.security tls needs its port for TLS (465), else starttls`,
    );
  });

  it('says where nobody listens, and ends with its signal', async () => {
    const port = await freePort();
    const error = await failure({ port });
    expect(error).toMatchObject({ constructor: SendingFailed, ofServer: true });
    expect(error.message).toContain(`localhost:${port}`);
    expect(error.message).not.toContain(MAIL_PASSWORD);
    const sender = smtpSender(server.settings(), SERVICE);
    const aborted = sender.send(testMessage(SERVICE, 'a@clinic.example'), AbortSignal.abort(new Error('closing')));
    await expect(aborted).rejects.toThrow('closing');
    const late = AbortSignal.abort(Object.assign(new Error('late'), { name: 'TimeoutError' }));
    await expect(sender.send(testMessage(SERVICE, 'a@clinic.example'), late)).rejects.toMatchObject({
      constructor: SendingFailed,
      ofServer: true,
      message: `${address()} did not take the mail in time`,
    });
    sender.close();
  });
});
