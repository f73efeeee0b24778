// Writes audit events. They wait for at most a quarter of a second, so that several are inserted together. Each event is also a line in the
// log.

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
  /** The store of records. The result of `append` shows whether the chain still ended where this process had left it. */
  events: { append(records: readonly AuditRecord[]): Promise<Appended | undefined> };
  log?: Logger;
  /** The actor of events that do not name one. */
  actor: AuditActor;
}

/** Milliseconds that a record waits, so that it is inserted together with others. */
const TOGETHER_WITHIN = 250;
/** Milliseconds after an event that is only counted (`record-counts.ts`) until a record with the count is made. */
const COUNTED_EVERY = 60_000;
/** Maximum waiting records while the database is unavailable. Records beyond that are only logged and counted. */
const MOST_WAITING = 10_000;

/**
 * Milliseconds between two log lines that give the head of the chain. The head is logged so that it can be kept outside the database: with
 * it, an operator finds out whether the end of the trail was cut off.
 */
const HEAD_EVERY = 600_000;

/** Records of one event that were dropped while the database was unavailable, because too many records were waiting. */
interface Dropped {
  count: number;
  /** Times of the first and of the last of these records. */
  from: string;
  until: string;
}

/**
 * Opens the audit trail of a process. An event that is passed to `record` is in the table before the response is sent. A killed process
 * loses the events that were passed to `note` in its last quarter of a second. It also loses its counts: of refusals in the last minute,
 * and of people's events in the last hour. While the database is unavailable, records wait and are written later. Records beyond
 * `MOST_WAITING` are counted by event, and the counts are written afterwards.
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
  // Records of counts are never dropped, because they are few, and each stands for many events.
  const wait = (record: AuditRecord) => {
    if (waiting.length < MOST_WAITING || record.event.startsWith('audit.')) waiting.push(record);
    else drop(record);
  };
  // The process remembers the last record that it has written. So it notices if somebody removes or changes records at the end of the
  // chain.
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
  // Only one statement runs at a time. Records that arrive while it runs are written by the next one.
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
  // While the database is unavailable, events are still counted, but no records are made of the counts. Waiting records would need more and
  // more memory, but counts do not.
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
  // Logs an event and adds its record to the waiting ones. Returns false if the event is beyond the limits, and is only logged and counted.
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
