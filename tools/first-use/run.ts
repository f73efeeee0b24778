// `node tools/first-use/run.ts`: does in this checkout what the README says, as a new operator does: starts the service, registers a client in
// `config/clients.yaml` with a secret of `clients secret`, signs in by it, and stops. Changes the checkout: for a fresh clone alone.

import '#support/script-help.ts';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as client from 'openid-client';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#seeds/demo-accounts.ts';
import { examplesOf, uncommented } from '#support/config/shipped.ts';
import { freePort } from '#support/free-port.ts';
import { createPerson } from '#support/person.ts';
import { until } from '#support/until.ts';

const ROOT = join(import.meta.dirname, '../..');
const CLIENTS = join(ROOT, 'config/clients.yaml');
if (existsSync(join(ROOT, 'data'))) throw new Error('data/ is there already: this is for a fresh clone');

const port = await freePort();
const issuer = `http://localhost:${port}`;
const env = { ...process.env, HYGIE_PORT: String(port) };
const service = spawn('npm', ['start'], { cwd: ROOT, env, stdio: 'inherit', detached: true });
const ended = once(service, 'exit');
const hygie = (...args: string[]) =>
  execFileSync('npm', ['run', '-s', 'hygie', '--', ...args], { cwd: ROOT, env, encoding: 'utf8' });

/** The subject of the ID token of the authorization code flow, or nothing while the client is not known yet. */
async function signIn(secret: string): Promise<string | undefined> {
  const execute = [client.allowInsecureRequests];
  const config = await client.discovery(new URL(issuer), 'portail-patient', secret, undefined, { execute });
  const [pkceCodeVerifier, expectedState] = [client.randomPKCECodeVerifier(), client.randomState()];
  const address = client.buildAuthorizationUrl(config, {
    redirect_uri: 'https://portail.example/callback',
    scope: 'openid email profile',
    state: expectedState,
    code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
  });
  if ((await fetch(address, { redirect: 'manual' })).status === 400) return undefined;
  // A person with several places of work would be asked for one.
  const login = DEMO_ACCOUNTS.find(({ workspaces = [] }) => workspaces.length === 1)?.email ?? '';
  const back = await createPerson(issuer).signIn(address, { login, password: DEMO_PASSWORD });
  const tokens = await client.authorizationCodeGrant(config, back, { pkceCodeVerifier, expectedState });
  return tokens.claims()?.sub;
}

try {
  await until(async () => (await fetch(`${issuer}/health/ready`).catch(() => undefined))?.ok === true, 'it is ready');
  const printed = hygie('clients', 'secret');
  const [secret = '', hash = ''] = ['secret', 'hash'].map(
    (name) => new RegExp(`^${name}: (.*)$`, 'm').exec(printed)?.[1],
  );
  const shipped = readFileSync(CLIENTS, 'utf8');
  const edited = uncommented(shipped, examplesOf(shipped).slice(0, 1))
    .replace('"sha256$..."', () => `"${hash}"`)
    // The demo's people have a password alone.
    .replace(/^ +secondFactor: required.*\n/m, '');
  writeFileSync(CLIENTS, edited);
  hygie('check');
  let subject: string | undefined;
  await until(async () => {
    subject = await signIn(secret);
    return subject !== undefined;
  }, 'the edit took effect');
  console.log(`signed in: ${subject}`);
} finally {
  process.kill(-(service.pid ?? 0), 'SIGTERM');
  await ended;
}
