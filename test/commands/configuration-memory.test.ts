// SEC-48, SEC-16: what of the configuration was changed while the service stood still is in the audit trail after the next start,
// once for the whole service; what is remembered for it holds no secret. Against the real service: `configuration-change.test.ts`.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openConfigurationMemory } from '../../src/commands/configuration-memory.ts';
import { loadConfiguration } from '../../src/shared/config/index.ts';
import { createLog } from '../../src/shared/log.ts';
import { hashSecret, newSecret } from '../../src/shared/secret-hash.ts';
import { openAuditEvents } from '../../src/store/audit-events.ts';
import { openDatabase } from '../../src/store/connection.ts';
import { ENGINES, type Engine, openTestDatabase, type TestDatabase } from '../databases.ts';
import { LOW_COST } from '../hash-cost.ts';
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
  const memory = openConfigurationMemory({ database, settings, clients, log, env: whole });
  memory.inForce();
  await meanwhile?.(memory);
  await memory.close();
}

/** Of several instances, each with a connection of its own. */
async function startAtOnce(ports: readonly string[]): Promise<void> {
  const databases = ports.map(() => openDatabase(opened.settings));
  await Promise.all(ports.map((HYGIE_PORT, index) => start({ HYGIE_PORT }, databases[index])));
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
const SHORTER = ['service.changed', ['lifetimes.accessToken 3600 -> 1800']];
const LONGER = ['service.changed', ['lifetimes.accessToken 1800 -> 3600']];

describe.each(ENGINES)('what is known of the configuration on %s', (engine) => {
  onEngine(engine);

  it('SEC-48 instances that start at once, or one after the other, with the same configuration tell it once', async () => {
    const ports = ['22301', '22302', '22303'];
    const together = () => startAtOnce(ports);
    await together();
    expect(await trail()).toEqual([FIRST]);
    tokens('30m');
    place.configure('clients.yaml', `clients: [${client()}]`);
    await together();
    expect(await trail()).toEqual([FIRST, SHORTER, ['web', expect.arrayContaining(['type browser'])]]);
    tokens('1h');
    for (const HYGIE_PORT of ports) await start({ HYGIE_PORT });
    expect((await trail()).slice(3)).toEqual([LONGER]);
    expect(logged).not.toContain('"warn"');
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

  it('SEC-48 a database that cannot compare does not keep the service from starting, and the next start tells', async () => {
    await start();
    tokens('30m');
    await opened.database.schema.renameTable('known_configuration', 'elsewhere');
    await start();
    expect(logged).toContain('the configuration was not compared with the one before: the next start does it');
    await opened.database.schema.renameTable('elsewhere', 'known_configuration');
    await start();
    expect(await trail()).toEqual([FIRST, SHORTER]);
  });
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
    };
    for (let turns = 0; turns < 4; turns += 1) await turn();
    // The second start of the first might have been a way back.
    expect(await trail()).toEqual([FIRST, SHORTER, LONGER]);
    expect(logged).toContain('service: as before, and still unlike what another instance has');
    tokens('20m');
    await start({ HYGIE_PORT: '22302' });
    expect((await trail()).slice(3)).toEqual([['service.changed', [expect.stringContaining('-> 1200')]]]);
    tokens('1h');
    for (let turns = 0; turns < 3; turns += 1) await start({ HYGIE_PORT: '22301' });
    expect((await trail()).length).toBeLessThanOrEqual(5);
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

  it('SEC-48 what each instance has for itself is no change: port, host, processes, folders, form of the log', async () => {
    await start();
    place.configure('service.yaml', 'listen: { host: 127.0.0.2 }\nprocesses: 3\nlog: { format: pretty }');
    await start({ HYGIE_PORT: '22304', HYGIE_DATA: '/elsewhere', HYGIE_PROCESSES: '2', LOG_FORMAT: 'json' });
    expect(await trail()).toEqual([FIRST]);
  });

  it('SEC-48 another secret of a client is told, wherever it comes from; SEC-16 no secret is kept, in no form that is usable', async () => {
    const [first, second, token, key] = [newSecret(), newSecret(), newSecret(), newSecret()];
    const hash = await hashSecret(first, LOW_COST);
    const clients = (written: string, inAddress: string) => {
      const entries = [
        client(`secrets: [{ hash: "${written}" }]`, 'a-hash', 'server'),
        client('secrets: [{ env: SECRET_OF_A_TEST }]', 'env', 'server'),
        client('secrets: [{ file: secret.txt }]', 'file', 'server'),
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
      ['service.changed', ['HYGIE_KEY_SECRET set -> none']],
      ['a-hash', ['secrets 1 -> 1 (1 new)']],
      ['env', ['secrets 1 -> 1 (1 new)']],
      ['file', ['secrets 1 -> 1 (1 new)']],
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
