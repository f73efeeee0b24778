// Compares the sign-in accounts that are linked to the directory with an edition.

import type { Collector } from '#import/collect/collector.ts';
import { openSnapshot, type Snapshot } from '#search-index/index.ts';
import { openAccountLinks } from '#store/accounts/links/account-links.ts';
import type { Database } from '#store/database/connection.ts';

/** State of the links of accounts in an edition. */
export interface LinkedAccountsReport {
  /** Accounts that are linked to something. */
  accounts: number;
  /** Links to a record that left the directory, that now belongs to another person or structure, or that was never there. */
  left: number;
  other: number;
  missing: number;
  /** Number of these links that this edition changes. `held` counts links that hold again. */
  changed: { left: number; other: number; held: number };
}

export interface LinkedAccounts {
  /**
   * Compares all accounts with an edition, and also with the current edition if it is another one. With `store` the result is stored, and
   * becomes valid when the edition is switched to.
   */
  compare(
    edition: { snapshot: Snapshot; before?: { id: string; snapshot?: Snapshot } },
    options: { store: boolean },
  ): Promise<LinkedAccountsReport>;
  /** Completes the comparison after the switch: for accounts that were changed meanwhile, and in the audit trail. */
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

/** Compares linked accounts with the current edition, for example after an upgrade: an earlier release may have loaded it. */
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

/** Marks the doubtful resources that sign-in accounts are linked to. */
export async function markLinkedResources(collector: Collector, database: Database): Promise<void> {
  const doubtful = collector.doubtful();
  const linked = await openAccountLinks(database).linkedIds(doubtful.map(({ reference }) => reference));
  for (const one of doubtful) if (linked.has(one.reference)) one.linked = true;
}
