// operations.md: JSON Schemas stand beside both files; what they, the files, the settings and the README contain must agree.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { CLIENT_KEYS } from '#config/clients/client-schema.ts';
import { keyRows, type SchemaNode } from '#config/schema/json-schema.ts';
import { FIXED_KEYS, SERVICE_KEYS } from '#config/service/service-schema.ts';
import type { Settings } from '#config/settings.ts';
import { SCOPES } from '#shared/scopes.ts';
import { configurationPages } from '#support/config/configuration-page.ts';
import { load } from '#support/config/folder.ts';
import { CONFIG, EDITED, examplesOf, shipped, uncommented, withEveryKey } from '#support/config/shipped.ts';

/** Paths of all leaves of a value. */
function leaves(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([key, part]) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? leaves(part, `${prefix}${key}.`)
      : [`${prefix}${key}`],
  );
}

/** What differs from one folder to the next. */
const folders = ({ configFolder, dataFolder, database }: Settings) => ({ configFolder, dataFolder, database });

describe('the shipped configuration', () => {
  it('works for development as it stands', async () => {
    const { settings, clients } = await load({ service: shipped('service.yaml'), clients: shipped('clients.yaml') });
    expect(settings).toEqual({ ...(await load({})).settings, ...folders(settings) });
    expect(clients).toEqual([]);
  });

  it('works for production with a public address alone', async () => {
    const env = { NODE_ENV: 'production', HYGIE_ISSUER: 'https://connect.example' };
    await expect(load({ service: shipped('service.yaml') }, env)).resolves.toBeDefined();
  });

  it('names every key of the schema, with a comment before or beside it', () => {
    const lines = shipped('service.yaml').split('\n');
    for (const { path } of keyRows(SERVICE_KEYS)) {
      const key = path.split('.').at(-1);
      expect(lines.filter((line) => new RegExp(`^\\s*(#+ *)*${key}:`).test(line))).not.toEqual([]);
    }
  });

  const HASH = `sha256$${'A'.repeat(43)}`;
  const clientsFile = shipped('clients.yaml').replaceAll('sha256$...', () => HASH);

  it('the examples of clients.yaml have every key', async () => {
    const { clients } = await load({ clients: withEveryKey(clientsFile) });
    expect(clients.map(({ id }) => id)).toEqual([
      'portail-patient',
      'annuaire-mobile',
      'logiciel-cabinet',
      'dossier-hospitalier',
      'api-rendez-vous',
    ]);
    const keys = new Set(clients.flatMap((client) => Object.keys(client)));
    for (const key of Object.keys(clientProperties())) expect([...keys, 'secrets']).toContain(key);
  });

  it.each(examplesOf(clientsFile).map((example) => [clientsFile.split('\n')[example.first] ?? '', example] as const))(
    'clients.yaml works with nothing changed but the example %s',
    async (_line, example) => {
      const edited = uncommented(clientsFile, [example]);
      for (const text of [edited, edited.replaceAll(/^( +)(?=\S)/gm, (blank) => blank.slice(1))]) {
        const { clients } = await load(
          { clients: text },
          { NODE_ENV: 'production', HYGIE_ISSUER: 'https://a.example' },
        );
        expect(clients).toHaveLength(1);
      }
    },
  );

  const serviceFile = shipped('service.yaml');
  it.each(examplesOf(serviceFile).map((example) => [serviceFile.split('\n')[example.first] ?? '', example] as const))(
    'service.yaml works with nothing changed but the example %s',
    async (line, example) => {
      const env = { HYGIE_MAIL_PASSWORD: line.startsWith('#mail:') ? 'x' : '', METRICS_TOKEN: 'x' };
      const tls = examplesOf(serviceFile).filter(({ first }) => serviceFile.split('\n')[first]?.endsWith('#tls:'));
      const needed = line.includes('redirectPort') ? tls : [];
      const page = 'http://localhost:3000/directory/try';
      const clients = `clients: [{ id: try-directory, name: A, type: browser, callbackUrls: [${page}/signed-in], logoutUrls: [${page}] }]`;
      await expect(
        load({ service: uncommented(serviceFile, [example, ...needed]), clients }, env),
      ).resolves.toBeDefined();
    },
  );

  it('a group below which every line is a comment has its defaults', async () => {
    const emptied = await load({ service: 'listen:\n  # port: 3000\ndirectory:\n  guards:\n', clients: 'clients:\n' });
    expect(emptied.settings).toEqual({ ...(await load({})).settings, ...folders(emptied.settings) });
    expect(emptied.clients).toEqual([]);
  });

  it.each(EDITED)("%s is the suite's copy, as it is committed: npm run schemas", (name) => {
    const [original, copy] = [`config/${name}`, `test/fixtures/config/${name}`].map((file) => gitLists(file)[1]);
    expect(original).toBe(copy);
  });
});

/** Mode, digest and number of a file that git knows; nothing in an archive of the repository, where nobody has edited the files. */
function gitLists(file: string): string[] {
  try {
    const options = { cwd: join(CONFIG, '..'), encoding: 'utf8', stdio: 'pipe' } as const;
    return execFileSync('git', ['ls-files', '--stage', file], options).split(/\s/).filter(Boolean);
  } catch {
    return [];
  }
}

