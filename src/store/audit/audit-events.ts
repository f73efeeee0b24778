// The table of the audit trail, and the records that are made of events: text from strangers is cut to fit the table, and secrets are
// removed. Rows are added, searched, and removed after their time, but never changed. `audit-chain.ts` computes the digests that chain
// them.

import { AUDIT_EVENTS, type AuditActor, type AuditEvent, type AuditEventName } from '#shared/audit/events.ts';
import { redact } from '#shared/log/redaction.ts';
import { present } from '#shared/present.ts';
import { currentRequestId } from '#shared/request-context.ts';
import type { Database } from '#store/database/connection.ts';
import type { Row } from '#store/rows.ts';
import type { ChainedContent } from './audit-chain.ts';
import { pruneChain } from './chain-clean-up.ts';
import { openChainWriter } from './chain-writer.ts';

/** A stored record, in the form that `audit --json` prints. */
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
  /** Id of a request. There is no index for it, so all records are read, newest first. */
  request?: string;
  events?: readonly AuditEventName[];
  /** Only records with one of these addresses. */
  addresses?: readonly string[];
  /** Milliseconds since the epoch; `since` is inclusive, `until` exclusive. */
  since?: number;
  until?: number;
  /** Maximum number of records. The newest ones are returned. */
  limit: number;
}

const TABLE = 'audit_events';

export type AuditEvents = ReturnType<typeof openAuditEvents>;

/** Opens the audit trail of a database. A caller that adds records passes the operator's secrets, the first of which seals the records. */
export function openAuditEvents(database: Database, secrets: readonly string[] = []) {
  const chain = openChainWriter(database, secrets);
  return {
    /** Adds all records or none. Returns the end of the chain before and after the new records. */
    append: (records: readonly AuditRecord[]) => chain.append(records.map(contentOf)),
    /** Returns the newest records that match, at most `limit`, in the order of their time. */
    search: async (search: AuditSearch): Promise<AuditRecord[]> => {
      const { account, client, request, events, addresses, since, until, limit } = search;
      const query = database(TABLE).orderBy('at_ms', 'desc').orderBy('id', 'desc').limit(limit);
      if (account !== undefined) query.where('account_id', account);
      if (client !== undefined) query.where('client_id', client);
      if (request !== undefined) query.where('request_id', request);
      if (events !== undefined) query.whereIn('event', [...events]);
      if (addresses !== undefined) query.whereIn('address', [...addresses]);
      if (since !== undefined) query.where('at_ms', '>=', since);
      if (until !== undefined) query.where('at_ms', '<', until);
      return ((await query) as Row<'audit_events'>[]).reverse().map(recordOfRow);
    },
    prune: (before: number, most?: number) => pruneChain(database, secrets, before, most),
  };
}

/** Returns the columns of a record. */
export function contentOf(record: AuditRecord): ChainedContent {
  return {
    at_ms: Date.parse(record.time),
    event: record.event,
    outcome: record.outcome,
    actor: record.actor,
    account_id: record.account ?? null,
    client_id: record.client ?? null,
    address: record.address ?? null,
    request_id: record.requestId ?? null,
    details: record.details === undefined ? null : JSON.stringify(record.details),
  };
}

/** Reads a record from its columns, the reverse of `contentOf`. */
export function recordOfRow(row: Pick<Row<'audit_events'>, keyof ChainedContent>): AuditRecord {
  return present({
    time: new Date(Number(row.at_ms)).toISOString(),
    event: row.event as AuditEventName,
    outcome: row.outcome as AuditRecord['outcome'],
    actor: row.actor,
    account: row.account_id,
    client: row.client_id,
    address: row.address,
    requestId: row.request_id,
    details: row.details === null ? null : (JSON.parse(row.details) as Record<string, unknown>),
  });
}

/** Maximum characters of all details of a record together. The longest details are addresses of clients. */
const LONGEST_DETAILS = 2000;

/** Makes the record of an event that happens now, in the current request. `byDefault` is the actor if the event names none. */
export function recordOf({ event, details, ...about }: AuditEvent, byDefault: AuditActor): AuditRecord {
  const { account, client, address, actor = byDefault } = about;
  const requestId = currentRequestId();
  return {
    time: new Date().toISOString(),
    event,
    outcome: AUDIT_EVENTS[event][0],
    actor: storable(actor, 160),
    ...present({
      account: account && storable(account, 36),
      client: client && storable(client, 128),
      address: address && storable(address, 64),
      requestId: requestId && storable(requestId, 64),
      details: details && Object.keys(details).length > 0 ? storableDetails(details) : undefined,
    }),
  };
}

// Shortens a text, and removes NUL and halves of surrogate pairs, which PostgreSQL does not accept. A text with one of them would keep all
// records that are written together from being stored.
function storable(text: string, longest: number): string {
  const short = text.length > longest ? text.slice(0, longest) : text;
  return short.isWellFormed() && !short.includes('\0') ? short : short.toWellFormed().replaceAll('\0', '');
}

function storableDetails(details: object): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  let left = LONGEST_DETAILS;
  // A record with a shortened text gets the mark `more`, so that nobody can hide the rest of an edit behind a long beginning.
  const cut = (text: unknown) => {
    const whole = String(text);
    if (whole.length > left) kept['more'] = true;
    const part = storable(whole, left);
    left -= part.length;
    return part;
  };
  for (const [name, value] of Object.entries(redact(details) as object)) {
    if (left <= 0) kept['more'] = true;
    else if (typeof value === 'string') kept[name] = cut(value);
    else if (Array.isArray(value)) kept[name] = value.map(cut).filter((part) => part !== '');
    else if (value !== undefined) kept[name] = value;
  }
  return kept;
}
