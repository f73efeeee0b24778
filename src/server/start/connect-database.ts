// Prepares the use of the database at a start, and before an import (`open-database.ts`): waits for a PostgreSQL that does not let the
// service in yet, and checks whether a pooler is in front.

import { setTimeout } from 'node:timers/promises';
import type { Settings } from '#config/settings.ts';
import type { Logger } from '#shared/log/log.ts';
import { redactText } from '#shared/log/redaction.ts';
import { Refusal } from '#shared/operator-messages.ts';
import { type Database, openDatabase, ping } from '#store/database/connection.ts';
import { isPooled, losesStatements } from '#store/database/pooler.ts';
import { limitRole } from '#store/database/session-limits.ts';
import { passesByItself } from '#store/database/transient-errors.ts';

type Log = Pick<Logger, 'info' | 'warn'>;

/**
 * Maximum milliseconds between two tries. Each pause is shortened at random, by half at most, so that instances do not all try at the same
 * moment.
 */
const PAUSE = 1000;

/**
 * Resolves once the database lets the service in. Also resolves if waiting longer is of no use, if the time is up, or if a stop is
 * requested. In these cases, the next statement fails with the reason.
 */
export async function awaitDatabase(
  { database: settings }: Pick<Settings, 'database'>,
  log: { warn(message: string): void },
  stopRequested: Promise<unknown> = new Promise(() => {}),
): Promise<void> {
  if (settings.engine === 'sqlite' || !settings.waitAtStart) return;
  const until = performance.now() + settings.waitAtStart * 1000;
  const stopped = stopRequested.then(() => true);
  const database = openDatabase(settings);
  try {
    for (let tries = 0; ; tries += 1) {
      const error = await ping(database).catch((reason: unknown) => reason as { code?: string; message: string });
      if (error === undefined || !passesByItself(error) || performance.now() > until) return;
      const waits = `waiting for ${settings.waitAtStart} s at most (database.waitAtStart)`;
      if (tries === 0) log.warn(`the database does not let the service in (${redactText(error.message)}): ${waits}`);
      if (await Promise.race([stopped, setTimeout(PAUSE * (0.5 + Math.random() / 2))])) return;
    }
  } finally {
    await database.destroy();
  }
}

/**
 * Throws a `Refusal` if a pooler in front of the database loses prepared statements. Behind any other pooler, sets the time limits of
 * statements for the role of the service in the database, because limits that a session sets could reach other clients of the pooler.
 */
export async function preparePooler(database: Database, settings: Settings['database'], log: Log): Promise<void> {
  if (settings.engine === 'sqlite' || !(await isPooled(database))) return;
  if (settings.preparedStatements !== false && (await losesStatements(database))) {
    throw new Refusal([
      'DATABASE_URL leads to a connection pooler that loses prepared statements (PgBouncer with pool_mode = transaction).',
      'Remedy: set max_prepared_statements = 200 in PgBouncer 1.21 or newer; for an older one, database.preparedStatements: false in service.yaml.',
    ]);
  }
  try {
    const set = await limitRole(database, settings);
    if (set.length > 0) log.info({ set }, 'a pooler is in front of the database: its limits are set for the role');
  } catch (error) {
    log.warn(
      { err: error },
      'a pooler is in front of the database, and its limits cannot be set for the role (alter role)',
    );
  }
}
