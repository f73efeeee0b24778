// The whole installation of a soak in a temporary folder: PostgreSQL, configuration, accounts, directory, two instances, proxy.

import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { newClientSecret } from '#shared/crypto/client-secret.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { newDatabase } from '#support/databases.ts';
import { HOST, makeCertificate, PROXIES, startProxy } from '#support/deploy/proxies.ts';
import { freePort } from '#support/free-port.ts';
import { startPostgres, stopPostgres } from '#support/postgres.ts';
import type { Cleanup } from '#tools/site/cleanup.ts';
import { createEditions, type Editions } from '#tools/site/editions.ts';
import { hygie, type Outcome, succeed } from '#tools/site/processes.ts';
import type { Options } from '#tools/soak/options.ts';
import { type AccountOfSoak, accountsCsv } from './accounts.ts';
import { type ClientsFile, openClientsFile } from './clients.ts';
import { createInstance, type Instance, keepPort } from './instances.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { serviceFile } from './service-file.ts';

/** Milliseconds. */
const UNTIL_CHECKED = 5000;

export const ISSUER = `https://${HOST}`;

export interface Site {
  folder: string;
  /** Watched by both instances. */
  watched: string;
  dataFolder: string;
  instances: readonly [Instance, Instance];
  /** Comes and goes, on a machine of its own: it has a data folder that nobody else uses. */
  newcomer: { instance: Instance; dataFolder: string; keepPort(): Promise<void>; freePort(): Promise<void> };
  proxy: { port: number; ca: Buffer; log(): string };
  clients: ClientsFile;
  receiver: Receiver;
  editions: Editions;
  accounts: readonly AccountOfSoak[];
  /** A connection of the soak itself. */
  database: Database;
  /** Runs `hygie ARGS` beside the service, as an operator. */
  command(args: readonly string[]): Promise<Outcome>;
  /** The same; throws when the command refuses, and returns its standard output. */
  succeed(args: readonly string[]): Promise<string>;
}

/** Throws a sentence that says what this machine lacks. */
export async function startSite(options: Options, cleanup: Cleanup, tell: (text: string) => void): Promise<Site> {
  const haproxy = PROXIES.find(({ name }) => name === 'HAProxy');
  if (process.platform !== 'linux') throw new Error('The soak measures by /proc: it needs Linux.');
  if (!haproxy?.installed) throw new Error('The soak needs HAProxy: apt-get install haproxy');
  const folder = mkdtempSync(join(tmpdir(), 'hygie-soak-'));
  cleanup.later(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  if (!makeCertificate(folder)) throw new Error('The soak needs openssl: apt-get install openssl');

  tell('starting PostgreSQL');
  cleanup.later(stopPostgres);
  await startPostgres();
  const { settings } = await newDatabase('postgresql');
  if (settings.engine !== 'postgresql') throw new Error('no PostgreSQL');
  const database = openDatabase(settings);
  cleanup.later(() => database.destroy());
  const receiver = await startReceiver(folder);
  cleanup.later(() => receiver.close());

  const config = join(folder, 'config');
  const watched = join(folder, 'registers');
  const dataFolder = join(folder, 'data');
  for (const one of [config, watched]) mkdirSync(one);
  writeFileSync(join(config, 'service.yaml'), serviceFile({ short: options.short, watched }));
  const secrets = { portail: newClientSecret(), api: newClientSecret(), copie: newClientSecret() };
  const clients = openClientsFile(config, { secrets, logoutUrl: receiver.url });
  const env = {
    NODE_ENV: 'production',
    HYGIE_CONFIG: config,
    HYGIE_DATA: dataFolder,
    HYGIE_ISSUER: ISSUER,
    HYGIE_HOST: '127.0.0.1',
    HYGIE_PROCESSES: String(options.processes),
    HYGIE_KEY_SECRET: randomBytes(32).toString('base64url'),
    DATABASE_URL: settings.url,
    LOG_FORMAT: 'json',
    NODE_EXTRA_CA_CERTS: join(folder, 'fullchain.pem'),
  };
  const choices = { env, cleanup };
  tell('migrating, adding accounts, loading the directory');
  await succeed(['migrate'], choices);
  const editions = createEditions(options.seed, options.practitioners);
  const first = join(folder, 'first');
  editions.writeNext(first);
  await succeed(['directory', 'import', first], choices);
  const { csv, accounts } = await accountsCsv(options.people, editions);
  writeFileSync(join(folder, 'accounts.csv'), csv);
  await succeed(['accounts', 'import', join(folder, 'accounts.csv')], choices);

  tell('starting two instances and HAProxy');
  const ports = [await freePort(), await freePort(), await freePort()] as const;
  if (options.logs) mkdirSync(options.logs, { recursive: true });
  const logFile = (name: string) => join(options.logs || folder, `${name}.log`);
  const instances = [
    createInstance('one', ports[0], env, logFile('one')),
    createInstance('two', ports[1], env, logFile('two')),
  ] as const;
  const ownFolder = join(folder, 'newcomer');
  const newcomer = createInstance('newcomer', ports[2], { ...env, HYGIE_DATA: ownFolder }, logFile('newcomer'));
  cleanup.later(() => newcomer.end());
  let givePortBack = await keepPort(ports[2]);
  cleanup.later(() => givePortBack());
  for (const instance of instances) {
    cleanup.later(() => instance.end());
    await instance.start();
  }
  const running = await startProxy(haproxy, folder, ports);
  cleanup.later(() => running.stop());
  // For HAProxy every server is there until two checks say that it is not.
  await setTimeout(UNTIL_CHECKED);
  const proxy = { port: running.https, ca: readFileSync(join(folder, 'fullchain.pem')), log: running.log };
  return {
    folder,
    watched,
    dataFolder,
    instances,
    newcomer: {
      instance: newcomer,
      dataFolder: ownFolder,
      freePort: () => givePortBack(),
      keepPort: async () => {
        givePortBack = await keepPort(ports[2]);
      },
    },
    proxy,
    clients,
    receiver,
    editions,
    accounts,
    database,
    command: (args) => hygie(args, choices).ended,
    succeed: (args) => succeed(args, choices),
  };
}
