// Writes audit events: they wait for at most a quarter of a second and are inserted together, each with a line in the log.

import { AUDIT_EVENTS, type AuditActor, type AuditEvent, type AuditTrail } from '../../shared/audit/events.ts';
import { currentRequestId, type Logger, logAudit } from '../../shared/log/log.ts';
import { redact } from '../../shared/log/redaction.ts';
import { networkOf } from '../../shared/network-prefix.ts';
import { AUDIT_REFUSAL_RULE, consume, memoryLimiter } from '../../shared/rate-limits.ts';
import type { AuditEvents, AuditRecord } from './audit-events.ts';

interface RunningTrail extends AuditTrail {
  /** Writes what waits; nothing may be recorded afterwards. */
  close(): Promise<void>;
}

interface TrailOptions {
  events: AuditEvents;
  log?: Logger;
  /** Who acts where an event does not say. */
  actor: AuditActor;
}

/** Milliseconds that a record waits for others. */
const TOGETHER_WITHIN = 250;
/** Milliseconds after which refusals that were only counted are written as one record for each network. */
const COUNTED_EVERY = 60_000;
/** While the database is unavailable; further records are in the log only. */
const MOST_WAITING = 10_000;
/** Characters of details. Addresses of clients are the longest of them. */
const LONGEST_DETAILS = 2000;

/**
 * The audit trail of a process. A killed process loses notes of its last quarter of a second; what was recorded is in the table
 * before the response is sent. While the database is unavailable, records wait and are written later.
 */
export function openAuditTrail({ events, log, actor }: TrailOptions): RunningTrail {
  const refusals = memoryLimiter(AUDIT_REFUSAL_RULE);
  /** Refusals beyond the limit, by network. Each costs a network more refusals in a minute than the limit: they stay few. */
  const counted = new Map<string, number>();
  let waiting: AuditRecord[] = [];
  let timer: NodeJS.Timeout | undefined;
  let counter: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let failing = false;
  let adding: Promise<unknown> = Promise.resolve();

  const write = async () => {
    const records = waiting;
    waiting = [];
    try {
      await events.append(records);
      failing = false;
    } catch (err) {
      if (!failing) log?.error({ err }, 'the audit trail cannot be written: it is tried again');
      failing = true;
      waiting = [...records, ...waiting].slice(-MOST_WAITING);
      later();
    }
  };
  // One statement at a time; who comes while it runs is in the next one.
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const next = (writing ?? Promise.resolve()).then(() => (waiting.length > 0 ? write() : undefined));
    const ended = next.finally(() => {
      if (writing === ended) writing = undefined;
    });
    writing = ended;
    return ended;
  };
  const later = () => {
    timer ??= setTimeout(() => flush(), TOGETHER_WITHIN).unref();
  };
  const flushCounted = (): Promise<void> => {
    clearTimeout(counter);
    counter = undefined;
    for (const [address, count] of counted) void add({ event: 'audit.counted', address, details: { count } });
    counted.clear();
    return flush();
  };
  // Whether it is to be written; refusals are counted first.
  const add = async (event: AuditEvent): Promise<boolean> => {
    const record = recordOf(event, actor);
    if (log) logAudit(log, record);
    if (record.outcome === 'failure' && event.address !== undefined && event.event !== 'audit.counted') {
      const network = networkOf(event.address);
      if ((await consume(refusals, network)) > 0) {
        counted.set(network, (counted.get(network) ?? 0) + 1);
        counter ??= setTimeout(flushCounted, COUNTED_EVERY).unref();
        return false;
      }
    }
    waiting.push(record);
    return true;
  };

  return {
    record: async (event) => {
      if (await add(event)) await flush();
    },
    note: (event) => {
      adding = add(event).then((kept) => kept && later());
    },
    close: async () => {
      await adding;
      await flushCounted();
      clearTimeout(timer);
    },
  };
}

function recordOf({ event, details, ...about }: AuditEvent, byDefault: AuditActor): AuditRecord {
  const { account, client, address, actor = byDefault } = about;
  const requestId = currentRequestId();
  return {
    time: new Date().toISOString(),
    event,
    outcome: AUDIT_EVENTS[event][0],
    actor: storable(actor, 160),
    ...(account && { account: storable(account, 36) }),
    ...(client && { client: storable(client, 128) }),
    ...(address && { address: storable(address, 64) }),
    ...(requestId !== undefined && { requestId: storable(requestId, 32) }),
    ...(details && { details: storableDetails(details) }),
  };
}

// PostgreSQL takes no NUL and no half of a character; one such text would keep all the others from being written.
function storable(text: string, longest: number): string {
  const short = text.length > longest ? text.slice(0, longest) : text;
  return short.isWellFormed() && !short.includes('\0') ? short : short.toWellFormed().replaceAll('\0', '');
}

function storableDetails(details: object): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  let left = LONGEST_DETAILS;
  const cut = (text: unknown) => {
    const part = storable(String(text), left);
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
