// Starts the whole service in the test's process, on a free port of its own, with temporary data and demo people.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '#config/index.ts';
import type { ClientSettings, Settings } from '#config/settings.ts';
import { createHttpServer } from '#server/process/http-server.ts';
import { openService } from '#server/service.ts';
import type { Tracing } from '#server/tracing/tracing.ts';
import { hashSecret } from '#shared/crypto/secret-hash.ts';
import { createLog } from '#shared/log/log.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { copyShippedConfig } from './config/shipped.ts';
import type { Engine } from './databases.ts';
import { recordAnswers } from './fhir/received-answers.ts';
import { LOW_COST } from './hash-cost.ts';
import { copyTemplate } from './service-template.ts';

export { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#seeds/demo-accounts.ts';

/** Where the test clients' browsers are sent; nobody listens there. */
export const CALLBACK = 'https://application.example/callback';
export const SIGNED_OUT = 'https://application.example/signed-out';
export const SECRET = 'a-secret-of-the-test-run-that-opens-nothing';
export const ALL_SCOPES = 'openid email profile PRACTITIONER_READ ORGANIZATION_READ';

/** Options of every service of the tests, which nothing waits for: what passwords cost, and how long mails, logout tokens, corrections and other editions take. */
export const QUICK = { passwordCost: LOW_COST, lookEvery: 50 } as const;

export interface RunningService {
  issuer: string;
  settings: Settings;
  /** A second connection to the same main database, for looking behind the scenes. */
  database: Database;
  /** As after an edit of `clients.yaml`. */
  replaceClients(clients: readonly ClientSettings[]): void;
  /** Everything that was logged so far, as JSON lines. */
  logged(): string;
  stop(): Promise<void>;
}

export interface ServiceChoices {
  engine?: Engine;
  /** Changes to the effective settings. */
  adjust?: (settings: Settings) => Settings;
  clients?: readonly ClientSettings[];
  /** Further environment, as an operator would set it. */
  env?: Record<string, string>;
  /** Where its requests are traced; the caller closes it. */
  tracing?: Tracing | undefined;
  /** Makes keys of its own at its start, as every new service does; otherwise it has those of the test run. */
  ownKeys?: boolean;
  /** Looks for mails, logout tokens, corrections and editions as seldom as in production. */
  usualPace?: boolean;
  logLevel?: Settings['log']['level'];
  /** Called when the settings are there, before anything is opened with them. */
  prepare?: (settings: Settings) => Promise<void> | undefined;
}

/** A service on `http://127.0.0.1:<port>`; `stop` ends it and removes its data. */
export async function startService(choices: ServiceChoices = {}): Promise<RunningService> {
  const { engine = 'sqlite', adjust = (settings) => settings } = choices;
  const folder = await mkdtemp(join(tmpdir(), 'hygie-service-'));
  const config = join(folder, 'config');
  const data = join(folder, 'data');
  const external = await copyTemplate(engine, data);
  copyShippedConfig(config);
  await writeFile(join(config, 'clients.yaml'), 'clients: []\n');

  // Held from now on, so that nobody else listens there before the service is ready.
  const held = await listen(createServer(), 0);
  const address = held.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const settings = adjust(
    await loadSettings({
      HYGIE_CONFIG: config,
      HYGIE_DATA: data,
      HYGIE_PORT: String(port),
      HYGIE_HOST: '127.0.0.1',
      HYGIE_ISSUER: `http://127.0.0.1:${port}`,
      ...(external?.settings.engine === 'postgresql' && { DATABASE_URL: external.settings.url }),
      ...choices.env,
    }),
  );
  await choices.prepare?.(settings);
  const lines: string[] = [];
  const log = createLog(
    { level: choices.logLevel ?? 'info', format: 'json' },
    { write: (line: string) => void lines.push(line) },
  );
  const database = openDatabase(settings.database);
  if (choices.ownKeys) await database('service_keys').whereNot({ purpose: 'lock' }).delete();
  const { clients = await testClients(), tracing, usualPace } = choices;
  const pace = usualPace ? { ...QUICK, lookEvery: undefined } : QUICK;
  const service = await openService({ settings, clients, log, tracing, ...pace });
  const server = createHttpServer(service.app, settings, log);
  await listen(server, held);
  recordAnswers(server, '/directory/v2');

  return {
    issuer: settings.issuer,
    settings,
    database,
    replaceClients: service.replaceClients,
    logged: () => lines.join(''),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await service.close();
      await database.destroy();
      await external?.remove();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

let secretHash: Promise<string> | undefined;

/** One client of each kind, as an operator registers them. */
export async function testClients(): Promise<ClientSettings[]> {
  const common = {
    callbackUrls: [CALLBACK],
    logoutUrls: [SIGNED_OUT],
    scopes: ALL_SCOPES.split(' '),
    consent: 'ask' as const,
    serviceAccount: false,
    secretHashes: [] as string[],
  };
  secretHash ??= hashSecret(SECRET, LOW_COST);
  const secretHashes = [await secretHash];
  return [
    { ...common, id: 'server', name: 'Dossier de test', type: 'server', secretHashes },
    {
      ...common,
      id: 'trusted',
      name: 'Application de confiance',
      type: 'server',
      secretHashes,
      consent: 'trusted',
      serviceAccount: true,
      scopes: [...common.scopes, 'offline_access'],
    },
    { ...common, id: 'narrow', name: 'Peu de droits', type: 'server', secretHashes, scopes: ['openid', 'email'] },
    { ...common, id: 'browser', name: 'Application web', type: 'browser' },
    {
      ...common,
      id: 'native',
      name: 'Application mobile',
      type: 'native',
      callbackUrls: ['com.example.app:/callback'],
    },
  ];
}

/** On a port of the loopback address, 0 for any, or in the place of a server that listens already. */
function listen(server: Server, at: number | Server): Promise<Server> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    if (typeof at === 'number') server.listen(at, '127.0.0.1', () => resolve(server));
    else server.listen(at, () => resolve(server));
  });
}
