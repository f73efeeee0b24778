// Clients and proxies that tests of `npm test` drive, and where these are.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { lockedVersion } from './toolchains/javascript.ts';

export interface SuiteClient {
  group: string;
  client: string;
  /** Path of the test file, or of a folder of them. */
  file: string;
  /** Which of its tests, by their names with those of the groups around. */
  tests: RegExp;
  /** What is missing where all of these tests are skipped. */
  missing: string;
  version(): string;
}

const LOCK = join(import.meta.dirname, '../../../package-lock.json');
const LIBRARIES = 'test/relying-parties/server-libraries.test.ts';
const DEBIAN = 'test/relying-parties/debian.test.ts';

function npm(client: string, file: string, tests = new RegExp(`\\b${client} `)): SuiteClient {
  const version = () => lockedVersion(LOCK, client);
  return { group: 'JavaScript', client, file, tests, missing: `no ${client}`, version };
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

/** With the file of `deploy/` that is meant for it. */
function proxy(name: string, packaged: string): SuiteClient {
  return debian('Proxies', name, packaged, 'test/deploy/proxies.test.ts', new RegExp(`deploy/: ${name},`));
}

export const SUITE_CLIENTS: readonly SuiteClient[] = [
  npm('openid-client', LIBRARIES),
  npm('oauth4webapi', LIBRARIES),
  npm('express-openid-connect', LIBRARIES),
  npm('passport-openidconnect', LIBRARIES),
  npm('@auth/core', 'test/relying-parties/auth-core.test.ts', /@auth\/core /),
  npm('oidc-client-ts', 'test/relying-parties/oidc-client-ts.test.ts'),
  npm('fhir-kit-client', 'test/fhir/fhir-kit-client.test.ts', /./),
  debian('Proxies', 'mod_auth_openidc (Apache)', 'libapache2-mod-auth-openidc', DEBIAN, /mod_auth_openidc/),
  proxy('nginx', 'nginx'),
  proxy('Caddy', 'caddy'),
  proxy('Apache', 'apache2'),
  proxy('HAProxy', 'haproxy'),
  debian('Python', 'Authlib of Debian', 'python3-authlib', DEBIAN, /Authlib/),
  debian('Command line', 'oidc-agent', 'oidc-agent-cli', DEBIAN, /oidc-agent/),
];
