// Two instances without a common folder behind HAProxy, as deploy/ has it, on a PostgreSQL whose replica follows by streaming; each server has a
// relay in front of it. A further place of HAProxy is for an instance that joins.

import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { makeCertificate, PROXIES, startProxy } from '#support/deploy/proxies.ts';
import { freePort } from '#support/free-port.ts';
import { startReplicatedPostgres } from '#support/replicated-postgres.ts';
import { hygie, outputOf } from '#tools/site/processes.ts';
import { createServiceProcess, type ServiceProcess } from '#tools/site/service-process.ts';
import { startRelay } from './relay.ts';
import { openRenewals } from './renewals.ts';
import { makeRoom } from './room.ts';
import type { Pair, Site } from './site.ts';
import { openSurroundings } from './surroundings.ts';

const MEGABYTES = 512;

const HAPROXY = PROXIES.find(({ name }) => name === 'HAProxy');

/** What this machine lacks. */
export const missingForPair = () => (HAPROXY?.installed ? undefined : 'apt-get install haproxy');

export async function openPair(): Promise<Site> {
  const around = await openSurroundings('pair');
  const { folder, config, cleanup } = around;
  try {
    if (!HAPROXY) throw new Error('HAProxy is missing');
    if (!makeCertificate(folder)) throw new Error('openssl is missing');
    const disk = makeRoom(join(folder, 'disk'), MEGABYTES);
    cleanup.later(() => disk.remove());
    const postgres = await startServers();
    cleanup.later(() => postgres.remove());
    const { servers, replication, networks } = postgres;
    for (const relay of [replication, ...networks]) cleanup.later(() => relay.cut());

    const ports = [await freePort(), await freePort(), await freePort()];
    const proxy = await startProxy(HAPROXY, folder, ports);
    cleanup.later(() => proxy.stop());
    // `fetch` has no other way to trust it.
    const certificate = readFileSync(join(folder, 'fullchain.pem'), 'utf8');
    setDefaultCACertificates([...getCACertificates('default'), certificate]);
    const issuer = `https://127.0.0.1:${proxy.https}`;
    const writeDatabase = (settings: Record<string, unknown>) =>
      around.writeService({ proxies: 1, demo: false, database: settings });
    writeDatabase({});
    const dataOf = (name: string) => join(disk.folder, name);
    const environmentOf = (name: string, port: number) => ({
      ...environment,
      HYGIE_DATA: dataOf(name),
      HYGIE_PORT: String(port),
    });
    const environment: Record<string, string> = {
      HYGIE_CONFIG: config,
      HYGIE_DATA: dataOf('operator'),
      HYGIE_HOST: '127.0.0.1',
      HYGIE_ISSUER: issuer,
      HYGIE_KEY_SECRET: randomBytes(32).toString('base64url'),
      LOG_FORMAT: 'json',
      DATABASE_URL: `postgres://hygie@${networks.map(({ port }) => `127.0.0.1:${port}`).join(',')}/postgres`,
      NODE_EXTRA_CA_CERTS: around.extraCertificates,
    };
    outputOf(['migrate'], await hygie(['migrate'], { env: environment }).ended);
    const renewals = openRenewals({ folder, issuer, environment, dataOf });
    await renewals.first();
    const [one, two, joining] = ['one', 'two', 'joining'].map((name, at) => {
      const port = ports[at] ?? 0;
      return createServiceProcess({ port, environment: environmentOf(name, port), log: join(folder, `${name}.log`) });
    }) as [ServiceProcess, ServiceProcess, ServiceProcess];
    for (const service of [one, two, joining]) cleanup.later(() => service.kill('SIGKILL'));
    for (const service of [one, two]) await service.start();
    const people = await around.addPeople(environment);
    cleanup.onSignals();
    const pair: Pair = {
      one,
      two,
      joining,
      servers,
      networks,
      replication,
      writeDatabase,
      renewals,
      forget: () => rmSync(dataOf('joining'), { recursive: true, force: true }),
    };
    const port = proxy.https;
    return {
      engine: 'postgresql',
      folder,
      config,
      dataFolder: dataOf('one'),
      issuer,
      port,
      metricsPort: 0,
      environment,
      service: one,
      services: [one, two, joining],
      pair,
      disk,
      people,
      database: () => ({ engine: 'postgresql', url: `postgres://hygie@127.0.0.1:${servers.primary.port}/postgres` }),
      ...around.site(environment),
    };
  } catch (error) {
    await cleanup.all();
    throw error;
  }
}

async function startServers() {
  // A replica asks for its primary here, whichever that is.
  let followed = 0;
  const replication = await startRelay(() => followed);
  const postgres = await startReplicatedPostgres({
    synchronous: false,
    replication: (port) => {
      followed = port;
      return replication.port;
    },
  });
  const { primary, replica, remove } = postgres;
  const networks = [await startRelay(() => primary.port), await startRelay(() => replica.port)];
  return { servers: { primary, replica }, replication, networks, remove };
}
