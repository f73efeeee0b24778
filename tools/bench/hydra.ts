// `npm run bench:hydra -- --hydra PROGRAM`: introspection, userinfo and refresh beside Ory Hydra. Each has one core, and a database of its
// own on the same PostgreSQL, which waits for the disk. The load has the other cores.
//
// Hydra gets the cheapest hash of client secrets that it offers and a key of 2048 bits, which are less than its defaults: with these, it
// would be compared by its hash alone. Its introspection has no authentication of clients, ours has.

import { execFileSync } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { newDatabase } from '#support/databases.ts';
import { freePort } from '#support/free-port.ts';
import { startPostgres, stopPostgres } from '#support/postgres.ts';
import { compareSides, printCompared } from '#tools/site/load.ts';
import { optionsOf } from '#tools/site/options.ts';
import { environmentWith, type Running, start } from '#tools/site/processes.ts';
import { CALLBACK, SECRET, startHygie } from '#tools/site/service.ts';
import { hygieServer, prepareWork, type Server } from './sign-in/oidc-work.ts';

const { seconds, rounds, hydra } = optionsOf(
  `npm run bench:hydra -- --hydra PROGRAM [OPTIONS]
Compares the service with Ory Hydra on PostgreSQL, one core each. Prints rates and ratios; judges nothing.`,
  {
    hydra: ['', "Hydra's program (https://github.com/ory/hydra/releases)"],
    seconds: [4, 'length of each measurement'],
    rounds: [5, 'rounds of each comparison'],
  },
);

const SCOPES = ['openid', 'offline_access', 'email', 'profile'];
/** Where Hydra sends people to sign in and to consent. Nothing is there: the bench answers for it. */
const APPLICATION = 'https://application.example';
const [, ...others] = Array.from({ length: availableParallelism() }, (_, core) => core);
/** Moves a process with all its threads to these cores. What it starts later begins there. */
const moveTo = (cores: readonly number[], pid = process.pid) =>
  execFileSync('taskset', ['-a', '-c', '-p', cores.join(), String(pid)], { stdio: 'ignore' });

moveTo(others);
const running: { stop(): Promise<unknown> }[] = [];
try {
  await startPostgres({ fsync: true });
  running.push({ stop: stopPostgres });
  const [ours, theirs] = [await ownDatabase(), await ownDatabase()];
  const hygie = await startHygie({ DATABASE_URL: ours });
  running.push(hygie);
  const other = await startHydra(theirs);
  for (const { pid } of [hygie, other.running]) moveTo([0], pid);
  for (const [row, parallel] of [
    ['introspection', 8],
    ['introspection', 1],
    ['userinfo', 8],
    ['refresh', 8],
  ] as const) {
    const choices = { seconds, rounds, parallel };
    const [unit, hydraUnit] = [await prepareWork(hygieServer(hygie.address), 8), await prepareWork(other.server, 8)];
    printCompared(
      await compareSides(
        row,
        choices,
        { name: 'Hygie', pid: hygie.pid, unit: unit[row] },
        { name: 'Ory Hydra', pid: other.running.pid, unit: hydraUnit[row] },
      ),
      choices,
    );
  }
} finally {
  for (const one of running.reverse()) await one.stop();
}

/** Address of an empty database, which is removed at the end. */
async function ownDatabase(): Promise<string> {
  const { settings, remove } = await newDatabase('postgresql');
  running.push({ stop: remove });
  return settings.engine === 'postgresql' ? settings.url : '';
}

/** Starts Hydra with one client. Everybody is signed in and consents to everything. */
async function startHydra(database: string): Promise<{ running: Running; server: Server }> {
  const [port, admin] = [await freePort(), await freePort()];
  const [address, adminAddress] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${admin}`];
  const call = async (method: string, path: string, body: object) => {
    const answer = await fetch(adminAddress + path, { method, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { redirect_to?: string };
  };

  const env = {
    DSN: database,
    SECRETS_SYSTEM: randomBytes(16).toString('hex'),
    SERVE_PUBLIC_HOST: '127.0.0.1',
    SERVE_PUBLIC_PORT: String(port),
    SERVE_ADMIN_HOST: '127.0.0.1',
    SERVE_ADMIN_PORT: String(admin),
    URLS_SELF_ISSUER: address,
    URLS_LOGIN: `${APPLICATION}/login`,
    URLS_CONSENT: `${APPLICATION}/consent`,
    OAUTH2_HASHERS_PBKDF2_ITERATIONS: '1',
    LOG_FORMAT: 'json',
    SQA_OPT_OUT: 'true',
  };
  execFileSync(hydra, ['migrate', 'sql', 'up', '-e', '--yes'], { env: environmentWith(env), stdio: 'ignore' });
  const own = await start(['serve', 'all', '--dev'], {
    program: hydra,
    env,
    ready: (text) => (text.includes(`:${admin}`) && text.includes(`:${port}`) ? address : undefined),
  });
  running.push(own);
  const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' });
  const keys = { keys: [{ ...key, kid: 'bench', alg: 'RS256', use: 'sig' }] };
  await call('PUT', '/admin/keys/hydra.openid.id-token', keys);
  await call('POST', '/admin/clients', {
    client_id: 'bench',
    client_secret: SECRET,
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    scope: SCOPES.join(' '),
    token_endpoint_auth_method: 'client_secret_post',
  });
  const paths = {
    authorize: '/oauth2/auth',
    token: '/oauth2/token',
    introspect: `${adminAddress}/admin/oauth2/introspect`,
    userinfo: '/userinfo',
  };
  const answer = () => Promise.reject(new Error('Hydra showed a page of its own'));
  const passOn = async ({ href, pathname, searchParams }: URL) => {
    if (!href.startsWith(APPLICATION)) return undefined;
    const kind = pathname.slice(1);
    const challenge = `${kind}_challenge=${searchParams.get(`${kind}_challenge`)}`;
    const granted = { subject: 'bench', remember: true, grant_scope: SCOPES };
    const { redirect_to } = await call('PUT', `/admin/oauth2/auth/requests/${kind}/accept?${challenge}`, granted);
    return redirect_to;
  };
  return { running: own, server: { address, paths, secret: SECRET, scope: 'openid email profile', answer, passOn } };
}
