// deploy/hygie.sh, the commands beside the service: what it hands on of the unit and of the running instance. Its places are moved into a
// temporary folder, and instead of a command it prints its variables.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from '@jest/globals';
import { newFolder } from '#support/new-folder.ts';

const deploy = (name: string) => readFileSync(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');

let root: string;
beforeEach(() => {
  root = newFolder();
  put('etc/systemd/system/hygie@.service', deploy('hygie@.service').replaceAll('/etc/hygie/', `${root}/etc/hygie/`));
  for (const secret of ['key-secret', 'database-url']) put(`etc/hygie/secrets/${secret}`, `the ${secret}\n`);
  put('etc/hygie/hygie.env', 'HYGIE_ISSUER=https://connect.example.org\n');
});

function put(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function variables(): Record<string, string> {
  const script = deploy('hygie.sh')
    .replaceAll(/(?<=[ =])\/(etc|run)\//g, `${root}/$1/`)
    .replace(/^exec .*$/m, 'exec env');
  const text = execFileSync('sh', ['-c', script], { env: { PATH: process.env['PATH'] ?? '' }, encoding: 'utf8' });
  return Object.fromEntries(text.split('\n').map((line) => line.split(/=(.*)/s).slice(0, 2)));
}

it('has the listening address of the unit, and of what stands beside it', () => {
  expect(variables()).toMatchObject({ HYGIE_HOST: '127.0.0.1', HYGIE_KEY_SECRET: 'the key-secret' });
  put('etc/systemd/system/hygie@.service.d/host.conf', '[Service]\nEnvironment=HYGIE_HOST=10.0.0.7 LOG_LEVEL=warn\n');
  expect(variables()).toMatchObject({ HYGIE_HOST: '10.0.0.7' });
});

it('hands on a credential that the running instance does not have yet, and the copies of those that it has', () => {
  put('run/credentials/hygie@3001.service/key-secret', 'the copy');
  put('run/credentials/hygie@3001.service/database-url', 'the copy');
  put('etc/hygie/secrets/mail-password', 'of the mail server\n');
  const conf = `[Service]\nLoadCredential=mail-password:${root}/etc/hygie/secrets/mail-password\n`;
  put('etc/systemd/system/hygie@.service.d/mail.conf', conf);
  const { HYGIE_KEY_SECRET: none, ...found } = variables();
  expect(none).toBeUndefined();
  expect(found).toMatchObject({
    HYGIE_PORT: '3001',
    HYGIE_KEY_SECRET_FILE: `${root}/run/credentials/hygie@3001.service/key-secret`,
    DATABASE_URL_FILE: `${root}/run/credentials/hygie@3001.service/database-url`,
    HYGIE_MAIL_PASSWORD: 'of the mail server',
  });
});

it('the unit lets the wait for its start end with the process that is started', () => {
  expect(deploy('hygie@.service')).toMatch(/^ExecStartPost=.* health --wait 60 --pid \$\{MAINPID\}$/m);
});
