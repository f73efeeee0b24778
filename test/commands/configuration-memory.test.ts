// SEC-48, SEC-16: what of the configuration was changed while the service stood still is in the audit trail after the next start,
// once for the whole service; what is remembered for it holds no secret. Against the real service: `configuration-change.test.ts`.

import { generateKeyPairSync } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openConfigurationMemory } from '../../src/commands/configuration-memory.ts';
import { loadConfiguration } from '../../src/shared/config/index.ts';
import { createLog } from '../../src/shared/log.ts';
import { hashSecret, newSecret } from '../../src/shared/secret-hash.ts';
import { openAuditEvents } from '../../src/store/audit-events.ts';
import { openDatabase } from '../../src/store/connection.ts';
import { ENGINES, type Engine, openTestDatabase, type TestDatabase } from '../databases.ts';
import { LOW_COST } from '../hash-cost.ts';
import { until } from '../until.ts';
import { type Installation, installation } from './hygie.ts';

let opened: TestDatabase;
let place: Installation;
let logged = '';

function onEngine(engine: Engine): void {
  beforeAll(async () => {
    opened = await openTestDatabase(engine);
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    await opened.database('known_configuration').delete();
    await opened.database('audit_events').delete();
    place = installation();
    logged = '';
  });
  afterEach(() => place.remove());
}

const log = createLog(
  { level: 'info', format: 'json' },
  {
    write: (line: string) => {
      logged += line;
    },
  },
);

/** All that a start does with it, and edits while it runs. The port is the name of the instance on this machine. */
async function start(
  env: Record<string, string> = {},
  database = opened.database,
  meanwhile?: (memory: ReturnType<typeof openConfigurationMemory>) => Promise<void>,
): Promise<void> {
  const whole = { HYGIE_PORT: '22300', ...place.environment, ...env };
  const { settings, clients } = await loadConfiguration(whole);
  const memory = openConfigurationMemory({ database, settings, clients, log, env: whole, againAfter: 20 });
  memory.inForce();
  await meanwhile?.(memory);
  await memory.close();
}

/** Of several instances, each with a connection of its own. */
async function startAtOnce(instances: readonly Record<string, string>[]): Promise<void> {
  const databases = instances.map(() => openDatabase(opened.settings));
  await Promise.all(instances.map((env, index) => start(env, databases[index])));
  await Promise.all(databases.map((database) => database.destroy()));
}

const trail = async () => {
  const events = ['service.changed', 'clients.changed'] as const;
  const records = await openAuditEvents(opened.database).search({ events, limit: 100 });
  return records.map(({ event, client, details }) => [client ?? event, details?.['keys'] ?? details?.['edit']]);
};
const tokens = (lifetime: string) => place.configure('service.yaml', `lifetimes: { accessToken: ${lifetime} }`);
const client = (rest = '', id = 'web', type = 'browser') =>
  `{ id: ${id}, name: A client, type: ${type}, callbackUrls: ["https://w.example/"], ${rest} }`;
const FIRST = ['service.changed', 'first start: later ones are compared with it'];
const change = (from: number, to: number) => ['service.changed', [`lifetimes.accessToken ${from} -> ${to}`]];
const SHORTER = change(3600, 1800);
const LONGER = change(1800, 3600);

describe.each(ENGINES)('what is known of the configuration on %s', (engine) => {
  onEngine(engine);

  it('SEC-48 instances that start at once, or one after the other, with the same configuration tell it once', async () => {
    const ports = ['22301', '22302', '22303'];
    const together = () => startAtOnce(ports.map((HYGIE_PORT) => ({ HYGIE_PORT })));
    await together();
    expect(await trail()).toEqual([FIRST]);
    tokens('30m');
    place.configure('clients.yaml', `clients: [${client()}]`);
    await together();
    expect(await trail()).toEqual([FIRST, SHORTER, ['web', expect.arrayContaining(['type browser'])]]);
    tokens('1h');
    for (const HYGIE_PORT of ports) await start({ HYGIE_PORT });
    expect((await trail()).slice(3)).toEqual([LONGER]);
    const levels = ['debug', 'warn', 'error'].map((LOG_LEVEL, index) => ({
      HYGIE_PORT: ports[index] ?? '',
      LOG_LEVEL,
    }));
    await startAtOnce(levels);
    const ends = (await trail()).slice(4).map(([, keys]) => String(keys).replace(/.*-> /, ''));
    expect(ends.sort()).toEqual(['debug', 'error', 'warn']);
    expect(logged).not.toContain('"level":"warn"');
  });

  it('SEC-48 what is remembered and cannot be read is told, warned of and replaced', async () => {
    place.configure('clients.yaml', `clients: [${client()}]`);
    await start();
    const table = opened.database('known_configuration');
    for (const content of ['{', '[]', '{"a":{"b":1}}', '[{"id":"web","scopes":5}]', 'null']) {
      await table.clone().update({ content, differs: content });
      logged = '';
      await start();
      const unreadable = 'what was remembered of it is gone or cannot be read: nothing to compare with';
      const events = (await trail()).slice(-2);
      expect([content, events]).toEqual([content, expect.arrayContaining([[expect.any(String), unreadable]])]);
      expect(logged).toMatch(/"level":"warn".*cannot be read/);
    }
    const before = (await trail()).length;
    await start();
    tokens('30m');
    await start();
    expect((await trail()).slice(before)).toEqual([SHORTER]);
  });

  it.each(['known_configuration', 'audit_events'])(
    'SEC-48 without the table %s the service starts, and the next start tells',
    async (table) => {
      await start();
      tokens('30m');
      await opened.database.schema.renameTable(table, 'elsewhere');
      await start();
      expect(logged).toContain('the configuration was not compared with the one before: it is tried again');
      await opened.database.schema.renameTable('elsewhere', table);
      await start();
      expect(await trail()).toEqual([FIRST, SHORTER]);
    },
  );
});

