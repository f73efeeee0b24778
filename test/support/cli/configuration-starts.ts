// Owns starts and edits of instances as far as their configuration goes: real files, a real database, no process. Does not own
// starts of the service (`serving.ts`).

import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { loadConfiguration } from '../../../src/config/index.ts';
import { openConfigurationMemory } from '../../../src/server/audit/configuration-memory.ts';
import { createLog } from '../../../src/shared/log/log.ts';
import { openAuditEvents } from '../../../src/store/audit/audit-events.ts';
import { openDatabase } from '../../../src/store/database/connection.ts';
import { type Engine, openTestDatabase, type TestDatabase } from '../databases.ts';
import { type Installation, installation } from './hygie.ts';

export let opened: TestDatabase;
export let place: Installation;
/** What the instances said in their logs during this test. */
export let logged = '';

/** Gives the tests of a block a database, an installation and an empty log; to be called at its top. */
export function onEngine(engine: Engine): void {
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

export const log = createLog(
  { level: 'info', format: 'json' },
  {
    write: (line: string) => {
      logged += line;
    },
  },
);

/** All that a start does with it, and edits while it runs. The port is the name of the instance on this machine. */
export async function start(
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
export async function startAtOnce(instances: readonly Record<string, string>[]): Promise<void> {
  const databases = instances.map(() => openDatabase(opened.settings));
  await Promise.all(instances.map((env, index) => start(env, databases[index])));
  await Promise.all(databases.map((database) => database.destroy()));
}

/** Client or event, and what is told of it. */
export const trail = async () => {
  const events = ['service.changed', 'clients.changed'] as const;
  const records = await openAuditEvents(opened.database).search({ events, limit: 100 });
  return records.map(({ event, client, details }) => [client ?? event, details?.['keys'] ?? details?.['edit']]);
};
export const tokens = (lifetime: string) => place.configure('service.yaml', `lifetimes: { accessToken: ${lifetime} }`);
export const client = (rest = '', id = 'web', type = 'browser') =>
  `{ id: ${id}, name: A client, type: ${type}, callbackUrls: ["https://w.example/"], ${rest} }`;
export const FIRST = ['service.changed', 'first start: later ones are compared with it'];
export const change = (from: number, to: number) => ['service.changed', [`lifetimes.accessToken ${from} -> ${to}`]];
export const SHORTER = change(3600, 1800);
export const LONGER = change(1800, 3600);

export function forgetLog(): void {
  logged = '';
}
