// Corrections by the operator: rows that say which records, mailboxes, telephones and addresses of the directory are hidden. A serving
// process notices changes within a second.

import { present } from '#shared/present.ts';
import { repeat, sparingly } from '#shared/promises.ts';
import { type Database, dateOf, epochSeconds } from '#store/database/connection.ts';
import type { Row } from '#store/rows.ts';

export interface Correction {
  id: number;
  /** `Practitioner/ID` or `Organization/ID`. */
  record: string;
  what: 'record' | 'mailbox' | 'phone' | 'address';
  /**
   * Key of the hidden mailbox, phone or address. Absent if all mailboxes, phones or addresses of the record are hidden, or the record
   * itself.
   */
  value?: string;
  reason: string;
  madeBy: string;
  madeAt: Date;
  endsAt?: Date;
  /** Absent while the correction is in force. */
  endedAt?: Date;
  /** Absent if nobody ended the correction, because its time had come. */
  endedBy?: string;
}

export type NewCorrection = Pick<Correction, 'record' | 'what' | 'value' | 'reason' | 'madeBy' | 'endsAt'>;

/** All corrections as they are at one time. */
export interface Corrections {
  all: readonly Correction[];
  /** A text that changes whenever a correction is made or ends. */
  state: string;
  /** The records that are hidden as a whole. */
  hidden: ReadonlySet<string>;
}

interface WatchedCorrections {
  current(): Corrections;
  /** Looks for changes at once. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Returns the second with which a change is dated. It is the next second, because instances notice the change up to a second later. A
 * resource must not be dated before the moment at which it is first served with the change. Otherwise a client that searches by
 * `_lastUpdated` for what changed since its last search could miss it.
 */
const nextSecond = () => epochSeconds() + 1;

const TABLE = 'directory_corrections';

/** Adds corrections, and returns them. */
export function addCorrections(database: Database, corrections: readonly NewCorrection[]): Promise<Correction[]> {
  const rows = corrections.map(({ record, what, value = null, reason, madeBy, endsAt }) => ({
    record,
    what,
    value,
    reason,
    made_by: madeBy,
    made_at: nextSecond(),
    ends_at: endsAt ? Math.floor(endsAt.getTime() / 1000) : null,
  }));
  return changed(database(TABLE).insert(rows));
}

/** Ends corrections that are in force, and returns them. */
export function endCorrections(database: Database, ids: readonly number[], endedBy: string): Promise<Correction[]> {
  const inForce = database(TABLE).whereIn('id', ids).whereNull('ended_at');
  return changed(inForce.update({ ended_at: nextSecond(), ended_by: endedBy }));
}

/** Marks expired corrections as ended, and returns them. */
export function endExpired(database: Database): Promise<Correction[]> {
  const expired = database(TABLE).whereNull('ended_at').where('ends_at', '<=', epochSeconds());
  return changed(expired.update({ ended_at: database.ref('ends_at') }));
}

/**
 * Removes all corrections of a record if none of them is in force, and none has ended in the last `keep` seconds. Afterwards, the record
 * has the version, the date and the content of the register again.
 */
export async function removeEnded(database: Database, keep: number): Promise<void> {
  const since = epochSeconds() - keep;
  const needed = database(TABLE).select('record').whereNull('ended_at').orWhere('ended_at', '>', since);
  await database(TABLE).whereNotIn('record', needed).delete();
}

async function changed(change: ReturnType<Database>): Promise<Correction[]> {
  return ((await change.returning('*')) as Row<typeof TABLE>[]).map(correctionIn);
}

/** Lists all corrections, including those that have ended. */
export async function listCorrections(database: Database): Promise<Correction[]> {
  const rows: Row<typeof TABLE>[] = await database(TABLE).orderBy('id');
  return rows.map(correctionIn);
}

function correctionIn(row: Row<typeof TABLE>): Correction {
  const endsAt = row.ends_at === null ? undefined : dateOf(row.ends_at);
  // A correction has ended once its time has come, even if the clean-up has not marked it yet.
  const expired = endsAt !== undefined && endsAt.getTime() <= Date.now() ? endsAt : undefined;
  const endedAt = row.ended_at === null ? expired : dateOf(row.ended_at);
  return present({
    id: row.id,
    record: row.record,
    what: row.what as Correction['what'],
    value: row.value,
    reason: row.reason,
    madeBy: row.made_by,
    madeAt: dateOf(row.made_at),
    endsAt,
    endedAt,
    endedBy: row.ended_by,
  });
}

/** Returns the records, as `Practitioner/ID` or `Organization/ID`, that corrections now hide as a whole. */
export function hiddenRecords(corrections: readonly Correction[]): ReadonlySet<string> {
  return new Set(corrections.filter(({ what, endedAt }) => what === 'record' && !endedAt).map(({ record }) => record));
}

interface WatchOptions {
  database: Database;
  /** Milliseconds between two looks at the table; 1000 by default. */
  everyMs?: number | undefined;
  onError?: (error: Error) => void;
}

/**
 * Reads the corrections, and follows their changes until closed. Rejects if the database does not answer at the first reading. If the
 * database does not answer later, the corrections that were read last stay in force.
 */
export async function watchCorrections(options: WatchOptions): Promise<WatchedCorrections> {
  const { database, everyMs = 1000, onError = () => {} } = options;
  let current: Corrections = { all: [], state: '', hidden: new Set() };
  let mark = '';
  const look = async () => {
    // Ids are never given again, and ended corrections never come back into force. So each change also changes at least one of these
    // numbers.
    const counts = JSON.stringify(await database(TABLE).count({ made: '*', ended: 'ended_at' }).max({ last: 'id' }));
    const isOver = ({ endsAt, endedAt }: Correction) => !endedAt && endsAt && endsAt.getTime() <= Date.now();
    if (counts === mark && !current.all.some(isOver)) return;
    const all = await listCorrections(database);
    const over = all.filter(({ endedAt }) => endedAt).length;
    current = { all, state: `${all.at(-1)?.id ?? 0}.${all.length}.${over}`, hidden: hiddenRecords(all) };
    mark = counts;
  };
  await look();
  const looks = repeat(look, everyMs, sparingly(onError));
  return { current: () => current, refresh: looks.now, close: looks.stop };
}
