// Clients as Debian ships them, unmodified: Apache with mod_auth_openidc, Authlib for Python, and oidc-agent. Each is run as
// its manual says, against the running service, on the loopback. A machine without one of them skips its test by name:
//   apt-get install apache2 libapache2-mod-auth-openidc python3-authlib python3-requests oidc-agent-cli

import {
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
  execFile,
  execFileSync,
  spawn,
} from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '#support/free-port.ts';
import { newFolder } from '#support/new-folder.ts';
import { createPerson } from '#support/person.ts';
import { APPLICATION_SECRET, CREDENTIALS, registration } from '#support/relying-parties/application.ts';
import { CALLBACK, DEMO_ACCOUNTS, type RunningService, startService } from '#support/service.ts';

const PERSON = DEMO_ACCOUNTS[0];
const MODULES = '/usr/lib/apache2/modules';
const PYTHON = '/usr/bin/python3';

const hasApache = existsSync('/usr/sbin/apache2') && existsSync(`${MODULES}/mod_auth_openidc.so`);
const hasAuthlib = succeeds(PYTHON, ['-c', 'import authlib, requests']);
const hasAgent = existsSync('/usr/bin/oidc-agent') && existsSync('/usr/bin/oidc-gen');

function succeeds(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

let folder: string;
let service: RunningService;
let apachePort: number;
let agentPort: number;
const started: ChildProcess[] = [];

beforeAll(async () => {
  folder = newFolder();
  // Apache reads its pages as a user of its own.
  await chmod(folder, 0o755);
  [apachePort, agentPort] = [await freePort(), await freePort()];
  const scopes = ['openid', 'email', 'profile', 'offline_access'];
  service = await startService({
    clients: await Promise.all([
      registration('mod_auth_openidc', `http://127.0.0.1:${apachePort}/protected/callback`),
      registration('authlib', CALLBACK),
      // An application on the person's own device: it has no secret, and sends an empty one (RFC 6749 section 2.3.1).
      registration('oidc-agent', `http://localhost:${agentPort}`, { type: 'native', scopes }),
    ]),
  });
});
afterAll(async () => {
  await Promise.all(started.map(ended));
  await service.stop();
});

/** Starts a program of Debian's; it is stopped by its id after the tests. */
function run(command: string, args: string[], env: Record<string, string> = {}): ChildProcessWithoutNullStreams {
  const child = spawn(command, args, { env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', HOME: folder, ...env } });
  started.push(child);
  return child;
}

function ended(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) {
      for (const stream of child.stdio) stream?.destroy();
      return resolve();
    }
    child.once('exit', () => {
      // Its child processes may hold these open.
      for (const stream of child.stdio) stream?.destroy();
      resolve();
    });
    child.kill('SIGTERM');
  });
}

describe('clients of Debian', () => {
  (hasApache ? it : it.skip)('mod_auth_openidc (Apache) signs a person in', async () => {
    const pages = join(folder, 'www', 'protected');
    await mkdir(pages, { recursive: true });
    await writeFile(join(pages, 'index.html'), '<h1>A protected page</h1>');
    // Apache reads them as another user, whatever the umask.
    for (const path of [join(folder, 'www'), pages]) await chmod(path, 0o755);
    await chmod(join(pages, 'index.html'), 0o644);
    await writeFile(join(folder, 'apache.conf'), apacheConfiguration());
    const apache = run('/usr/sbin/apache2', ['-d', folder, '-f', join(folder, 'apache.conf'), '-D', 'FOREGROUND']);
    const log = () => readFile(join(folder, 'error.log'), 'utf8').catch(() => '');
    const origin = `http://127.0.0.1:${apachePort}`;
    await answers(`${origin}/`, apache);

    const there = createPerson(origin);
    const { left } = await there.visit('/protected/index.html');
    expect([left?.origin, await log()]).toEqual([service.issuer, expect.anything()]);
    const callback = await createPerson(service.issuer).signIn(left ?? '', CREDENTIALS);
    const page = await there.visit(callback);
    expect([page.status, page.html]).toEqual([200, expect.stringContaining('A protected page')]);
    expect(page.headers.get('x-remote-user')).toContain(PERSON?.id);
    expect(page.headers.get('x-email')).toBe(PERSON?.email);
  });

  (hasAuthlib ? it : it.skip)('Authlib (Python) signs a person in', async () => {
    const script = join(import.meta.dirname, '../support/relying-parties/debian-authlib.py');
    const python = run(PYTHON, [script], { AUTHLIB_INSECURE_TRANSPORT: '1' });
    const lines = linesOf(python);
    const client = { client_id: 'authlib', client_secret: APPLICATION_SECRET, redirect_uri: CALLBACK };
    python.stdin.write(`${JSON.stringify({ issuer: service.issuer, ...client })}\n`);
    const callback = await createPerson(service.issuer).signIn(await lines.next(), CREDENTIALS);
    python.stdin.write(`${callback.href}\n`);
    expect(JSON.parse(await lines.next())).toMatchObject({
      claims: { sub: PERSON?.id, name: PERSON?.name },
      userinfo: { email: PERSON?.email },
    });
  });

  (hasAgent ? it : it.skip)('oidc-agent signs a person in as a client without secret, and refreshes', async () => {
    await mkdir(join(folder, '.oidc-agent'));
    const socket = join(folder, 'agent.sock');
    run('/usr/bin/oidc-agent', ['--console', '--no-autoload', `--socket-path=${socket}`]);
    const own = { OIDC_SOCK: socket, PASSPHRASE: 'of this test run' };
    await until(() => existsSync(socket), 'no agent at its socket');

    const client = [`--iss=${service.issuer}`, '--client-id=oidc-agent', '--client-secret='];
    const quietly = ['--no-url-call', '--confirm-default', '--prompt=none', '--pw-env=PASSPHRASE'];
    const redirect = `--redirect-uri=http://localhost:${agentPort}`;
    const scope = '--scope=openid offline_access email profile';
    const gen = run(
      '/usr/bin/oidc-gen',
      ['hygie', '--manual', '--flow=code', redirect, scope, ...client, ...quietly],
      own,
    );
    let said = '';
    for (const stream of [gen.stdout, gen.stderr]) {
      stream.on('data', (chunk) => {
        said += chunk;
      });
    }
    const address = () => /http:\/\/127\S+\/authorize\S+/.exec(said)?.[0];
    await until(() => address() !== undefined, 'oidc-gen names no address');
    const callback = await createPerson(service.issuer).signIn(address() ?? '', CREDENTIALS);
    // The agent listens there and fetches the tokens.
    expect((await fetch(callback)).status).toBe(200);
    await until(() => gen.exitCode !== null, 'oidc-gen does not end');
    expect([gen.exitCode, said]).toEqual([0, expect.any(String)]);

    // Not synchronously: the service that is asked for a new token runs in this process.
    const tokenOf = async (...args: string[]) => {
      const env = { ...own, HOME: folder };
      return (await promisify(execFile)('/usr/bin/oidc-token', [...args, 'hygie'], { env })).stdout.trim();
    };
    const first = await tokenOf();
    const fresh = await tokenOf('--force-new');
    expect(fresh).not.toBe(first);
    const answer = await fetch(`${service.issuer}/userinfo`, { headers: { authorization: `Bearer ${fresh}` } });
    expect(await answer.json()).toMatchObject({ sub: PERSON?.id, email: PERSON?.email });
  });
});

