// Commands about mail: invitations put into the queue, the settings tried, and what waits.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Installation, installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { openedForEach } from '#support/opened.ts';
import { MAIL_PASSWORD, type MailServer, startMailServer, trustMailServer } from '#support/openid/mail/mail-server.ts';

describe('invitations', () => {
  let hygie: Installation['hygie'];
  const place = openedForEach(installation);
  beforeEach(async () => {
    hygie = inProcess(place);
    expect((await hygie(['migrate'])).code).toBe(0);
  });

  const add = (email: string, ...more: string[]) =>
    hygie(['accounts', 'add', '--email', email, '--name', 'Noé Neuf', ...more]);
  const waiting = async () => (await hygie(['mail', 'queue'])).stdout;

  it('accounts add --invite puts one into the queue; accounts invite sends another in its place, ten a day at most', async () => {
    const email = 'noe@clinic.example';
    expect(await waiting()).toBe('0 mails wait\n');
    const added = await add(email, '--invite');
    expect([added.code, added.stderr]).toEqual([0, expect.stringContaining(`invitation to ${email} is in the queue`)]);
    expect(await waiting()).toMatch(/^1 mail waits, the first since \d{4}-\d\d-\d\dT[\d:.]+Z\n$/);
    const codes: (number | null)[] = [];
    let last = '';
    for (let times = 0; times < 10; times += 1) {
      const { code, stderr } = await hygie(['accounts', 'invite', email]);
      codes.push(code);
      last = stderr;
    }
    expect(codes).toEqual([...Array(9).fill(0), 1]);
    expect(last).toContain('ten invitations within a day');
    expect(await waiting()).toMatch(/^1 mail waits/);
    expect((await hygie(['accounts', 'list'])).stdout).toMatch(/noe@clinic\.example.*invited/);
    expect(
      (await hygie(['audit', '--event', 'account.invited', '--json'])).stdout.match(/account\.invited/g),
    ).toHaveLength(10);
  });

  it('accounts import --invite invites those without password, all or nobody', async () => {
    await add('noe@clinic.example', '--invite');
    const file = join(place.folder, 'people.csv');
    writeFileSync(file, 'email,name\na@clinic.example,A\nb@clinic.example,B\nnoe@clinic.example,C\n');
    const refused = await hygie(['accounts', 'import', file, '--invite']);
    expect([refused.code, await waiting()]).toEqual([1, expect.stringMatching(/^1 mail waits/)]);
    writeFileSync(file, 'email,name\na@clinic.example,A\nb@clinic.example,B\n');
    const tried = await hygie(['accounts', 'import', file, '--invite', '--dry-run']);
    expect([tried.code, await waiting()]).toEqual([0, expect.stringMatching(/^1 mail waits/)]);
    const imported = await hygie(['accounts', 'import', file, '--invite']);
    expect([imported.code, imported.stderr]).toEqual([0, expect.stringContaining('Invited: 2')]);
    expect(await waiting()).toMatch(/^3 mails wait/);
  });

  it('is refused, before anything is written, where nothing could be sent', async () => {
    await add('noe@clinic.example', '--invite');
    writeFileSync(join(place.folder, 'people.csv'), 'email,name\na@clinic.example,A\n');
    const env = { NODE_ENV: 'production', HYGIE_ISSUER: 'https://connect.clinic.example' };
    for (const args of [
      ['add', '--email', 's@clinic.example', '--name', 'S', '--invite'],
      ['invite', 'noe@clinic.example'],
      ['import', join(place.folder, 'people.csv'), '--invite'],
    ]) {
      const { code, stderr } = await hygie(['accounts', ...args], { env });
      expect([args[0], code, stderr]).toEqual([
        args[0],
        1,
        expect.stringContaining('service.yaml names no mail server'),
      ]);
    }
    expect((await hygie(['accounts', 'show', 's@clinic.example'])).code).toBe(1);
  });
});

describe('mail test', () => {
  let place: Installation;
  let hygie: Installation['hygie'];
  let server: MailServer;
  let distrust: () => void;
  beforeAll(async () => {
    distrust = trustMailServer();
    server = await startMailServer();
    place = installation();
    hygie = inProcess(place);
  });
  beforeEach(() => {
    const { host, port, user, from } = server.settings();
    const mail = { host, port, user, from };
    place.configure('service.yaml', JSON.stringify({ mail }));
  });
  afterAll(async () => {
    await server.close();
    distrust();
  });
  const test = (password: string, ...more: string[]) =>
    hygie(['mail', 'test', ...more], { env: { HYGIE_MAIL_PASSWORD: password } });

  it('sends one mail past the queue, without a database', async () => {
    const { code, stderr } = await test(MAIL_PASSWORD, '--to', 'Me <me@clinic.example>');
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`localhost:${server.port} accepted a mail to me@clinic.example`),
    ]);
    expect(server.received.map(({ recipients }) => recipients)).toEqual([['me@clinic.example']]);
  });

  it('SEC-17 says what the mail server refuses, with its answer and without the password', async () => {
    const wrong = await test('not-the-password-of-it', '--to', 'me@clinic.example');
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringMatching(/refuses the user or the password.*535/)]);
    expect(wrong.stderr).toContain('authentication failed');
    expect(wrong.stderr).not.toContain('not-the-password-of-it');
    server.refuse = { recipient: [550, 'no such mailbox here'] };
    const refused = await test(MAIL_PASSWORD, '--to', 'me@clinic.example');
    server.refuse = {};
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('the address is refused (550)')]);
  });
});
