// Clients and proxies that tests of `npm test` drive, and where these are.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { SuiteTests } from './suite-rows.ts';
import { lockedVersion } from './toolchains.ts';

export interface SuiteClient extends SuiteTests {
  group: string;
  client: string;
  /** What they are about, where they are too many for one cell. */
  driven?: string;
  /** What is missing where all of these tests are skipped. */
  missing: string;
  version(): string;
}

const LOCK = join(import.meta.dirname, '../../../package-lock.json');
const LIBRARIES = 'test/relying-parties/server-libraries.test.ts';
const QUICK_STARTS = 'test/docs/quick-starts.system.test.ts';
const DEBIAN = 'test/relying-parties/debian.system.test.ts';

function npm(client: string, file: string, tests = new RegExp(`\\b${client} `), driven = ''): SuiteClient {
  const version = () => lockedVersion(LOCK, client);
  return { group: 'JavaScript', client, file, tests, missing: `no ${client}`, version, driven };
}

/** A program of Debian's; its version is that of the package on this machine. */
function debian(group: string, client: string, packaged: string, file: string, tests: RegExp): SuiteClient {
  return { group, client, file, tests, missing: `no ${packaged}`, version: () => debianVersion(packaged) };
}

function debianVersion(packaged: string): string {
  try {
    const query = ['--show', `--showformat=\${Version}`, packaged];
    const said = execFileSync('dpkg-query', query, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
    return /^(?:\d+:)?(\d+(?:\.\d+)*)/.exec(said)?.[1] ?? '';
  } catch {
    return '';
  }
}

/** A proxy with its file of `deploy/`. */
function proxy(name: string, packaged: string): SuiteClient {
  const tests = new RegExp(`deploy/: ${name},`);
  const driven = "HTTP/2, a path prefix, the longest requests, the client's address, compressed answers, http to https";
  return { ...debian('Proxies', name, packaged, 'test/deploy/proxies.system.test.ts', tests), driven };
}

export const SUITE_CLIENTS: readonly SuiteClient[] = [
  npm('openid-client', LIBRARIES),
  npm('oauth4webapi', LIBRARIES),
  npm('express-openid-connect', LIBRARIES),
  npm('passport-openidconnect', LIBRARIES),
  npm('@auth/core', 'test/relying-parties/auth-core.test.ts', /@auth\/core /),
  npm(
    'oidc-client-ts',
    'test/relying-parties/oidc-client-ts.system.test.ts',
    /\boidc-client-ts /,
    'sign-in with PKCE and in a hidden frame, revocation, sign-out and back, traced requests of another origin',
  ),
  npm(
    'fhir-kit-client',
    'test/fhir/fhir-kit-client.test.ts',
    /./,
    'reads, searches by GET and POST, pages, includes, capabilities, SMART addresses, refusals',
  ),
  {
    ...npm('express', QUICK_STARTS, /Express /),
    client: 'Express [quick start](quick-starts.md#express)',
  },
  {
    ...npm('oidc-client-ts', QUICK_STARTS, /in the browser /),
    client: 'Browser [quick start](quick-starts.md#an-application-in-the-browser), oidc-client-ts',
  },
  debian('Proxies', 'mod_auth_openidc (Apache)', 'libapache2-mod-auth-openidc', DEBIAN, /mod_auth_openidc/),
  proxy('nginx', 'nginx'),
  proxy('Caddy', 'caddy'),
  proxy('Apache', 'apache2'),
  proxy('HAProxy', 'haproxy'),
  debian('Python', 'Authlib of Debian', 'python3-authlib', DEBIAN, /Authlib/),
  debian('Command line', 'oidc-agent', 'oidc-agent-cli', DEBIAN, /oidc-agent/),
];