/** Waits for a program of which only the outcome is seen. */
async function until(reached: () => boolean, otherwise: string): Promise<void> {
  for (let left = 1200; left > 0; left -= 1) {
    if (reached()) return;
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error(otherwise);
}

/** The configuration of the module's README: the protected path, and the claims that the application behind it gets. */
function apacheConfiguration(): string {
  const modules = [
    'mpm_event',
    'authn_core',
    'authz_core',
    'authz_user',
    'unixd',
    'mime',
    'dir',
    'headers',
    'auth_openidc',
  ];
  const loads = modules.filter((name) => existsSync(`${MODULES}/mod_${name}.so`));
  return `
    ${loads.map((name) => `LoadModule ${name}_module ${MODULES}/mod_${name}.so`).join('\n    ')}
    Listen 127.0.0.1:${apachePort}
    ServerName 127.0.0.1
    PidFile ${folder}/apache.pid
    ErrorLog ${folder}/error.log
    DefaultRuntimeDir ${folder}
    User www-data
    Group www-data
    TypesConfig /dev/null
    DocumentRoot ${folder}/www
    OIDCProviderMetadataURL ${service.issuer}/.well-known/openid-configuration
    OIDCClientID mod_auth_openidc
    OIDCClientSecret ${APPLICATION_SECRET}
    OIDCRedirectURI http://127.0.0.1:${apachePort}/protected/callback
    OIDCCryptoPassphrase a-passphrase-of-this-test-run
    OIDCScope "openid email profile"
    OIDCPKCEMethod S256
    <Location /protected>
      AuthType openid-connect
      Require valid-user
      # The test's browser is Node's fetch, which calls itself a script.
      OIDCUnAuthAction auth true
      Header set X-Remote-User "expr=%{REMOTE_USER}"
      Header set X-Email "%{OIDC_CLAIM_email}e"
    </Location>
  `;
}

/** Waits until the program answers HTTP at all, whatever it says. */
async function answers(address: string, child: ChildProcess): Promise<void> {
  for (let left = 600; left > 0 && child.exitCode === null; left -= 1) {
    const answer = await fetch(address).catch(() => undefined);
    if (answer) return void (await answer.body?.cancel());
    await new Promise((done) => setTimeout(done, 100));
  }
  throw new Error(
    `nothing answers at ${address}: ${await readFile(join(folder, 'error.log'), 'utf8').catch(() => '')}`,
  );
}

function linesOf(child: ChildProcessWithoutNullStreams): { next(): Promise<string> } {
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let faults = '';
  child.stderr.on('data', (chunk) => {
    faults += chunk;
  });
  return {
    next: async () => {
      const { value, done } = await lines.next();
      if (done) throw new Error(`the program ended: ${faults}`);
      return value;
    },
  };
}
