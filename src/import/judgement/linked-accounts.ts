// Compares the sign-in accounts that are linked to the directory with an edition.

import type { Collector } from '#import/collect/collector.ts';
import { openSnapshot, type Snapshot } from '#search-index/index.ts';
import { openAccountLinks } from '#store/accounts/links/account-links.ts';
import type { Database } from '#store/database/connection.ts';

/** The state of the links of accounts in an edition. */
export interface LinkedAccountsReport {
  /** Number of accounts that have links. */
  accounts: number;
  /**
   * Number of links to a record that has left the directory, to one that now belongs to another person or structure, and to one that was
   * never there.
   */
  left: number;
  other: number;
  missing: number;
  /** Number of these links that changed with this edition. `held` counts links that hold again. */
  changed: { left: number; other: number; held: number };
}

/** The comparison of all accounts with an edition. `server/linked-accounts/linked-accounts.ts` implements it. */
export interface LinkedAccounts {
  /**
   * Compares all accounts with an edition, and also with the current edition if that is another one. With `store`, the result is stored; it
   * becomes valid with the switch to the edition.
   */
  compare(
    edition: { snapshot: Snapshot; before?: { id: string; snapshot?: Snapshot } },
    options: { store: boolean },
  ): Promise<LinkedAccountsReport>;
  /** Completes the comparison after the switch: adds accounts that were changed meanwhile, and writes the audit trail. */
  inForce(snapshot: Snapshot): Promise<void>;
}

/** Compares linked accounts with a finished snapshot, if `linkedAccounts` is given. */
export async function compareLinkedAccounts(
  linkedAccounts: LinkedAccounts | undefined,
  file: string,
  current: { entry: { id: string }; file?: string } | undefined,
  options: { store: boolean },
): Promise<LinkedAccountsReport | undefined> {
  if (!linkedAccounts) return undefined;
  await using snapshot = await openSnapshot(file);
  if (!current) return await linkedAccounts.compare({ snapshot }, options);
  await using inForce = current.file === undefined ? undefined : await openSnapshot(current.file);
  const before = { id: current.entry.id, ...(inForce && { snapshot: inForce }) };
  return await linkedAccounts.compare({ snapshot, before }, options);
}

/** Compares linked accounts with the current edition, for example after an upgrade: an earlier release may have imported it. */
export async function compareWithServed(
  linkedAccounts: LinkedAccounts | undefined,
  file: string,
): Promise<LinkedAccountsReport | undefined> {
  if (!linkedAccounts) return undefined;
  await using snapshot = await openSnapshot(file);
  const report = await linkedAccounts.compare({ snapshot }, { store: true });
  await linkedAccounts.inForce(snapshot);
  return report;
}

/** Marks the doubtful resources to which sign-in accounts are linked. */
export async function markLinkedResources(collector: Collector, database: Database): Promise<void> {
  const doubtful = collector.doubtful();
  const linked = await openAccountLinks(database).linkedIds(doubtful.map(({ reference }) => reference));
  for (const one of doubtful) if (linked.has(one.reference)) one.linked = true;
}
