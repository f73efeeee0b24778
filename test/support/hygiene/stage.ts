// Starts the service that the hygiene test drives: at its most talkative level, with a secret wherever an operator has one.

import express from 'express';
import type { ClientSettings, Settings } from '#config/settings.ts';
import { openTracing } from '#server/tracing/open-tracing.ts';
import { hashSecret } from '#shared/crypto/secret-hash.ts';
import { openDatabase } from '#store/database/connection.ts';
import type { Engine } from '#support/databases.ts';
import { LOW_COST } from '#support/hash-cost.ts';
import { type NetworkGate, networkGate } from '#support/network-gate.ts';
import { type ClientKey, newClientKey } from '#support/openid/keys-of-clients.ts';
import { type MailServer, startMailServer, trustMailServer } from '#support/openid/mail/mail-server.ts';
import { createPerson, type Person } from '#support/person.ts';
import { DEMO_ACCOUNTS, type RunningService, startService, testClients } from '#support/service.ts';
import { type Collector, startCollector } from '#support/tracing/collector.ts';
import { Canaries } from './canaries.ts';
import { type Exchanges, recordExchanges } from './exchanges.ts';
import { type KnownRoute, watchRoutes } from './routes.ts';

export interface Stage extends Exchanges {
  engine: Engine;
  service: RunningService;
  canaries: Canaries;
  /** Secret of the confidential clients. */
  clientSecret: string;
  key: ClientKey;
  /** A browser of this name, with cookies of its own. */
  browser(name: string): Person;
  metricsToken: string;
  /** E-mail address and canary password of a person of the demonstration. */
  credentials(person: number): { login: string; password: string };
  /** Environment of the commands. */
  environment: Record<string, string>;
  /** The mail server, on PostgreSQL; on SQLite mails are in the outbox. */
  mailServer?: MailServer;
  /** Between the service and PostgreSQL. */
  network?: NetworkGate;
  /** The collector of its traces. */
  collector: Collector;
  routes(): KnownRoute[];
  close(): Promise<void>;
}

const PEOPLE = 7;

export async function setStage(engine: Engine): Promise<Stage> {
  const canaries = new Canaries();
  const operator = (kind: string) => canaries.make(kind, 'operator');
  const keySecret = operator('key secret') + operator('key secret');
  canaries.note('key secret', 'operator', keySecret);
  const mailPassword = operator('mail server password');
  const databasePassword = operator('database password');
  const metricsToken = operator('metrics token') + operator('metrics token');
  canaries.note('metrics token', 'operator', metricsToken);
  const clientSecret = canaries.make('client secret', 'client');
  const key = newClientKey('ES256');
  const routes = watchRoutes(express);
  const undoTrust = trustMailServer();
  const mailServer =
    engine === 'postgresql'
      ? await startMailServer({ onAuth: (_auth, _session, done) => done(null, { user: 'hygie' }) })
      : undefined;
  const network = engine === 'postgresql' ? await networkGate() : undefined;
  const collector = await startCollector();
  const tracing = await traceTo(collector);
  let url: string | undefined;
  const adjust = (settings: Settings): Settings => {
    const issuer = settings.issuer.replace('127.0.0.1', 'localhost');
    const limits = { ...settings.limits, addressFailures: 1000, accountFailures: 30 };
    const own = {
      ...settings,
      metrics: { ...settings.metrics, token: metricsToken },
      issuer,
      directory: { ...settings.directory, url: `${issuer}/directory/v2` },
      limits,
    };
    if (settings.database.engine !== 'postgresql') return own;
    const address = new URL(settings.database.url);
    address.username = `hygiene_${address.pathname.slice(-12)}`;
    address.password = databasePassword;
    url = address.href;
    network?.leadTo(new URL(url));
    address.port = String(network?.port);
    const mail = mailServer?.settings({ password: mailPassword });
    return { ...own, ...(mail && { mail }), database: { ...settings.database, url: address.href } };
  };
  const service = await startService({
    engine,
    logLevel: 'trace',
    env: { HYGIE_KEY_SECRET: keySecret, LOG_LEVEL: 'trace' },
    clients: await clients(clientSecret, key),
    adjust,
    tracing,
    prepare: () => (url === undefined ? undefined : createRole(url)),
  });
  const exchanges = recordExchanges(canaries, service.issuer);
  const browsers = new Map<string, Person>();
  const passwords = await givePasswords(service, canaries);
  return {
    ...exchanges,
    engine,
    service,
    canaries,
    clientSecret,
    metricsToken,
    key,
    routes: routes.known,
    ...(mailServer && { mailServer }),
    ...(network && { network }),
    collector,
    browser: (name) => {
      const known =
        browsers.get(name) ?? createPerson(service.issuer, (address, init) => exchanges.send(name, address, init));
      known.cookies.set('hygie_language /', 'en');
      browsers.set(name, known);
      return known;
    },
    credentials: (person) => ({ login: DEMO_ACCOUNTS[person]?.email ?? '', password: passwords[person] ?? '' }),
    environment: {
      HYGIE_CONFIG: service.settings.configFolder,
      HYGIE_DATA: service.settings.dataFolder,
      HYGIE_ISSUER: service.issuer,
      HYGIE_PORT: new URL(service.issuer).port,
      HYGIE_KEY_SECRET: keySecret,
      LOG_LEVEL: 'debug',
      ...(url !== undefined && { DATABASE_URL: url }),
      ...(mailServer && { HYGIE_MAIL_PASSWORD: mailPassword }),
    },
    close: async () => {
      routes.end();
      await service.stop();
      await tracing?.close();
      await collector.close();
      network?.close();
      await mailServer?.close();
      undoTrust();
    },
  };
}

