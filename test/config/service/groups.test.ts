// Groups of service.yaml and their defaults: `listen`, `hsts`, `readiness`, limits, rates, `metrics` and `mail`.

import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseMailbox } from '#config/service/mail-schema.ts';
import { maskSettings } from '#config/settings.ts';
import { type Environment, folderWith, issuesOf, load } from '#support/config/folder.ts';

const PRODUCTION = { NODE_ENV: 'production', HYGIE_ISSUER: 'https://connect.clinic.example' };
async function isIssue(service: string, path: string, remedy: RegExp) {
  const issue = expect.objectContaining({ path, remedy: expect.stringMatching(remedy) });
  expect(await issuesOf(load({ service }))).toEqual([issue]);
}
const listenOf = async (service: string) => (await load({ service })).settings.listen;

describe('listen', () => {
  it('behind a proxy, the service drains when it is stopped and keeps connections longer than any common proxy does', async () => {
    expect(await listenOf('')).toMatchObject({ drain: 0, keepAlive: 65, finish: 10 });
    expect(await listenOf('proxies: 1')).toMatchObject({ drain: 5, keepAlive: 650, finish: 10 });
    const written = 'proxies: 1\nlisten: { drain: 0s, keepAlive: 2h, finish: 1m }';
    expect(await listenOf(written)).toMatchObject({ drain: 0, keepAlive: 7200, finish: 60 });
  });

  it.each([
    ['listen: { drain: 1h }', 'listen.drain', /10m/],
    ['listen: { keepAlive: 0 }', 'listen.keepAlive', /./],
    ['listen: { finish: 0s }', 'listen.finish', /./],
  ])('%s is an issue', isIssue);
});

it('hsts (RFC 6797) is for the host alone, unless more is written', async () => {
  const { hsts } = (await load({})).settings;
  expect(hsts).toEqual({ maxAge: 31_536_000, includeSubDomains: false });
  const all = 'hsts: { maxAge: 730d, includeSubDomains: true }';
  expect((await load({ service: all })).settings.hsts).toEqual({ maxAge: 63_072_000, includeSubDomains: true });
  expect((await load({ service: 'hsts: { maxAge: 0 }' })).settings.hsts).toMatchObject({ maxAge: 0 });
});

it('readiness names halves of the service, at least one, each once', async () => {
  expect((await load({ service: 'readiness: [signin]' })).settings.readiness).toEqual(['signin']);
  for (const wrong of ['[]', '[signin, signin]', '[sign-in]', 'signin'])
    expect(await issuesOf(load({ service: `readiness: ${wrong}` }))).not.toEqual([]);
});

describe('limits of service.yaml', () => {
  it.each([
    ['lifetimes: { refreshToken: 365d, grant: 1d }', 'lifetimes.refreshToken', /grant/],
    ['lifetimes: { refreshToken: 91d }', 'lifetimes.refreshToken', /grant/],
    ['lifetimes: { refreshToken: 7d, refreshTokenIdle: 8d }', 'lifetimes.refreshTokenIdle', /refreshToken/],
    ['lifetimes: { refreshTokenIdle: 31d }', 'lifetimes.refreshTokenIdle', /refreshToken/],
    ['audit: { keep: 1s }', 'audit.keep', /1d/],
    ['audit: { keep: 86399 }', 'audit.keep', /1d/],
    ['audit: { keep: 0 }', 'audit.keep', /./],
  ])('%s is an issue', isIssue);

  it.each([
    ['lifetimes: { refreshToken: 90d, refreshTokenIdle: 90d }', { refreshTokenIdle: 7_776_000 }],
    ['lifetimes: { refreshToken: 365d, grant: 365d }', { refreshToken: 31_536_000 }],
    // What is not written ends with what it belongs to.
    ['lifetimes: { session: 30m }', { session: 1800, sessionIdle: 3600 }],
    ['lifetimes: { grant: 3h }', { grant: 10_800, refreshToken: 2_592_000 }],
    ['lifetimes: { refreshToken: 1d }', { refreshToken: 86_400, refreshTokenIdle: 1_209_600 }],
  ])('%s is none', async (service, lifetimes) => {
    expect((await load({ service })).settings.lifetimes).toMatchObject(lifetimes);
  });

  it('a day of audit trail is enough', async () => {
    expect((await load({ service: 'audit: { keep: 1d }' })).settings.audit).toEqual({ keep: 86_400 });
  });
});

const client = (more: string) => `
clients:
  - { id: a, name: A, type: browser, callbackUrls: ["https://a.example/"], ${more} }`;

describe('directory.rate and directory.downloads', () => {
  it('have defaults that a usual integration does not notice, and are set one by one, or switched off', async () => {
    const { directory } = (await load({})).settings;
    expect(directory).toMatchObject({ rate: { perSecond: 200, burst: 1000 }, downloads: 5 });
    const { settings } = await load({ service: 'directory: { rate: { perSecond: 0 }, downloads: 0 }' });
    expect(settings.directory).toMatchObject({ rate: { perSecond: 0, burst: 1000 }, downloads: 0 });
  });

  it.each([
    ['rate: { burst: 0 }', 'directory.rate.burst', /1 to 1000000, but is 0/],
    ['rate: 100', 'directory.rate', /group of keys/],
    ['rate: { persecond: 5 }', 'directory.rate.persecond', /perSecond/],
  ])('%s is an issue at its key', async (text, path, problem) => {
    const issues = await issuesOf(load({ service: `directory: { ${text} }` }));
    expect(issues).toHaveLength(1);
    expect(issues[0]?.path).toBe(path);
    expect(`${issues[0]?.problem} ${issues[0]?.remedy}`).toMatch(problem);
  });
});

