// Adds records to the chain, in a transaction that locks the row of the chain's head, so that the chain stays one line, however many
// processes and instances write. `chain-clean-up.ts` removes old records from its beginning.

import type BetterSqlite3 from 'better-sqlite3';
import { openSeals } from '#shared/crypto/seals.ts';
import { type Database, isPostgres } from '#store/database/connection.ts';
import { tracedQuery } from '#store/database/trace-queries.ts';
import { type ChainedContent, type ChainHead, nextDigest, sealedRecord } from './audit-chain.ts';

const COLUMNS = {
  at_ms: 'bigint',
  event: 'text',
  outcome: 'text',
  actor: 'text',
  account_id: 'text',
  client_id: 'text',
  address: 'text',
  request_id: 'text',
  details: 'text',
  sequence: 'bigint',
  digest: 'text',
  seal: 'text',
} as const;

type LinkedRow = ChainedContent & ChainHead & { seal: string | null };

/** The state before and after an append. */
export interface Appended {
  /** The last record before the append. */
  found: ChainHead;
  head: ChainHead;
}

type Link = (found: ChainHead) => LinkedRow[];

/** Opens the chain of a database for writing. `secrets` are passed on to `openSeals`. */
export function openChainWriter(database: Database, secrets: readonly string[]) {
  const add = isPostgres(database) ? addOnPostgres(database) : addOnSqlite(database);
  return {
    /** Adds all records or none. */
    append: async (contents: readonly ChainedContent[]): Promise<Appended> => {
      // The key is derived only for a write, because that takes some 60 ms at the first time, and readers of the trail need no key.
      const { seal } = await openSeals(secrets);
      const link = (found: ChainHead) => {
        let head = found;
        return contents.map((content) => {
          head = { sequence: head.sequence + 1, digest: nextDigest(head, content) };
          return { ...content, ...head, seal: seal(sealedRecord(head)) ?? null };
        });
      };
      return tracedQuery(database, INTO, () => add(link)).catch((error: unknown) => {
        // Knex emits this event only for statements that Knex itself runs, so the failure of this one is reported here.
        database.client.emit('query-error', error, {});
        throw error;
      });
    },
  };
}

const NAMES = Object.keys(COLUMNS) as (keyof typeof COLUMNS)[];
const INTO = `insert into audit_events (${NAMES.join(', ')})`;

const HEAD = 'select sequence, digest from audit_chain where id = 1';

// Reads the head, links the records and writes them synchronously. So nothing else in this process runs meanwhile, and other processes
// wait.
function addOnSqlite(database: Database) {
  const { client } = database;
  let prepared: { connection: BetterSqlite3.Database; add(link: Link): Appended } | undefined;
  const prepareOn = (connection: BetterSqlite3.Database) => {
    const head = connection.prepare(HEAD);
    const insert = connection.prepare(`${INTO} values (${NAMES.map(() => '?').join(', ')})`);
    const advance = connection.prepare('update audit_chain set sequence = ?, digest = ? where id = 1');
    const add = (link: Link) =>
      connection
        .transaction(() => {
          const found = headOf(head.get());
          const rows = link(found);
          const last = rows.at(-1) ?? found;
          // A single statement for all rows would have to read them out of JSON, which takes twice as long.
          for (const row of rows) insert.run(...NAMES.map((name) => row[name]));
          advance.run(last.sequence, last.digest);
          return { found, head: { sequence: last.sequence, digest: last.digest } };
        })
        .immediate();
    return { connection, add };
  };
  return async (link: Link): Promise<Appended> => {
    const connection = await client.acquireConnection();
    try {
      if (!prepared || prepared.connection !== connection) prepared = prepareOn(connection);
      return prepared.add(link);
    } finally {
      client.releaseConnection(connection);
    }
  };
}

/** The members of node-postgres that are used here. */
interface PostgresConnection {
  query(text: string): Promise<{ rows: unknown[] }[] | { rows: unknown[] }>;
  query(query: { name: string; text: string; values: unknown[] }): Promise<unknown>;
}

// The lock on the head ends with the connection. If a process hangs while it holds the lock, PostgreSQL ends its connection after 5000
// milliseconds, so that the process does not delay the refusals of other processes.
const LOCK = `set local idle_in_transaction_session_timeout = 5000; set local lock_timeout = 10000; ${HEAD} for update`;
const TYPED = Object.entries(COLUMNS).map(([name, type]) => `${name} ${type}`);
const ROWS = `select ${NAMES.join(', ')} from json_to_recordset(cast($1 as json)) as row(${TYPED.join(', ')}) order by sequence`;
const ADD = {
  name: 'hygie_audit_append',
  text: `with added as (${INTO} ${ROWS}) update audit_chain set sequence = $2, digest = $3 where id = 1`,
};

// The lock on the head lasts for two round trips, during which other instances wait. Within a larger transaction, it lasts until the end of
// that transaction.
function addOnPostgres(database: Database) {
  const { client, isTransaction: isPart = false } = database;
  return async (link: Link): Promise<Appended> => {
    const connection: PostgresConnection = await client.acquireConnection();
    try {
      const begun = (await connection.query(isPart ? LOCK : `begin; ${LOCK}`)) as { rows: unknown[] }[];
      const found = headOf(begun.at(-1)?.rows[0]);
      const rows = link(found);
      const last = rows.at(-1) ?? found;
      const added = connection.query({ ...ADD, values: [JSON.stringify(rows), last.sequence, last.digest] });
      // The commit is sent together with the insert, before the result of the insert is known. If the insert fails, PostgreSQL rolls back
      // at the commit.
      await Promise.all([added, isPart || connection.query('commit')]);
      return { found, head: { sequence: last.sequence, digest: last.digest } };
    } catch (error) {
      if (!isPart) await connection.query('rollback').catch(() => {});
      throw error;
    } finally {
      client.releaseConnection(connection);
    }
  };
}

function headOf(row: unknown): ChainHead {
  if (!row) throw new Error('the chain of the audit trail has no head: the row of the table audit_chain is gone');
  const { sequence, digest } = row as { sequence: number | string; digest: string };
  return { sequence: Number(sequence), digest };
}
