// config/README.md: mail. Which servers and senders are taken, where the password comes from, what `check` shows (SEC-17).

import { describe, expect, it } from '@jest/globals';
import { adviceOn } from '#config/index.ts';
import { maskSettings } from '#config/masked.ts';
import { parseMailbox } from '#config/service/mail-schema.ts';
import { folderWith, issuesOf, load } from '#support/config/folder.ts';

const SERVER = 'mail: { host: smtp.clinic.example, from: Connexion <connect@clinic.example>';
const PRODUCTION = { NODE_ENV: 'production', HYGIE_ISSUER: 'https://connect.clinic.example' };

describe('mail', () => {
  it('is STARTTLS on port 587 unless it says otherwise; without the group nothing is sent', async () => {
    const { settings } = await load({ service: `${SERVER} }` });
    expect(settings.mail).toEqual({
      host: 'smtp.clinic.example',
      port: 587,
      security: 'starttls',
      from: 'Connexion <connect@clinic.example>',
    });
    expect((await load({ service: `${SERVER}, security: tls }` })).settings.mail?.port).toBe(465);
    expect((await load({ service: `${SERVER}, security: none, port: 2525 }` })).settings.mail?.port).toBe(2525);
    expect((await load({})).settings.mail).toBeUndefined();
  });

  it('is missed in production, where `check` says what is not sent, and that people should be told whom to ask', async () => {
    const advice = async (service: string, env: Record<string, string> = PRODUCTION) =>
      adviceOn((await load({ service }, env)).settings).filter((line) => /mail/.test(line));
    expect(await advice('')).toEqual([expect.stringMatching(/no mail server .* are not sent.*branding\.helpText/)]);
    const told = await advice('branding: { supportUrl: "mailto:help@clinic.example" }');
    expect(told).toEqual([expect.not.stringContaining('helpText')]);
    expect([
      await advice(`${SERVER} }`),
      await advice('', {}),
      await advice('', { ...PRODUCTION, HYGIE_SANDBOX: '1' }),
    ]).toEqual([[], [], []]);
  });

  it('SEC-17 takes the password from a variable or a file alone, and shows it nowhere', async () => {
    const password = 'a-password-of-the-mail-server';
    const file = `${folderWith({ password: `${password}\n` })}/password`;
    for (const env of [{ HYGIE_MAIL_PASSWORD: password }, { HYGIE_MAIL_PASSWORD_FILE: file }]) {
      const { settings } = await load({ service: `${SERVER}, user: hygie }` }, env);
      expect(settings.mail?.password).toBe(password);
      expect(JSON.stringify(maskSettings(settings))).not.toContain(password);
      expect(maskSettings(settings).mail).toMatchObject({ user: 'hygie', password: '(hidden)' });
    }
    const issues = await issuesOf(load({ service: `${SERVER}, user: hygie, password: ${password} }` }));
    expect(issues).toMatchObject([{ path: 'mail.password', remedy: expect.stringContaining('HYGIE_MAIL_PASSWORD') }]);
    expect(JSON.stringify(issues)).not.toContain(password);
  });

  it.each([
    ['a user without password', `${SERVER}, user: hygie }`, {}, 'HYGIE_MAIL_PASSWORD'],
    ['a password without user', `${SERVER} }`, { HYGIE_MAIL_PASSWORD: 'x' }, 'HYGIE_MAIL_PASSWORD'],
    [
      'a password given twice',
      `${SERVER}, user: h }`,
      { HYGIE_MAIL_PASSWORD: 'x', HYGIE_MAIL_PASSWORD_FILE: '/x' },
      '',
    ],
    ['a file that is not there', `${SERVER}, user: h }`, { HYGIE_MAIL_PASSWORD_FILE: '/not/there' }, ''],
    ['no sender', 'mail: { host: smtp.clinic.example }', {}, 'mail'],
    ['no server', 'mail: { from: a@b.example }', {}, 'mail'],
    ['an address with a scheme for a host', 'mail: { host: "smtp://x.example", from: a@b.example }', {}, 'mail.host'],
    ['an unknown security', `${SERVER}, security: ssl }`, {}, 'mail.security'],
    [
      'a sender with a line break',
      'mail: { host: x.example, from: "A\\r\\nBcc: b@c.example <a@b.example>" }',
      {},
      'mail.from',
    ],
    ['two senders', 'mail: { host: x.example, from: "a@b.example, b@c.example" }', {}, 'mail.from'],
    ['no TLS in production', `${SERVER}, security: none }`, PRODUCTION, 'mail.security'],
    ['mail in a sandbox', `${SERVER} }`, { ...PRODUCTION, HYGIE_SANDBOX: '1' }, 'mail'],
  ])('refuses %s, with a remedy', async (_what, service, env, path) => {
    const issues = await issuesOf(load({ service }, env));
    expect(issues.length).toBeGreaterThan(0);
    for (const issue of issues) expect(issue.remedy.length).toBeGreaterThan(10);
    if (path !== '') expect(issues.map((issue) => issue.path)).toContain(path);
  });

  it('production takes an open connection to this machine', async () => {
    for (const host of ['localhost', '127.0.0.1', '"::1"']) {
      const service = `mail: { host: ${host}, security: none, from: a@b.example }`;
      expect((await load({ service }, PRODUCTION)).settings.mail?.port).toBe(25);
    }
  });

  it.each([
    ['a@b.example', { name: '', address: 'a@b.example' }],
    ['Hôpital « Sud » <a@b.example>', { name: 'Hôpital « Sud »', address: 'a@b.example' }],
    ['<a@b.example>', { name: '', address: 'a@b.example' }],
    ['a b@c.example', undefined],
    ['a@b@c.example', undefined],
    ['"a" <a@b.example>', undefined],
    ['a@b.example\nBcc: c@d.example', undefined],
    ['a@-b.example', undefined],
  ])('%j is the mailbox %j', (text, mailbox) => {
    expect(parseMailbox(text)).toEqual(mailbox);
  });
});
