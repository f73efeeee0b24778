// Disks that are full.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openDatabase } from '#store/database/connection.ts';
import { BOTH, type Fault, POSTGRESQL, SQLITE } from '#tools/faults/fault.ts';
import { makeRoom } from '#tools/faults/site/room.ts';
import type { Site } from '#tools/faults/site/site.ts';
import type { Outcome } from '#tools/site/processes.ts';

const needsRoot = ({ disk }: Site) => (disk.own ? undefined : 'root mounts the small file system');

/** Begins segments of PostgreSQL's write-ahead log until there is no room for one: it ends itself then. */
async function useUpLog(site: Site): Promise<void> {
  const database = openDatabase(site.database());
  try {
    for (let segments = 0; segments < 60; segments += 1) {
      await database.raw(`select pg_logical_emit_message(true, 'hygie', repeat('x', 900000)), pg_switch_wal()`);
    }
  } catch {
    // It has none left.
  } finally {
    await database.destroy();
  }
}

async function setLogKept(site: Site, size: string): Promise<void> {
  const database = openDatabase(site.database());
  try {
    await database.raw(`alter system set wal_keep_size = '${size}'`);
    await database.raw('select pg_reload_conf()');
  } finally {
    await database.destroy();
  }
}

let backup: Outcome | undefined;
let left: string[] = [];

export const disks: Fault[] = [
  ...([SQLITE, POSTGRESQL] as const).map(
    (on): Fault => ({
      name: on === SQLITE ? 'disk full: data folder, with the database' : 'disk full: data folder',
      how: 'its file system (64 MB in memory) filled to the last byte for 6 s',
      on,
      seconds: 6,
      ...(on === SQLITE ? { ready: 503 } : { ready: 200, unnoticed: true }),
      missing: needsRoot,
      make: ({ disk }) => disk.fill(),
      mend: ({ disk }) => disk.free(),
      check: async (site) => {
        const { code, stderr } = await site.hygie(['directory', 'verify']);
        return code === 0 ? [] : [`directory verify: ${stderr}`];
      },
    }),
  ),
  {
    name: 'disk full: backup',
    how: '`hygie backup` into a file system of which 100 kB are free',
    on: BOTH,
    seconds: 1,
    unnoticed: true,
    missing: needsRoot,
    make: async (site) => {
      const room = makeRoom(join(site.folder, 'backups'), 1);
      room.fill(900_000);
      backup = await site.hygie(['backup', join(room.folder, 'one')]);
      left = readdirSync(room.folder).filter((name) => name === 'one');
      room.remove();
    },
    mend: () => {},
    check: async () => {
      const said = `${backup?.stdout}${backup?.stderr}`;
      const refused = backup?.code === 1 && /room|space|full/i.test(said) && left.length === 0;
      return refused ? [] : [`backup: exit code ${backup?.code}, left ${left}: ${said.slice(0, 300)}`];
    },
  },
  {
    name: 'disk full: PostgreSQL',
    how: 'its file system (160 MB in memory) filled, log segments used up; after 6 s room again, and started where it had ended',
    ready: 503,
    on: POSTGRESQL,
    seconds: 6,
    missing: needsRoot,
    make: async (site) => {
      // Otherwise a checkpoint gives back the room that was used up.
      await setLogKept(site, '1GB');
      site.postgresDisk?.fill();
      await useUpLog(site);
    },
    mend: async (site) => {
      site.postgresDisk?.free();
      await site.postgres?.startIfEnded();
      await setLogKept(site, '0');
    },
  },
  {
    name: 'disk full: log',
    how: 'standard output is /dev/full from a start on, for 5 s',
    on: BOTH,
    seconds: 5,
    may: /^(ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET|other side closed)/,
    ready: 200,
    make: async ({ service }) => {
      await service.kill('SIGTERM');
      await service.start({}, '/dev/full');
    },
    mend: async ({ service }) => {
      await service.kill('SIGTERM');
      await service.start();
    },
  },
];