/** Every span, sent at once; what there is when tracing is closed. */
async function traceTo({ endpoint }: Collector) {
  Object.assign(process.env, { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' });
  Object.assign(process.env, { OTEL_BSP_SCHEDULE_DELAY: '50', OTEL_BSP_MAX_QUEUE_SIZE: '100000' });
  return openTracing(process.env, (report) => {
    throw new Error(report);
  });
}

async function clients(secret: string, key: ClientKey): Promise<ClientSettings[]> {
  const secretHashes = [await hashSecret(secret, LOW_COST)];
  const usual = (await testClients()).map((client) =>
    client.secretHashes.length > 0 ? { ...client, secretHashes } : client,
  );
  const [server] = usual as [ClientSettings];
  const strict = { ...server, id: 'strict', name: 'Deux étapes', secondFactor: 'required' as const };
  const signing = {
    ...server,
    id: 'signing',
    secretHashes: [],
    jwks: { keys: [key.jwk] },
    refreshTokens: 'always' as const,
  };
  return [...usual, strict, { ...signing, consent: 'trusted' as const }];
}

/** A password of its own for each of the first people of the demonstration. */
async function givePasswords({ database }: RunningService, canaries: Canaries): Promise<string[]> {
  const passwords: string[] = [];
  for (const { id, email } of DEMO_ACCOUNTS.slice(0, PEOPLE)) {
    const password = canaries.make('password', email);
    passwords.push(password);
    await database('accounts')
      .where({ id })
      .update({ password_hash: await hashSecret(password, LOW_COST) });
  }
  return passwords;
}

/** Lets the service into its database by a password that is a canary. */
async function createRole(url: string): Promise<void> {
  const { username, password, pathname, host } = new URL(url);
  const server = new URL(process.env['HYGIE_TEST_POSTGRES'] ?? '');
  if (server.host !== host) throw new Error(`not the server of the tests: ${host}`);
  const administration = openDatabase({ engine: 'postgresql', url: `${server.href.replace(/\/$/, '')}${pathname}` });
  await administration.raw(`create role ${username} superuser login password '${password}'`);
  await administration.destroy();
}
