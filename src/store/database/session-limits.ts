// Limits of statements, locks and transactions in PostgreSQL itself (`database.statementTimeout`, `lockTimeout`, `idleTransactionTimeout`).
// They end the statements of a service that can no longer end them itself, because its machine is gone or its cancel request was lost.

import type { Knex } from 'knex';
import type { Settings } from '#config/settings.ts';

export type Limits = Omit<Extract<Settings['database'], { engine: 'postgresql' }>, 'engine' | 'url'>;

/**
 * Seconds that apply without a setting; the schema of `service.yaml` has the same defaults. `statement` is far longer than any statement
 * takes.
 */
const USUAL = { statement: 30, lock: 10, idleTransaction: 60 };

/** Returns the milliseconds after which the service gives up a statement. */
export function givenUpAfter({ statementTimeout = USUAL.statement }: Limits): number {
  return statementTimeout * 1000;
}

/**
 * Returns the names and values of PostgreSQL's settings. `statement_timeout` is a tenth longer than the service waits, so that the service
 * gives up and cancels first. `enable_seqscan` is off because a named statement keeps its plan. A plan that was made while the tables were
 * small would go on reading whole tables. With the setting off, the plan uses an index from the start.
 */
function settingsOf(limits: Limits): [name: string, value: string][] {
  const { lockTimeout = USUAL.lock, idleTransactionTimeout = USUAL.idleTransaction } = limits;
  return [
    ['enable_seqscan', 'off'],
    ['statement_timeout', `${Math.ceil(givenUpAfter(limits) * 1.1)}ms`],
    ['lock_timeout', `${lockTimeout}s`],
    ['idle_in_transaction_session_timeout', `${idleTransactionTimeout}s`],
  ];
}

/**
 * Returns the statement that sets the limits for the session. Behind a pooler, the statement does nothing, because the pooler may give the
 * server process with these settings to another client. A pooler is recognised by the number of the server process, which differs from the
 * number that the connection was told.
 * @param processID number of the server process, as the connection was told
 */
export function limitSession(limits: Limits, processID: number | null): string {
  const all = settingsOf(limits).map(([name, value]) => `set_config('${name}', '${value}', false)`);
  return `select ${all.join(', ')} where pg_backend_pid() = ${processID ?? 0}`;
}

/**
 * Stores the limits in PostgreSQL, for the role of this connection in this database. PostgreSQL then applies them to each new session of
 * the role. This is for a service behind a pooler, where `limitSession` does nothing. Resolves with the settings that were missing.
 */
export async function limitRole(database: Knex, limits: Limits): Promise<string[]> {
  const { rows } = await database.raw(
    `select unnest(setconfig) as setting from pg_db_role_setting where setrole = (select oid from pg_roles where rolname = current_user)
       and setdatabase = (select oid from pg_database where datname = current_database())`,
  );
  const present = new Set(rows.map(({ setting }: { setting: string }) => setting));
  const missing = settingsOf(limits).filter(([name, value]) => !present.has(`${name}=${value}`));
  const name = (await database.raw('select current_database() as name')).rows[0].name;
  for (const [setting, value] of missing)
    await database.raw(`alter role current_user in database ?? set ${setting} = '${value}'`, [name]);
  return missing.map(([setting, value]) => `${setting} = ${value}`);
}

/** Removes the limits from a transaction that may take long: a migration, a backup, a restore. */
export async function withoutLimits(transaction: Knex): Promise<void> {
  await transaction.raw(
    'set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local lock_timeout = 0',
  );
}
