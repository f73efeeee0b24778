// The table of the audit trail: rows are added, searched, and removed after their time; they are never changed.

import type { AuditEventName } from '../../shared/audit/events.ts';
import { type Database, ROWS_AT_ONCE } from '../database/connection.ts';
import { prepare, PLACEHOLDER as X } from '../database/prepared.ts';

/** A record as it is kept; also what `hygie audit --json` prints. */
export interface AuditRecord {
  /** UTC, RFC 3339 with milliseconds. */
  time: string;
  event: AuditEventName;
  outcome: 'success' | 'failure';
  actor: string;
  account?: string;
  client?: string;
  address?: string;
  requestId?: string;
  details?: Record<string, unknown>;
}

export interface AuditSearch {
  account?: string;
  client?: string;
  events?: readonly AuditEventName[];
  /** Any of these. */
  addresses?: readonly string[];
  /** Milliseconds since the epoch: from, inclusive; until, exclusive. */
  since?: number;
  until?: number;
  /** The newest so many. */
  limit: number;
}

export interface AuditEvents {
  /** Adds all or none. */
  append(records: readonly AuditRecord[]): Promise<void>;
  /** Oldest first. */
  search(search: AuditSearch): Promise<AuditRecord[]>;
  /** Removes some of what is older than `before` (milliseconds since the epoch); returns how many: 0 when that was all. */
  prune(before: number): Promise<number>;
}

const TABLE = 'audit_events';
const COLUMNS = ['at_ms', 'event', 'outcome', 'actor', 'account_id', 'client_id', 'address', 'request_id', 'details'];

/** Opens the audit trail of a database. */
export function openAuditEvents(database: Database): AuditEvents {
  // One statement with one value, whatever the number of rows: each engine reads them out of a JSON text.
  const insert = prepare(database, (knex) => knex.raw(insertStatement(knex), [X]));
  return {
    append: async (records) => {
      if (records.length > 0) await insert(JSON.stringify(records.map(rowOf)));
    },
    search: async ({ account, client, events, addresses, since, until, limit }) => {
      const query = database(TABLE).orderBy('at_ms', 'desc').orderBy('id', 'desc').limit(limit);
      if (account !== undefined) query.where('account_id', account);
      if (client !== undefined) query.where('client_id', client);
      if (events !== undefined) query.whereIn('event', [...events]);
      if (addresses !== undefined) query.whereIn('address', [...addresses]);
      if (since !== undefined) query.where('at_ms', '>=', since);
      if (until !== undefined) query.where('at_ms', '<', until);
      return ((await query) as Row[]).reverse().map(recordOf);
    },
    prune: (before) => {
      const old = database(TABLE).select('id').where('at_ms', '<', before).orderBy('at_ms').limit(ROWS_AT_ONCE);
      return database(TABLE).whereIn('id', old).delete();
    },
  };
}

function insertStatement(knex: Database): string {
  const head = `insert into ${TABLE} (${COLUMNS.join(', ')}) select`;
  if (knex.client.config.client === 'pg') {
    const typed = COLUMNS.map((name) => `${name} ${name === 'at_ms' ? 'bigint' : 'text'}`).join(', ');
    return `${head} ${COLUMNS.join(', ')} from json_to_recordset(cast(? as json)) as row(${typed})`;
  }
  return `${head} ${COLUMNS.map((name) => `value ->> '${name}'`).join(', ')} from json_each(?)`;
}

interface Row {
  at_ms: number | string;
  event: AuditEventName;
  outcome: 'success' | 'failure';
  actor: string;
  account_id: string | null;
  client_id: string | null;
  address: string | null;
  request_id: string | null;
  details: string | null;
}

function rowOf({ time, event, outcome, actor, account, client, address, requestId, details }: AuditRecord): Row {
  return {
    at_ms: Date.parse(time),
    event,
    outcome,
    actor,
    account_id: account ?? null,
    client_id: client ?? null,
    address: address ?? null,
    request_id: requestId ?? null,
    details: details === undefined ? null : JSON.stringify(details),
  };
}

function recordOf(row: Row): AuditRecord {
  return {
    time: new Date(Number(row.at_ms)).toISOString(),
    event: row.event,
    outcome: row.outcome,
    actor: row.actor,
    ...(row.account_id !== null && { account: row.account_id }),
    ...(row.client_id !== null && { client: row.client_id }),
    ...(row.address !== null && { address: row.address }),
    ...(row.request_id !== null && { requestId: row.request_id }),
    ...(row.details !== null && { details: JSON.parse(row.details) as Record<string, unknown> }),
  };
}
