// Disks that are full.

import { openDatabase } from '../../../src/store/database/connection.ts';
import { BOTH, type Fault, POSTGRESQL } from '../fault.ts';
import { databaseOf } from '../load/ledger.ts';
import type { Site } from '../site/site.ts';

const needsRoot = ({ disk }: Site) => (disk.own ? undefined : 'root mounts the small file system');

/** Begins segments of PostgreSQL's write-ahead log until there is no room for one: it ends itself then. */
async function useUpLog(site: Site): Promise<void> {
  const database = openDatabase(databaseOf(site));
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

export const disks: Fault[] = [
  {
    name: 'disk full: data folder',
    how: 'its file system (64 MB in memory) filled to the last byte for 6 s',
    engines: BOTH,
    seconds: 6,
    missing: needsRoot,
    make: ({ disk }) => disk.fill(),
    mend: ({ disk }) => disk.free(),
    check: async (site) => {
      const { code, stderr } = await site.hygie(['directory', 'verify']);
      return code === 0 ? [] : [`directory verify: ${stderr}`];
    },
  },
  {
    name: 'disk full: PostgreSQL',
    how: 'its file system (160 MB in memory) filled, log segments used up; after 6 s room again, and started where it had ended',
    ready: 503,
    engines: POSTGRESQL,
    seconds: 6,
    missing: needsRoot,
    make: async (site) => {
      site.postgresDisk?.fill();
      await useUpLog(site);
    },
    mend: async ({ postgresDisk, postgres }) => {
      postgresDisk?.free();
      await postgres?.startIfEnded();
    },
  },
  {
    name: 'disk full: log',
    how: 'standard output is /dev/full from a start on, for 5 s',
    engines: BOTH,
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
