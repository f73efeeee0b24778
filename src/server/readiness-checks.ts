// Readiness checks of the service: the database for signing in, and the directory once there is one.

import { type Database, isPostgres } from '#store/database/connection.ts';
import { followWritability, LosesStatements, StoresNothing } from '#store/database/writability.ts';
import { CLOCK_LIMITS } from '#store/instances.ts';
import type { CurrentSnapshot, Obstacle } from '#store/snapshots/current-snapshot.ts';
import { readPointer } from '#store/snapshots/registry.ts';
import { NotReady, type ReadinessCheck } from './health.ts';

// Remedies here name a command by its words alone (`directory verify`). The whole command line that `hygie` returns shows folders,
// containers or hosts, and anybody may read the answer of a readiness check.
const NONE = new NotReady(
  'no directory has been imported',
  'the command directory import FOLDER; for sign-in alone, nothing: the directory answers 503',
);
const LOG = 'the log of the service has the cause';
/**
 * The answers of the readiness check while the service serves no snapshot of the directory, although one is in force. There is one answer
 * for each obstacle that keeps the service from opening the snapshot in force.
 */
const OBSTACLES: Readonly<Record<Obstacle, NotReady>> = {
  fetching: new NotReady(
    'the current snapshot of the directory is being fetched from the database',
    'nothing: this takes seconds to minutes, and the log says when it has ended',
  ),
  'not fetched': new NotReady(
    'the current snapshot of the directory cannot be fetched from the database',
    `${LOG}; an instance that has the file stores it, or import the edition again`,
  ),
  rebuilding: new NotReady(
    'the index of the directory is being rebuilt, because a release before made it',
    'nothing: this takes minutes, and the log says when it has ended; leave instances of the release before running until then',
  ),
  'not rebuilt': new NotReady(
    'the index of the directory, which a release before made, cannot be rebuilt',
    `${LOG}; import the edition again`,
  ),
  missing: new NotReady(
    'the file of the current snapshot of the directory is not here',
    'with directory.distribution: folder, instances that share a database share HYGIE_DATA, too, or get a copy of the file; where nobody has it, import the edition again',
  ),
  'other layout': new NotReady(
    'the current snapshot of the directory is of another release',
    'run that release here, too; or import the edition again',
  ),
  unreadable: new NotReady(
    'the current snapshot of the directory cannot be opened',
    `${LOG}; the command directory verify reads it, and directory rollback switches to the one before`,
  ),
};

const STORES_NOTHING = new NotReady(
  'the database answers, but stores nothing',
  'room on its disk; a server of DATABASE_URL that takes writes, not a replica; the log of the service has the cause',
);
const LOSES_STATEMENTS = new NotReady(
  'a connection pooler in front of the database loses prepared statements',
  'max_prepared_statements in PgBouncer 1.21 or newer, or pool_mode = session; or database.preparedStatements: false in service.yaml',
);
const CLOCK = new NotReady(
  `the clock of this machine and that of the database differ by more than ${CLOCK_LIMITS.ready / 1000} s`,
  'NTP on both machines (chrony, systemd-timesyncd); the metric hygie_clock_ahead_seconds and the log have the difference',
);
const NOT_READ_AHEAD = new NotReady(
  'the directory is being read into memory',
  'nothing: this takes seconds, and the log says when it has ended',
);

const BEHIND = new NotReady(
  'another edition of the directory than the one in force is served, for longer than directory.mayLag',
  'the log of the service says why it cannot take the edition in force; the command directory status shows what each instance serves',
);

/**
 * @param mayLag seconds for which an older edition than the one in force may be served
 * @param clockAhead milliseconds by which the clock of this process is ahead of the database's
 */
export function readinessChecks(
  database: Database,
  snapshots: Pick<CurrentSnapshot, 'current' | 'isReadAhead' | 'behind' | 'obstacle'>,
  { mayLag }: { mayLag: number },
  clockAhead: () => number = () => 0,
): ReadinessCheck[] {
  const wasImported = async () => (await readPointer(database)).current !== undefined;
  const stores = followWritability(database);
  let wasReadyWithout = false;
  // Whoever imports the first edition must not take sign-in away from a service that was ready without a directory: until the process serves
  // that edition, it counts as one that serves an older edition.
  const isDirectoryNeeded = async () => {
    if (!(await wasImported())) {
      wasReadyWithout = true;
      return false;
    }
    return !wasReadyWithout || snapshots.isReadAhead() || snapshots.behind() > mayLag * 1000;
  };
  return [
    {
      name: 'database',
      half: 'signin',
      test: () =>
        stores().catch((error: unknown) => {
          if (error instanceof LosesStatements) throw LOSES_STATEMENTS;
          throw error instanceof StoresNothing ? STORES_NOTHING : error;
        }),
    },
    ...(isPostgres(database)
      ? [
          {
            name: 'clock',
            half: 'signin',
            test: async () => {
              if (Math.abs(clockAhead()) > CLOCK_LIMITS.ready) throw CLOCK;
            },
          } as const,
        ]
      : []),
    {
      name: 'directory',
      half: 'directory',
      test: async () => {
        if (!snapshots.current()) throw (await wasImported()) ? OBSTACLES[snapshots.obstacle() ?? 'unreadable'] : NONE;
        if (!snapshots.isReadAhead()) throw NOT_READ_AHEAD;
        if (snapshots.behind() > mayLag * 1000) throw BEHIND;
      },
      isNeeded: isDirectoryNeeded,
    },
  ];
}
