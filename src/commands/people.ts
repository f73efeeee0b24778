// Owns what the command `accounts` may do to people: their accounts, the end of all they were given, and the record of it.
// Does not own the command (`accounts.ts`) nor any table (`src/store/`).

import type { AuditEvent, AuditEventName } from '../shared/audit.ts';
import { type Accounts, openAccounts } from '../store/accounts.ts';
import type { Database } from '../store/connection.ts';
import { openLogoutDeliveries } from '../store/logout-deliveries.ts';
import { openOidcRecords } from '../store/oidc-records.ts';
import { recordByOperator } from './audited.ts';

export interface People extends Accounts {
  /** Ends all sessions and tokens of an account; a running service tells the applications. */
  endAllOf(accountId: string): Promise<void>;
  /** Tells the audit trail what was done. */
  record(event: AuditEventName, account?: string, details?: AuditEvent['details']): Promise<void>;
}

/** The people of a migrated database. */
export function openPeople(database: Database): People {
  return {
    ...openAccounts(database),
    endAllOf: async (accountId) => {
      // Before they end: afterwards nobody knows which applications there were.
      await openLogoutDeliveries(database).addAllOf(accountId);
      await openOidcRecords(database).endAllOf(accountId);
    },
    record: (event, account, details) => recordByOperator(database, [{ event, account, details }]),
  };
}
