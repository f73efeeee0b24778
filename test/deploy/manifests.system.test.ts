// The files of `deploy/` for systemd and Compose, as far as they can be tried without these: names that refer to each other, variables
// that the service knows, settings that it takes, and times that fit its own. systemd looks at its unit where it is there.

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { behindProxy, DEPLOY, endsWithin, read, runs, unknownVariables } from '#support/deploy/files.ts';
import { newFolder } from '#support/new-folder.ts';

const folder = newFolder();

describe('deploy/hygie@.service', () => {
  const unit = read('hygie@.service');
  const all = (key: string) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

  it('sets variables that the service knows, and leaves it time to end', async () => {
    const names = all('Environment').flatMap((line) => line.split(' ').map((pair) => pair.split('=')[0] ?? ''));
    expect(names).toContain('DATABASE_URL_FILE');
    expect(unknownVariables(names)).toEqual([]);
    const credentials = all('LoadCredential').map((line) => `%d/${line.split(':')[0]}`);
    for (const path of credentials) expect(all('Environment').join(' ')).toContain(`_FILE=${path}`);
    expect(Number(all('TimeoutStopSec')[0])).toBeGreaterThan(endsWithin(await behindProxy(folder)));
  });

  it('its drop-in for port 443 takes back exactly what keeps the service from listening there', () => {
    const settings = read('port-443.conf')
      .split('\n')
      .filter((line) => /^\w+=/.test(line));
    expect(settings).toEqual([
      'Environment=HYGIE_HOST=0.0.0.0',
      'AmbientCapabilities=CAP_NET_BIND_SERVICE',
      'CapabilityBoundingSet=CAP_NET_BIND_SERVICE',
      'PrivateUsers=no',
    ]);
    for (const key of ['AmbientCapabilities', 'CapabilityBoundingSet', 'PrivateUsers'])
      expect(all(key)).toHaveLength(1);
  });

  it('says how to make each file that it reads', () => {
    const made = unit.slice(0, unit.indexOf('[Unit]'));
    const secrets = all('LoadCredential').map((line) => line.split(':')[1] ?? '');
    for (const file of [...all('EnvironmentFile'), ...secrets]) expect(made).toContain(`> ${file}\n`);
  });

  (runs('systemd-analyze', ['--version']) ? it : it.skip)(
    'systemd understands it, and rates its exposure below 2 of 10',
    () => {
      // The path is that of this machine: the unit itself names where a release lies.
      const copy = join(folder, 'hygie@.service');
      writeFileSync(copy, unit.replaceAll('/usr/bin/node', process.execPath));
      expect(execFileSync('systemd-analyze', ['verify', '--man=no', copy], { encoding: 'utf8', stdio: 'pipe' })).toBe(
        '',
      );
      const security = ['security', '--offline=yes', '--threshold=20', copy];
      expect(execFileSync('systemd-analyze', security, { encoding: 'utf8' })).toMatch(/exposure level .*: [01]\.\d OK/);
    },
  );

  it('hygie.sh gives commands the same variables', () => {
    const script = read('hygie.sh');
    for (const name of ['HYGIE_CONFIG', 'HYGIE_DATA', 'HYGIE_KEY_SECRET', 'DATABASE_URL', 'NODE_ENV=production'])
      expect([name, script.includes(name), unit.includes(name)]).toEqual([name, true, true]);
    expect(runs('sh', ['-n', join(DEPLOY, 'hygie.sh')])).toBe(true);
  });
});

describe('deploy/compose.yaml', () => {
  interface Service {
    environment: Record<string, string>;
    secrets: string[];
    volumes: string[];
    networks: string[];
    depends_on?: Record<string, { condition: string }>;
    stop_grace_period: string;
    read_only?: boolean;
  }
  const file = parse(read('compose.yaml')) as {
    services: Record<string, Service>;
    secrets: Record<string, { file: string }>;
    volumes: Record<string, object>;
    networks: Record<string, object>;
  };
  const hygie = file.services['hygie'] as Service;

  it('names only what it defines, and mounts every secret where its variable says', () => {
    for (const { secrets, volumes, networks, environment, depends_on = {} } of Object.values(file.services)) {
      expect(Object.keys(file.secrets)).toEqual(expect.arrayContaining(secrets));
      expect(Object.keys(file.networks)).toEqual(expect.arrayContaining(networks));
      expect(Object.keys(file.services)).toEqual(expect.arrayContaining(Object.keys(depends_on)));
      const named = volumes.map((one) => one.split(':')[0] ?? '').filter((one) => /^\w+$/.test(one));
      expect(Object.keys(file.volumes)).toEqual(expect.arrayContaining(named));
      const mounted = Object.values(environment).filter((value) => String(value).startsWith('/run/secrets/'));
      expect(mounted.sort()).toEqual(secrets.map((secret) => `/run/secrets/${secret}`).sort());
    }
    expect(unknownVariables(Object.keys(hygie.environment))).toEqual([]);
  });

  it('waits for PostgreSQL, is read-only, and leaves time to end', async () => {
    expect(hygie.depends_on).toEqual({ database: { condition: 'service_healthy' } });
    expect(hygie.read_only).toBe(true);
    expect(Number.parseInt(hygie.stop_grace_period, 10)).toBeGreaterThan(endsWithin(await behindProxy(folder)));
  });

  (runs('docker', ['compose', 'version']) ? it : it.skip)('docker compose understands it', () => {
    const env = { PATH: process.env['PATH'], HYGIE_ISSUER: 'https://connect.example.org' };
    execFileSync('docker', ['compose', '-f', join(DEPLOY, 'compose.yaml'), 'config', '-q'], { env });
  });
});
