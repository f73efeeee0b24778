// Reads the audit records of one account for its person, page by page and newest first.

import type { AuditEventName } from '#shared/audit/events.ts';
import type { Database } from '#store/database/connection.ts';
import type { Row } from '#store/rows.ts';
import { type AuditRecord, recordOfRow } from './audit-events.ts';

interface ActivityWanted {
  events: readonly AuditEventName[];
  /** Milliseconds since the epoch; older records are left out. */
  since: number;
  /**
   * Positions from `ActivityPage`. Only records older than `older`, or newer than `newer`, are wanted. A position that cannot be read is
   * ignored.
   */
  older?: string | undefined;
  newer?: string | undefined;
  limit: number;
}

interface ActivityPage {
  records: AuditRecord[];
  /** The positions from which the next older and the next newer page are read. A position is absent if there is no such page. */
  older?: string;
  newer?: string;
}

export interface AccountActivity {
  page(accountId: string, wanted: ActivityWanted): Promise<ActivityPage>;
}

/** Opens the activity of a database's accounts. */
export function openAccountActivity(database: Database): AccountActivity {
  const rowsFrom = async (
    accountId: string,
    wanted: ActivityWanted,
    place: Cursor | undefined,
    order: 'asc' | 'desc',
  ) => {
    const { events, since, limit } = wanted;
    const query = database('audit_events')
      .where('account_id', accountId)
      .whereIn('event', [...events]);
    query.where('at_ms', '>=', since).orderBy('at_ms', order).orderBy('id', order).limit(limit);
    const beyond = order === 'asc' ? '>' : '<';
    if (place) {
      // The first condition can use the index. The second one compares the ids of records of the same millisecond.
      query.where('at_ms', `${beyond}=`, place.at).where((either) => {
        either.where('at_ms', beyond, place.at).orWhere('id', beyond, place.id);
      });
    }
    return (await query) as Row<'audit_events'>[];
  };
  return {
    page: async (accountId, wanted) => {
      const [older, newer] = [readCursor(wanted.older), readCursor(wanted.newer)];
      const backwards = older === undefined && newer !== undefined;
      const one = { ...wanted, limit: wanted.limit + 1 };
      const found = await rowsFrom(accountId, one, older ?? newer, backwards ? 'asc' : 'desc');
      const more = found.length > wanted.limit;
      const rows = found.slice(0, wanted.limit);
      if (backwards) rows.reverse();
      const [first, last] = [rows[0], rows.at(-1)];
      const hasOlder = backwards || more;
      const hasNewer = backwards ? more : older !== undefined;
      return {
        records: rows.map(recordOfRow),
        ...(last && hasOlder && { older: cursorOf(last) }),
        ...(first && hasNewer && { newer: cursorOf(first) }),
      };
    },
  };
}

interface Cursor {
  at: number;
  id: string;
}

function cursorOf({ at_ms, id }: Row<'audit_events'>): string {
  return `${at_ms}-${id}`;
}

function readCursor(cursor: string | undefined): Cursor | undefined {
  const [, at, id] = /^(\d{1,15})-(\d{1,15})$/.exec(cursor ?? '') ?? [];
  return at === undefined || id === undefined ? undefined : { at: Number(at), id };
}
