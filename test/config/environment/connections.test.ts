// Connections of the service: the certificate of `listen.tls` (SEC-51), and DATABASE_URL with its TLS. Every reason to refuse is named at once.

import { generateKeyPairSync } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { ConfigIssue } from '#config/configuration-error.ts';
import { readDatabaseUrl } from '#config/environment/database-url.ts';
import { adviceOn, adviceOnCertificate, certificateIssues, expiryWarning } from '#config/index.ts';
import { maskSettings } from '#config/settings.ts';
import { installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { issuesOf, load } from '#support/config/folder.ts';
import { newFolder } from '#support/new-folder.ts';
import { type Authority, authority, type Pair, writePair } from '#support/tls/certificates.ts';

describe('connections', () => {
  const folder = newFolder();
  let ca: Authority;
  let good: Pair;
  beforeAll(async () => {
    ca = await authority();
    good = await ca.issue({ hosts: ['connect.clinic.example', 'api.clinic.example'] });
  });

  const PRODUCTION = { NODE_ENV: 'production', HYGIE_ISSUER: 'https://connect.clinic.example' };

  async function settingsWith(pair: Partial<Pair>, service = '', env: Record<string, string> = PRODUCTION) {
    const files = writePair(folder, pair);
    const tls = { HYGIE_TLS_CERTIFICATE: files.certificate, HYGIE_TLS_KEY: files.key };
    return (await load({ service }, { ...env, ...tls })).settings;
  }

  const problems = async (pair: Partial<Pair>, service?: string) =>
    (await certificateIssues(await settingsWith(pair, service))).map(({ problem }) => problem);

  describe('SEC-51: the certificate of listen.tls', () => {
    it('is taken with its key, from EC or RSA, for issuer and directory', async () => {
      const service = 'directory: { url: "https://api.clinic.example/v2" }';
      expect(await problems(good, service)).toEqual([]);
      expect(await problems(await ca.issue({ hosts: ['*.clinic.example'], rsa: 2048 }), service)).toEqual([]);
    });

    it('is refused where clients would refuse it: each reason is named', async () => {
      const old = await ca.issue({ hosts: ['other.example'], from: -30, to: -1, forClients: true });
      expect(await problems(old)).toEqual([
        expect.stringMatching(/^Expired on \d{4}-/),
        expect.stringMatching(/^Is not for servers/),
        'Is not for connect.clinic.example: it has DNS:other.example.',
      ]);
      expect(await problems(await ca.issue({ hosts: ['connect.clinic.example'], from: 1 }))).toEqual([
        expect.stringMatching(/^Is not valid before /),
      ]);
      // Behind a proxy, clients see the proxy's certificate: any name does between the two.
      expect(await problems(await ca.issue({ hosts: ['inside.example'] }), 'proxies: 1')).toEqual([]);
    });

    it('is refused where the files cannot be used', async () => {
      const other = await ca.issue({ hosts: ['connect.clinic.example'] });
      expect(await problems({ ...good, key: other.key })).toEqual([
        expect.stringMatching(/^Does not belong to the certificate in /),
      ]);
      const [first = '', second = ''] = good.certificate.split(/(?<=-----END CERTIFICATE-----\n)/);
      expect(await problems({ ...good, certificate: second + first })).toContain(
        'The certificate of the key is number 2 of the file.',
      );
      expect(await problems({ certificate: '', key: 'no key' })).toEqual([
        'Holds no certificate in PEM.',
        'Holds no private key in PEM.',
      ]);
      expect(await problems({ ...good, certificate: good.certificate.replace(/\n./, '\n*') })).toEqual([
        'Holds a certificate that is damaged.',
      ]);
      const cipher = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const;
      const encrypted = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export(cipher).toString();
      expect(await problems({ ...good, key: encrypted })).toEqual([expect.stringMatching(/^Needs a passphrase/)]);
      const weak = await certificateIssues(
        await settingsWith(await ca.issue({ hosts: ['connect.clinic.example'], rsa: 1024 })),
      );
      expect(weak).toEqual([
        expect.objectContaining({
          problem: expect.stringMatching(/^Cannot be used \(.*too small/),
          remedy: expect.stringMatching(/^Renew certificate and key: RSA of 2048 bits or more/),
        }),
      ]);
      rmSync(join(folder, 'fullchain.pem'));
      rmSync(join(folder, 'privkey.pem'));
      expect(await problems({})).toEqual(['There is no such file.', 'There is no such file.']);
    });

    it('check names its faults together with those of clients.yaml, and with none the warnings', async () => {
      const empty = newFolder();
      const env = {
        ...PRODUCTION,
        HYGIE_TLS_CERTIFICATE: join(empty, 'fullchain.pem'),
        HYGIE_TLS_KEY: join(empty, 'privkey.pem'),
      };
      const place = installation();
      place.configure('clients.yaml', 'clients: [{ id: a }]');
      const hygie = inProcess(place);
      const refused = await hygie(['check'], { env });
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringMatching(/There is no such file[\s\S]*clients\[0\]|clients\[0\][\s\S]*There is no such file/),
      ]);
      place.configure('clients.yaml', 'clients: []');
      writePair(empty, await ca.issue({ hosts: ['connect.clinic.example'], alone: true, from: -85, to: 5 }));
      const warned = await hygie(['check'], { env });
      expect([warned.code, warned.stdout]).toEqual([
        0,
        expect.stringMatching(/expires on [\s\S]*without that of its issuer[\s\S]*\(TLS\)/),
      ]);
      expect(warned.stdout).not.toMatch(/proxies is 0/);
    });

    it('check names its faults, and those of the watched folder, also where other settings are faulty', async () => {
      const files = writePair(folder, await ca.issue({ hosts: ['other.example'], from: -30, to: -1 }));
      const tls = `listen: { tls: { certificate: "${files.certificate}", key: "${files.key}" } }`;
      const place = installation();
      const hygie = inProcess(place);
      const faults = async (service: string, env: Record<string, string> = {}) => {
        place.configure('service.yaml', service);
        const { code, stdout } = await hygie(['check', '--json'], { env: { ...PRODUCTION, ...env } });
        expect(code).toBe(1);
        return (JSON.parse(stdout) as { faults: { path: string; problem: string }[] }).faults.map(
          ({ path, problem }) => path || problem,
        );
      };
      const expired = expect.stringMatching(/^Expired on /);
      const host = (name: string) => `Is not for ${name}: it has DNS:other.example.`;
      expect(await faults(`${tls}\nprocesses: many\ndirectory: { watch: not-there }`)).toEqual([
        'processes',
        expired,
        host('connect.clinic.example'),
        'directory.watch',
      ]);
      // Of the host, only what is known counts: without a good issuer that of the directory, and nothing where there may be a proxy.
      const directory = 'directory: { url: "https://api.clinic.example/v2" }';
      expect(await faults(`${tls}\n${directory}`, { HYGIE_ISSUER: 'x' })).toEqual([
        'HYGIE_ISSUER',
        expired,
        host('api.clinic.example'),
      ]);
      for (const line of ['proxies: -1', 'proxys: 1', '{']) {
        expect(
          await faults(`${tls}\n${line}`, { HYGIE_TLS_CERTIFICATE: files.certificate, HYGIE_TLS_KEY: files.key }),
        ).toEqual([expect.not.stringMatching(/^Is not for/), expired]);
      }
      expect(await faults('listen: { tls: { certificate: c.pem } }')).toEqual(['listen.tls']);
    });

    it('warns of the end of its life in the last two weeks, or in the last fifth', async () => {
      const day = 86_400_000;
      const life = (days: number) => ({ validFrom: new Date(0), validTo: new Date(days * day) });
      expect(expiryWarning(life(90), 75.9 * day)).toBeUndefined();
      expect(expiryWarning(life(90), 76.1 * day)).toMatchObject({ expired: false });
      expect(expiryWarning(life(6), 4.7 * day)).toBeUndefined();
      expect(expiryWarning(life(6), 4.9 * day)).toMatchObject({ expired: false });
      expect(expiryWarning(life(6), 6 * day)).toMatchObject({ expired: true });
      expect(await adviceOnCertificate(await settingsWith(good))).toEqual([]);
    });

    describe('listen.tls in service.yaml', () => {
      it('is relative to its folder, and makes the default issuer https', async () => {
        const { settings } = await load({
          service: 'listen: { tls: { certificate: tls/c.pem, key: /etc/k.pem }, redirectPort: 80 }',
        });
        expect(settings.listen.tls).toEqual({
          certificate: join(settings.configFolder, 'tls/c.pem'),
          key: '/etc/k.pem',
        });
        expect(settings.issuer).toBe('https://localhost:3000');
        expect(adviceOn(await settingsWith(good)).filter((line) => line.includes('proxies'))).toEqual([]);
      });

      it.each([
        ['listen: { tls: { certificate: c.pem } }', {}, 'listen.tls'],
        ['', { HYGIE_TLS_KEY: 'k.pem' }, 'listen.tls'],
        ['listen: { redirectPort: 80 }', {}, 'listen.redirectPort'],
        ['listen: { port: 443, redirectPort: 443, tls: { certificate: c, key: k } }', {}, 'listen.redirectPort'],
        ['{ issuer: "http://localhost:3000", listen: { tls: { certificate: c, key: k } } }', {}, 'issuer'],
      ])('refuses %s %j', async (service, env, path) => {
        expect(await issuesOf(load({ service }, env))).toMatchObject([{ path }]);
      });
    });
  });

  // DATABASE_URL and DATABASE_URL_FILE: what is wrong with them is said at once, without the password, and TLS is checked.
  describe('DATABASE_URL', () => {
    const urlFolder = newFolder();
    const file = join(urlFolder, 'url');
    const BASE = 'postgres://hygie:hunter2@db.example:5432/hygie';

    async function read(env: Record<string, string>): Promise<{ url: string | undefined; issues: ConfigIssue[] }> {
      const issues: ConfigIssue[] = [];
      return { url: await readDatabaseUrl(env, issues), issues };
    }

    it.each(['prefer', 'require', 'verify-ca'])(
      'sslmode=%s checks certificate and name, as node-postgres 8 does, whatever a later one does',
      async (mode) => {
        const { url, issues } = await read({ DATABASE_URL: `${BASE}?sslmode=${mode}&sslrootcert=/etc/hosts` });
        expect([url, issues]).toEqual([`${BASE}?sslmode=verify-full&sslrootcert=/etc/hosts`, []]);
      },
    );

    it.each([
      BASE,
      'postgresql://hygie@db.example/hygie',
      'postgres://hygie:a%2Fb%23c@/hygie?host=/var/run/postgresql',
      `${BASE}?sslmode=disable`,
      `${BASE}?sslmode=no-verify`,
      `${BASE}?sslmode=verify-full`,
      `${BASE}?uselibpqcompat=true&sslmode=require`,
      'postgres://hygie:hunter2@h1:5432,[::1]:5433,h3/hygie?target_session_attrs=primary&connect_timeout=3',
    ])('%s is taken as it is', async (given) => {
      expect(await read({ DATABASE_URL: given })).toEqual({ url: given, issues: [] });
    });

    it.each([
      [{ DATABASE_URL: 'mysql://root:hunter2@db/hygie' }, 'DATABASE_URL', /no PostgreSQL address/],
      [{ DATABASE_URL: 'postgres://hygie:hunter2#x@db/hygie' }, 'DATABASE_URL', /%2F, %3F and %23/],
      [{ DATABASE_URL: `${BASE}?sslmode=verify_full` }, 'DATABASE_URL', /"verify_full" is not known.*Use verify-full/],
      [
        { DATABASE_URL: `${BASE}?sslrootcert=/nowhere/ca.pem` },
        'DATABASE_URL',
        /sslrootcert \/nowhere\/ca.pem is not there/,
      ],
      ...[
        ['postgres://hygie:hunter2@h1:5432,,h3/hygie', /@h1:5432,h2:5432\//],
        ['postgres://hygie:hunter2@h1:5432,:5433/hygie', /@h1:5432,h2:5432\//],
        ['postgres://hygie:hunter2@h1:x,h2/hygie', /no PostgreSQL address/],
        ['postgres://hygie:hunter2@/hygie?host=h1,h2', /@h1:5432,h2:5432\//],
        [`${BASE}?target_session_attrs=readwrite`, /"readwrite" is not known.*Use read-write/],
        [`${BASE}?target_session_attrs=standby`, /"standby" is not known/],
        [`${BASE}?connect_timeout=5s`, /Write connect_timeout=5/],
      ].map(([url, said]) => [{ DATABASE_URL: url as string }, 'DATABASE_URL', said as RegExp] as const),
      [{ DATABASE_URL: BASE, DATABASE_URL_FILE: file }, 'DATABASE_URL', /Keep one of the two/],
      [{ DATABASE_URL_FILE: '/nowhere/url' }, 'DATABASE_URL_FILE', /\/nowhere\/url cannot be read \(ENOENT\)/],
    ])('SEC-17 %j: named with the remedy, without the password', async (env, path, said) => {
      const { issues } = await read(env);
      expect(issues.map((issue) => issue.path)).toEqual([path]);
      const told = issues.map(({ problem, remedy }) => `${problem} ${remedy}`).join();
      expect(told).toMatch(said);
      expect(told).not.toContain('hunter2');
    });

    it('SEC-17 hosts are shown, not what is beside them', async () => {
      const url = 'postgres://me:hunter2@h1:5432,h2/hygie?target_session_attrs=primary&password=hunter2';
      const { settings } = await load({}, { DATABASE_URL: url });
      expect(maskSettings(settings).database).toMatchObject({ url: 'postgres://me:(hidden)@h1:5432,h2/hygie' });
    });

    it('DATABASE_URL_FILE names a file that holds it, as secrets of containers do', async () => {
      writeFileSync(file, `${BASE}\n`);
      expect(await read({ DATABASE_URL_FILE: file })).toEqual({ url: BASE, issues: [] });
    });
  });
});
