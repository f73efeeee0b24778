// Writes audit events. They wait for at most a quarter of a second and are inserted together, each with a line in the log.

import type { AuditActor, AuditEvent, AuditEventName, AuditTrail } from '#shared/audit/events.ts';
import { limitReached } from '#shared/limits-reached.ts';
import { type Logger, logAudit } from '#shared/log/log.ts';
import { type ChainHead, headText } from './audit-chain.ts';
import { type AuditRecord, recordOf } from './audit-events.ts';
import type { Appended } from './chain-writer.ts';
import { createAccountCounts, createRefusalCounts } from './record-counts.ts';

interface RunningTrail extends AuditTrail {
  /** Writes waiting events. Nothing may be recorded afterwards. Resolves with the number of records that the database did not accept. */
  close(): Promise<number>;
  /**
   * Returns the number of waiting records, and the number of records that were dropped for lack of room since the database was last
   * available.
   */
  backlog(): { waiting: number; dropped: number };
}

interface TrailOptions {
  /** The store of records. Its result tells whether the chain continues where it was left. */
  events: { append(records: readonly AuditRecord[]): Promise<Appended | undefined> };
  log?: Logger;
  /** The actor of events that name none. */
  actor: AuditActor;
}

/** Milliseconds that a record waits for others. */
const TOGETHER_WITHIN = 250;
/** Milliseconds after which counts are written. */
const COUNTED_EVERY = 60_000;
/** Maximum waiting records while the database is unavailable. Further ones are only logged and counted. */
const MOST_WAITING = 10_000;

/** Milliseconds between two lines of the log that have the head of the chain, so that it can be kept elsewhere. */
const HEAD_EVERY = 600_000;

/** Records that found no room while the database was unavailable. */
interface Dropped {
  count: number;
  /** Times of the first and of the last of these records. */
  from: string;
  until: string;
}

/**
 * Opens the audit trail of a process. A recorded event is in the table before the response is sent. A killed process loses notes of its
 * last quarter of a second and its counts: refusals of the last minute, people's events of the last hour. While the database is
 * unavailable, records wait and are written later. Those beyond `MOST_WAITING` are counted by event, and the count is written afterwards.
 */
export function openAuditTrail({ events, log, actor }: TrailOptions): RunningTrail {
  const refusals = createRefusalCounts();
  const ofAccounts = createAccountCounts();
  const dropped = new Map<AuditEventName, Dropped>();
  let waiting: AuditRecord[] = [];
  let timer: NodeJS.Timeout | undefined;
  let counter: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let failing = false;
  /** The head of the chain as this process left it. */
  let head: ChainHead | undefined;
  let headLogged = -HEAD_EVERY;

  const drop = ({ event, time }: AuditRecord) => {
    const { count, from } = dropped.get(event) ?? { count: 0, from: time };
    dropped.set(event, { count: count + 1, from, until: time });
  };
  // Records of counts always wait: they are few, and stand for many events.
  const wait = (record: AuditRecord) => {
    if (waiting.length < MOST_WAITING || record.event.startsWith('audit.')) waiting.push(record);
    else drop(record);
  };
  // A running service remembers the last record, and so notices when records are removed behind its back.
  const follow = ({ found, head: left }: Appended) => {
    if (
      head &&
      (found.sequence < head.sequence || (found.sequence === head.sequence && found.digest !== head.digest))
    ) {
      const details = { expected: headText(head), found: headText(found) };
      log?.error(details, 'records at the end of the audit trail were removed or changed');
      wait(logged({ event: 'audit.cut', details }));
      later();
    }
    head = left;
    if (performance.now() - headLogged < HEAD_EVERY) return;
    headLogged = performance.now();
    log?.info({ head: headText(head) }, 'audit head');
  };
  const write = async () => {
    const records = waiting;
    waiting = [];
    try {
      const appended = await events.append(records);
      if (appended) follow(appended);
      if (failing) log?.info('the audit trail is written again');
      failing = false;
      for (const [of, lost] of dropped) wait(logged({ event: 'audit.dropped', details: { of, ...lost } }));
      if (dropped.size > 0) later();
      dropped.clear();
    } catch (err) {
      if (!failing) log?.error({ err }, 'the audit trail cannot be written: it is tried again');
      failing = true;
      const all = [...records, ...waiting];
      waiting = [];
      for (const record of all) wait(record);
      later();
    }
  };
  // One statement runs at a time. Records that arrive meanwhile are in the next one.
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
  const countLater = () => {
    counter ??= setTimeout(() => flushCounted(false), COUNTED_EVERY).unref();
  };
  // While the database is unavailable, events are counted, but the counts make no records yet: counts need no more room, records would.
  const flushCounted = (all: boolean): Promise<void> => {
    clearTimeout(counter);
    counter = undefined;
    if (failing) countLater();
    else {
      const { events, pending } = ofAccounts.take(all);
      for (const event of [...refusals.take(), ...events]) wait(logged(event));
      if (pending) countLater();
    }
    return flush();
  };
  const logged = (event: AuditEvent): AuditRecord => {
    const record = recordOf(event, actor);
    if (log) logAudit(log, record);
    return record;
  };
  // People's own events are limited by account. A refusal is limited by account only if the person proved their identity, so that others
  // cannot use up that account's share.
  const keeps = ({ event, account, address }: AuditEvent, { outcome, actor: by }: AuditRecord): boolean => {
    const refusal = outcome === 'failure' && address !== undefined;
    const own = account !== undefined && (refusal ? by.startsWith('account:') : !by.startsWith('operator:'));
    return (!own || ofAccounts.keeps(event, account)) && (!refusal || refusals.keeps(event, address));
  };
  // Tells whether the event is to be written. Beyond the limits it is only counted and logged.
  const add = (event: AuditEvent): boolean => {
    const record = logged(event);
    if (!keeps(event, record)) {
      limitReached('audit-records');
      countLater();
      return false;
    }
    wait(record);
    return true;
  };

  return {
    backlog: () => ({
      waiting: waiting.length,
      dropped: dropped.values().reduce((sum, { count }) => sum + count, 0),
    }),
    record: async (event) => {
      if (add(event)) await flush();
    },
    note: (event) => {
      if (add(event)) later();
    },
    close: async () => {
      failing = false;
      await flushCounted(true);
      clearTimeout(timer);
      if (waiting.length > 0) {
        const counts = { records: waiting.length, dropped: Object.fromEntries(dropped) };
        log?.error(counts, 'the audit trail ends without records that are in the log only');
      }
      return waiting.length;
    },
  };
}