it('clients[].rate is absent unless it is given, whole', async () => {
  const without = await load({ clients: client('consent: ask') });
  expect(without.clients[0]).not.toHaveProperty('rate');
  const { clients } = await load({ clients: client('rate: { perSecond: 5, burst: 10 }') });
  expect(clients[0]?.rate).toEqual({ perSecond: 5, burst: 10 });
  const issues = await issuesOf(load({ clients: client('rate: { perSecond: 5 }') }));
  expect(issues.map(({ path }) => path)).toEqual(['clients[0].rate']);
});

describe('SEC-17 metrics: where they are served and for whom, without a secret in a message', () => {
  const TOKEN = 'a-token-of-the-tests-that-opens-nothing';

  it('there are none by default; a port listens on this machine alone; HYGIE_METRICS_PORT beats it', async () => {
    expect((await load({})).settings.metrics).toEqual({ host: '127.0.0.1' });
    const service = 'metrics: { port: 9464 }';
    expect((await load({ service })).settings.metrics).toEqual({ host: '127.0.0.1', port: 9464 });
    const env = { HYGIE_METRICS_PORT: '9465', HYGIE_METRICS_HOST: '0.0.0.0' };
    expect((await load({ service }, env)).settings.metrics).toEqual({ host: '0.0.0.0', port: 9465 });
  });

  it('a token comes from a variable or a file, and is shown nowhere', async () => {
    const { settings } = await load({ service: 'metrics: { token: { env: T } }' }, { T: TOKEN, ...PRODUCTION });
    expect(settings.metrics.token).toBe(TOKEN);
    expect(JSON.stringify(maskSettings(settings))).not.toContain(TOKEN);
    const folder = folderWith({ 'metrics-token': `${TOKEN}\n` });
    const file = `metrics: { token: { file: ${join(folder, 'metrics-token')} } }`;
    expect((await load({ service: file }, PRODUCTION)).settings.metrics.token).toBe(TOKEN);
  });

  const faults: [name: string, service: string, env: Environment, path: string, problem: RegExp][] = [
    ['the port of the service', 'metrics: { port: 3000 }', {}, 'metrics.port', /port of the service itself/],
    ['the same by its variable', '', { HYGIE_METRICS_PORT: '3000' }, 'HYGIE_METRICS_PORT', /port of the service/],
    ['no number', '', { HYGIE_METRICS_PORT: 'x' }, 'HYGIE_METRICS_PORT', /number/],
    ['a variable that is not set', 'metrics: { token: { env: T } }', {}, 'metrics.token', /variable T is not set/],
    ['both', 'metrics: { token: { env: T, file: t } }', { T: TOKEN }, 'metrics.token', /2 keys, but needs exactly one/],
    ['neither', 'metrics: { token: {} }', {}, 'metrics.token', /0 keys, but needs exactly one/],
    ['no such file', 'metrics: { token: { file: none } }', {}, 'metrics.token', /none cannot be read \(ENOENT\)/],
    ['a blank', 'metrics: { token: { env: T } }', { T: `${TOKEN} x` }, 'metrics.token', /characters that no Auth/],
    ['a short one', 'metrics: { token: { env: T } }', { T: 'short', ...PRODUCTION }, 'metrics.token', /fewer than 32/],
  ];
  it.each(faults)('refused, with the remedy: %s', async (_name, service, env, path, problem) => {
    const issues = await issuesOf(load({ service }, env));
    expect(issues).toEqual([
      expect.objectContaining({ path, problem: expect.stringMatching(problem), remedy: expect.any(String) }),
    ]);
    if (env['T']) expect(JSON.stringify(issues)).not.toContain(env['T']);
  });
});

const SERVER = 'mail: { host: smtp.clinic.example, from: Connexion <connect@clinic.example>';

describe('mail', () => {
  it('is STARTTLS on port 587 unless it says otherwise; without the group nothing is sent', async () => {
    const { settings } = await load({ service: `${SERVER} }` });
    expect(settings.mail).toEqual({
      host: 'smtp.clinic.example',
      port: 587,
      security: 'starttls',
      from: 'Connexion <connect@clinic.example>',
      language: 'fr',
    });
    expect((await load({ service: `${SERVER}, security: tls }` })).settings.mail?.port).toBe(465);
    expect((await load({ service: `${SERVER}, security: none, port: 2525 }` })).settings.mail?.port).toBe(2525);
    expect((await load({})).settings.mail).toBeUndefined();
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
    ['a password twice', `${SERVER}, user: h }`, { HYGIE_MAIL_PASSWORD: 'x', HYGIE_MAIL_PASSWORD_FILE: '/x' }, ''],
    ['a file that is not there', `${SERVER}, user: h }`, { HYGIE_MAIL_PASSWORD_FILE: '/not/there' }, ''],
    ['no sender', 'mail: { host: smtp.clinic.example }', {}, 'mail'],
    ['no server', 'mail: { from: a@b.example }', {}, 'mail'],
    ['an address with a scheme for a host', 'mail: { host: "smtp://x.example", from: a@b.example }', {}, 'mail.host'],
    ['an unknown security', `${SERVER}, security: ssl }`, {}, 'mail.security'],
    ['a line break', 'mail: { host: x.example, from: "A\\r\\nBcc: b@c.example <a@b.example>" }', {}, 'mail.from'],
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