describe('what is told of the configuration', () => {
  onEngine('sqlite');

  it('SEC-48 each change is told with its values, and the way back too; the same again is none', async () => {
    await start();
    for (const lifetime of ['30m', '1h', '30m']) {
      tokens(lifetime);
      await start();
      await start();
    }
    expect(await trail()).toEqual([FIRST, SHORTER, LONGER, SHORTER]);
    place.configure(
      'service.yaml',
      'secondFactor: required\noutgoing: { privateNetworks: [10.0.0.0/8] }\nbranding: { supportUrl: "https://help.example/" }',
    );
    await start({ NODE_ENV: 'production', HYGIE_ISSUER: 'https://sign-in.example' });
    expect((await trail()).at(-1)).toEqual([
      'service.changed',
      [
        'NODE_ENV development -> production',
        'branding.supportUrl none -> https://help.example/',
        'demo true -> false',
        'issuer http://localhost:<port> -> https://sign-in.example',
        'lifetimes.accessToken 1800 -> 3600',
        'outgoing.privateNetworks +10.0.0.0/8',
        'secondFactor optional -> required',
      ],
    ]);
  });

  it('SEC-48 more than one record holds is told in several: no name is lost', async () => {
    await start();
    const long = `https://help.example/${'a'.repeat(900)}`;
    place.configure(
      'service.yaml',
      `branding: { supportUrl: "${long}", privacyUrl: "${long}", name: "${'N'.repeat(60)}" }\nproxies: 2\nnamespace: "${long}"`,
    );
    await start();
    const names = (await trail()).slice(1).flatMap(([, keys]) => (keys as string[]).map((key) => key.split(' ')[0]));
    expect(names).toEqual(['branding.name', 'branding.privacyUrl', 'branding.supportUrl', 'namespace', 'proxies']);
  });

  it('SEC-48 instances that differ do not fill the trail by turns, and a change of one of them is told', async () => {
    const turn = async () => {
      tokens('1h');
      await start({ HYGIE_PORT: '22301' });
      tokens('30m');
      await start({ HYGIE_PORT: '22302' });
      tokens('2h');
      await start({ HYGIE_PORT: '22303' });
    };
    for (let turns = 0; turns < 6; turns += 1) await turn();
    // Each tells how it differs from each of the others, which might have been a way back.
    const told = await trail();
    const byTurns = [change(7200, 3600), change(3600, 7200), change(7200, 1800), change(1800, 3600)];
    expect(told).toEqual([FIRST, SHORTER, change(1800, 7200), ...byTurns]);
    expect(logged).toContain('service: as before, and still unlike what another instance has');

    tokens('20m');
    await start({ HYGIE_PORT: '22302' });
    await start({ HYGIE_PORT: '22302' });
    tokens('1h');
    for (let turns = 0; turns < 3; turns += 1) await start({ HYGIE_PORT: '22301' });
    expect((await trail()).slice(told.length)).toEqual([change(1800, 1200), change(1200, 3600)]);
  });

  it('SEC-48 an edit while it runs, of which the trail was told, hides no other instance that started meanwhile', async () => {
    await start({ HYGIE_PORT: '22301' }, opened.database, async (memory) => {
      tokens('30m');
      await start({ HYGIE_PORT: '22302' });
      place.configure('clients.yaml', `clients: [${client()}]`);
      memory.edited((await loadConfiguration({ ...place.environment })).clients);
    });
    expect(await trail()).toEqual([FIRST, SHORTER]);
    tokens('1h');
    await start({ HYGIE_PORT: '22301' });
    expect(await trail()).toEqual([FIRST, SHORTER, LONGER]);
  });

  it('SEC-48 what could not be compared is tried again while the service runs, and an edit is remembered after it', async () => {
    await start();
    await opened.database.schema.renameTable('known_configuration', 'elsewhere');
    tokens('30m');
    await start({}, opened.database, async (memory) => {
      place.configure('clients.yaml', `clients: [${client()}]`);
      memory.edited((await loadConfiguration({ ...place.environment })).clients);
      await until(() => logged.includes('it is tried again'), 'the table is missed');
      await opened.database.schema.renameTable('elsewhere', 'known_configuration');
      await until(async () => (await trail()).length > 1, 'it is compared');
    });
    await start();
    expect(await trail()).toEqual([FIRST, SHORTER]);
  });

  it('SEC-48 an edit that is taken before the service answers is remembered all the same', async () => {
    await start();
    const { settings, clients } = await loadConfiguration({ HYGIE_PORT: '22300', ...place.environment });
    const memory = openConfigurationMemory({ database: opened.database, settings, clients, log });
    place.configure('clients.yaml', `clients: [${client()}]`);
    memory.edited((await loadConfiguration({ ...place.environment })).clients);
    memory.inForce();
    await memory.close();
    await start();
    expect(await trail()).toEqual([FIRST]);
  });

  it('SEC-48 what each instance has for itself is no change: port, host, processes, folders, form of the log', async () => {
    await start();
    place.configure('service.yaml', 'listen: { host: 127.0.0.2 }\nprocesses: 3');
    await start({ HYGIE_PORT: '22304', HYGIE_DATA: '/elsewhere', HYGIE_PROCESSES: '2', LOG_FORMAT: 'pretty' });
    expect(await trail()).toEqual([FIRST]);
  });

  it('SEC-48 another secret of a client is told, wherever it comes from; SEC-16 no secret is kept, in no form that is usable', async () => {
    const [first, second, token, key] = [newSecret(), newSecret(), newSecret(), newSecret()];
    const hash = await hashSecret(first, LOW_COST);
    const publicKey = () =>
      JSON.stringify(generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' }));
    const clients = (written: string, inAddress: string) => {
      const entries = [
        client(`secrets: [{ hash: "${written}" }]`, 'a-hash', 'server'),
        client('secrets: [{ env: SECRET_OF_A_TEST }]', 'env', 'server'),
        client('secrets: [{ file: secret.txt }]', 'file', 'server'),
        client(`jwks: { keys: [${publicKey()}] }`, 'signs', 'server'),
        client(`backchannelLogoutUrl: "https://w.example/out?token=${inAddress}"`),
      ];
      place.configure('clients.yaml', `clients: [${entries.join(', ')}]`);
    };
    clients(hash, token);
    place.configure('secret.txt', `${first}\n`);
    const env = { SECRET_OF_A_TEST: first, HYGIE_KEY_SECRET: key };
    await start(env);
    await start(env);
    expect(await trail()).toEqual([FIRST]);

    const newHash = await hashSecret(second, LOW_COST);
    clients(newHash, second);
    place.configure('secret.txt', `${second}\n`);
    await start({ SECRET_OF_A_TEST: second });
    expect((await trail()).slice(1)).toEqual([
      ['service.changed', ['HYGIE_KEY_SECRET set -> not set']],
      ['a-hash', ['secrets 1 -> 1 (1 new)']],
      ['env', ['secrets 1 -> 1 (1 new)']],
      ['file', ['secrets 1 -> 1 (1 new)']],
      ['signs', ['jwks: other keys']],
      ['web', [expect.stringMatching(/^backchannelLogoutUrl .*\?token=\[redacted\] #.* -> .*\?token=\[redacted\] #/)]],
    ]);
    const dump = JSON.stringify([await opened.database('known_configuration'), await opened.database('audit_events')]);
    for (const secret of [first, second, token, key, hash, newHash]) expect(dump + logged).not.toContain(secret);
  });

  it('SEC-48 no value that is no secret is masked', async () => {
    place.configure('clients.yaml', `clients: [${client()}]`);
    await start();
    place.configure('clients.yaml', `clients: [${client('par: required, dpop: required')}]`);
    await start();
    expect((await trail()).at(-1)).toEqual(['web', ['dpop: required', 'par required']]);
  });

  it('names of instances that come and go do not fill the table', async () => {
    await start();
    for (let port = 22310; port < 22335; port += 1) await start({ HYGIE_PORT: String(port) });
    expect(await opened.database('known_configuration').select('instance').where({ part: 'service' })).toHaveLength(21);
    expect(await trail()).toEqual([FIRST]);
  });
});
