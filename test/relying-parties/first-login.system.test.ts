// docs/relying-parties.md begins with a complete login: its entry of clients.yaml and its program are taken from the page and run.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { loadClients } from '#config/index.ts';
import { blocksOf } from '#support/docs/markdown.ts';
import { freePort } from '#support/free-port.ts';
import { newFolder } from '#support/new-folder.ts';
import { createPerson } from '#support/person.ts';
import { CREDENTIALS } from '#support/relying-parties/application.ts';
import { DEMO_ACCOUNTS, type RunningService, startService } from '#support/service.ts';
import { until } from '#support/until.ts';

const ROOT = join(import.meta.dirname, '../..');
const CLIENT_SECRET = 'a-secret-of-an-application-that-opens-nothing';

const page = readFileSync(join(ROOT, 'docs/relying-parties.md'), 'utf8');
const [entry, program] = blocksOf(page);
const folder = newFolder();
let origin: string;
let service: RunningService;
let application: ChildProcess;
let said = '';

beforeAll(async () => {
  origin = `http://localhost:${await freePort()}`;
  const here = (text = '') => text.replaceAll('http://localhost:8080', origin);
  service = await startService();
  writeFileSync(join(folder, 'clients.yaml'), here(entry?.text));
  const settings = { ...service.settings, configFolder: folder };
  service.replaceClients(await loadClients(settings, { CLIENT_SECRET }));

  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  const port = new URL(origin).port;
  const text = here(program?.text).replaceAll('http://localhost:3000', service.issuer).replaceAll('8080', port);
  writeFileSync(join(folder, 'application.mjs'), text);
  application = spawn(process.execPath, [join(folder, 'application.mjs')], {
    env: { PATH: process.env['PATH'], CLIENT_SECRET, SESSION_SECRET: 'only for this test' },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  application.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  const answers = () =>
    fetch(origin, { redirect: 'manual' }).then(
      ({ status }) => status === 302,
      () => false,
    );
  await until(async () => application.exitCode !== null || (await answers()), 'the application answers');
});
afterAll(async () => {
  if (application?.exitCode === null) {
    application.kill();
    await once(application, 'exit');
  }
  await service?.stop();
});

it('docs/relying-parties.md: the login with which the page begins has 25 lines at most, and signs a person in', async () => {
  expect([entry?.language, program?.language]).toEqual(['yaml', 'js']);
  expect(program?.text.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(25);
  expect([application.exitCode, said]).toEqual([null, expect.not.stringMatching(/Error/)]);
  const visitor = createPerson(origin);
  const { left } = await visitor.visit('/');
  const callback = await createPerson(service.issuer).signIn(left ?? '', CREDENTIALS);
  const { status, html } = await visitor.visit(callback);
  const person = DEMO_ACCOUNTS[0];
  expect([status, html]).toEqual([200, `${person?.name} is signed in. Link your own data to ${person?.id}.`]);
});
