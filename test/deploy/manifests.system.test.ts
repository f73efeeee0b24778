// The files of `deploy/` for systemd, Compose and Kubernetes, as far as they can be tried without these: names that refer to each other,
// variables that the service knows, settings that it takes, and times that fit its own. systemd and the schemas of Kubernetes look at
// theirs where they are there:  apt-get install systemd; pip install kubernetes-validate

import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { ENVIRONMENT } from '#config/environment/environment.ts';
import { loadConfiguration } from '#config/index.ts';
import type { Settings } from '#config/settings.ts';
import { newFolder } from '#support/new-folder.ts';

const DEPLOY = join(import.meta.dirname, '../../deploy');
const read = (name: string) => readFileSync(join(DEPLOY, name), 'utf8');
const folder = newFolder();

function runs(command: string, args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Variables of the service; others are for programs around it. */
const unknownVariables = (names: string[]) =>
  names.filter((name) => /^(HYGIE_|DATABASE_URL)/.test(name) && !Object.hasOwn(ENVIRONMENT, name));

/** Seconds from the signal to the end of the last request, by the settings. */
const endsWithin = ({ listen }: Pick<Settings, 'listen'>) => listen.drain + listen.finish;

async function settingsOf(service: string, clients = 'clients: []\n', env: Record<string, string> = {}) {
  writeFileSync(join(folder, 'service.yaml'), service);
  writeFileSync(join(folder, 'clients.yaml'), clients);
  return (await loadConfiguration({ NODE_ENV: 'production', HYGIE_CONFIG: folder, HYGIE_DATA: folder, ...env }))
    .settings;
}

/** What a file without settings of its own runs with. */
const behindProxy = () => settingsOf('proxies: 1\n', undefined, { HYGIE_ISSUER: 'https://connect.example.org' });

describe('deploy/hygie@.service', () => {
  const unit = read('hygie@.service');
  const all = (key: string) => [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value);

  it('sets variables that the service knows, and leaves it time to end', async () => {
    const names = all('Environment').flatMap((line) => line.split(' ').map((pair) => pair.split('=')[0] ?? ''));
    expect(names).toContain('DATABASE_URL_FILE');
    expect(unknownVariables(names)).toEqual([]);
    const credentials = all('LoadCredential').map((line) => `%d/${line.split(':')[0]}`);
    for (const path of credentials) expect(all('Environment').join(' ')).toContain(`_FILE=${path}`);
    expect(Number(all('TimeoutStopSec')[0])).toBeGreaterThan(endsWithin(await behindProxy()));
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
    expect(Number.parseInt(hygie.stop_grace_period, 10)).toBeGreaterThan(endsWithin(await behindProxy()));
  });

  (runs('docker', ['compose', 'version']) ? it : it.skip)('docker compose understands it', () => {
    const env = { PATH: process.env['PATH'], HYGIE_ISSUER: 'https://connect.example.org' };
    execFileSync('docker', ['compose', '-f', join(DEPLOY, 'compose.yaml'), 'config', '-q'], { env });
  });
});

describe('deploy/kubernetes.yaml', () => {
  // biome-ignore lint/suspicious/noExplicitAny: objects of eight kinds, whose schemas kubernetes-validate knows.
  type Manifest = { kind: string; metadata: { name: string }; data?: any; stringData?: any; spec?: any };
  const manifests = parseAllDocuments(read('kubernetes.yaml')).map((one) => one.toJS() as Manifest);
  const one = (kind: string) => manifests.find((manifest) => manifest.kind === kind) as Manifest;
  const deployment = one('Deployment').spec;
  const { metadata: podMetadata, spec: pod } = deployment.template;
  const container = pod.containers[0];

  it('defines every object that it names, and every selector finds the pods', () => {
    const volumes = pod.volumes as { name: string; configMap?: { name: string }; secret?: { secretName: string } }[];
    expect(volumes.map(({ name }) => name)).toEqual(container.volumeMounts.map(({ name }: { name: string }) => name));
    expect(volumes[0]?.configMap?.name).toBe(one('ConfigMap').metadata.name);
    expect(volumes[1]?.secret?.secretName).toBe(one('Secret').metadata.name);
    expect(pod.volumes[2].persistentVolumeClaim.claimName).toBe(one('PersistentVolumeClaim').metadata.name);
    const selectors = [
      deployment.selector.matchLabels,
      one('Service').spec.selector,
      one('PodDisruptionBudget').spec.selector.matchLabels,
      one('NetworkPolicy').spec.podSelector.matchLabels,
    ];
    for (const selector of selectors) expect(selector).toEqual(podMetadata.labels);
    const ports = [container.ports[0].name, one('Service').spec.ports[0].targetPort];
    const backend = one('Ingress').spec.rules[0].http.paths[0].backend.service;
    expect([...ports, one('Service').spec.ports[0].name, backend.port.name, backend.name]).toEqual([
      ...['http', 'http', 'http', 'http'],
      one('Service').metadata.name,
    ]);
    const paths = (container.env as { value: string }[]).filter(({ value }) => value.startsWith('/'));
    expect(paths.length).toBeGreaterThan(0);
    for (const { value } of paths) {
      const mount = container.volumeMounts.find(({ mountPath }: { mountPath: string }) =>
        value.startsWith(`${mountPath}/`),
      );
      expect(mount).toBeDefined();
      if (mount.name === 'secrets') expect(Object.keys(one('Secret').stringData)).toContain(value.split('/').at(-1));
    }
    expect(unknownVariables(container.env.map(({ name }: { name: string }) => name))).toEqual([]);
    const metricsPort = container.ports.find(({ name }: { name: string }) => name === 'metrics').containerPort;
    const annotated = podMetadata.annotations['prometheus.io/port'];
    const set = container.env.find(({ name }: { name: string }) => name === 'HYGIE_METRICS_PORT').value;
    expect([annotated, set]).toEqual([String(metricsPort), String(metricsPort)]);
  });

  it('the service takes its settings and secrets, and two instances may end one after the other', async () => {
    const { data } = one('ConfigMap');
    const { stringData } = one('Secret');
    const settings = await settingsOf(data['service.yaml'], data['clients.yaml'], {
      DATABASE_URL: stringData['database-url'],
      HYGIE_KEY_SECRET: stringData['key-secret'],
    });
    expect(settings).toMatchObject({ proxies: 1, database: { engine: 'postgresql' } });
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(endsWithin(settings));
    expect([deployment.replicas, deployment.strategy.rollingUpdate.maxUnavailable]).toEqual([2, 0]);
    expect(one('PodDisruptionBudget').spec.minAvailable).toBe(1);
    const probes = [container.livenessProbe, container.readinessProbe].map(({ httpGet }) => httpGet.path);
    expect(probes).toEqual(['/health/live', '/health/ready']);
  });

  it('runs as the image does: no root, nothing to write but the volume', () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = container.securityContext;
    expect([allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities.drop]).toEqual([false, true, ['ALL']]);
    expect(read('../Dockerfile')).toContain('USER 1000:1000');
  });

  (runs('kubernetes-validate', ['--version']) ? it : it.skip)('the schemas of Kubernetes know every key', () => {
    execFileSync('kubernetes-validate', ['--strict', '--quiet', join(DEPLOY, 'kubernetes.yaml')]);
  });
});