function clientProperties(): Readonly<Record<string, SchemaNode>> {
  return CLIENT_KEYS.properties?.['clients']?.items?.properties ?? {};
}

/** RFC 7517, appendix A.1. */
const EXAMPLE_KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4',
  y: '4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM',
};

describe('schemas and settings agree', () => {
  it('every key of service.yaml becomes a setting, and every setting comes from a key or the environment', async () => {
    const all = `
issuer: https://a.example
demo: true
readiness: [signin]
listen: { host: 127.0.0.1, tls: { certificate: c, key: k }, redirectPort: 80 }
directory: { url: https://a.example/d, watch: incoming, tryClient: a, reportUrl: "mailto:e@a.example" }
branding: { supportUrl: "mailto:help@a.example", privacyUrl: https://a.example/privacy, helpText: { fr: a, en: b } }
database: { connections: 5 }
mail: { host: smtp.a.example, user: hygie, from: a@a.example, replyTo: b@a.example, operator: c@a.example }
metrics: { port: 9464, token: { env: METRICS_TOKEN } }
log: { format: json }`;
    const page = 'https://a.example/directory/try';
    const clients = `clients: [{ id: a, name: A, type: browser, callbackUrls: [${page}/signed-in], logoutUrls: [${page}] }]`;
    const { settings } = await load(
      { service: all, clients },
      {
        DATABASE_URL: 'postgres://db.example/hygie',
        HYGIE_MAIL_PASSWORD: 'x',
        METRICS_TOKEN: 'x',
      },
    );
    const elsewhere =
      'mode sandbox configFolder dataFolder database.engine database.url keys.secrets mail.password'.split(' ');
    const known = leaves(settings).filter((path) => !elsewhere.includes(path));
    // The secret itself, from one of the two.
    const keys = keyRows(SERVICE_KEYS).map(({ path }) => path.replace(/^(metrics\.token)\.(env|file)$/, '$1'));
    expect(known.filter((path) => !(path in FIXED_KEYS)).sort()).toEqual([...new Set(keys)].sort());
  });

  it('every key of a client becomes a client setting', async () => {
    const client = {
      id: 'a',
      name: 'A',
      type: 'server',
      secrets: [{ env: 'S' }],
      callbackUrls: ['https://a.example/'],
      homeUrl: 'https://a.example/',
      workspace: 'ask',
      backchannelLogoutUrl: 'https://a.example/out',
      backchannelLogoutSession: false,
      logoutTokenType: 'JWT',
      authenticationClaims: true,
      rate: { perSecond: 10, burst: 20 },
    };
    const { secrets: _secrets, ...withoutSecret } = client;
    const byAddress = {
      ...withoutSecret,
      refreshTokens: 'consent',
      id: 'b',
      jwksUrl: 'https://a.example/jwks',
      assertionAudience: 'token-endpoint',
      par: 'required',
      dpop: 'required',
      pkce: 'required',
      secondFactor: 'required',
      workspace: 'ask',
    };
    const byKey = {
      ...withoutSecret,
      id: 'c',
      jwks: { keys: [EXAMPLE_KEY] },
      idTokenAlgorithm: 'ES256',
      directoryAccess: false,
      updatedAt: 'epoch',
    };
    const strict = { ...byKey, id: 'd', profile: 'fapi2-message-signing' };
    const api = { id: 'e', name: 'E', type: 'api', jwks: byKey.jwks, scopes: ['email'], tokensOf: ['a'] };
    const { clients } = await load(
      { clients: stringify({ clients: [client, byAddress, byKey, strict, api] }) },
      { S: 'secret' },
    );
    const settings = new Set(clients.flatMap((entry) => Object.keys(entry)));
    const keys = [...settings].map((key) => (key === 'secretHashes' ? 'secrets' : key));
    expect(keys.sort()).toEqual(Object.keys(clientProperties()).sort());
  });

  it('every key has a description, for editors and for messages', () => {
    const nodes = (node: SchemaNode, path: string): [string, SchemaNode][] => [
      [path, node],
      ...Object.entries(node.properties ?? {}).flatMap(([key, child]) => nodes(child, `${path}.${key}`)),
      ...(node.items ? nodes(node.items, `${path}[]`) : []),
    ];
    const all = [...nodes(SERVICE_KEYS, 'service'), ...nodes(CLIENT_KEYS, 'clients')];
    expect(all.length).toBeGreaterThan(80);
    expect(all.filter(([, { description }]) => !description).map(([path]) => path)).toEqual([]);
  });

  it('the scopes of the schema are the scopes of the service', () => {
    expect(clientProperties()['scopes']?.items?.enum).toEqual(SCOPES);
  });

  it('the pages of config/ are the generated ones: npm run schemas', async () => {
    for (const [name, page] of Object.entries(await configurationPages())) expect(shipped(name)).toBe(page);
  });
});
