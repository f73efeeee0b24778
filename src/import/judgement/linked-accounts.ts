// Compares the sign-in accounts that are linked to records of the directory with an edition.

import type { Collector } from '#import/collect/collector.ts';
import { openSnapshot, type Snapshot } from '#search-index/index.ts';
import { openAccountLinks } from '#store/accounts/links/account-links.ts';
import type { Database } from '#store/database/connection.ts';

/** The states of the links between accounts and records, in one edition. */
export interface LinkedAccountsReport {
  /** Number of accounts that have links. */
  accounts: number;
  /**
   * Numbers of broken links: `left` if the record is no longer in the directory, `other` if it now belongs to another person or structure,
   * `missing` if it was never in the directory.
   */
  left: number;
  other: number;
  missing: number;
  /** Numbers of links that changed their state with this edition. `held` counts the links that were broken and hold again. */
  changed: { left: number; other: number; held: number };
}

/** Compares all accounts with an edition. `server/linked-accounts/linked-accounts.ts` implements it. */
export interface LinkedAccounts {
  /**
   * Compares the links of all accounts with an edition, and also with the edition in force (`before`) if that is another edition. With
   * `store`, the new states of the links are stored, and take effect with the switch to the edition.
   */
  compare(
    edition: { snapshot: Snapshot; before?: { id: string; snapshot?: Snapshot } },
    options: { store: boolean },
  ): Promise<LinkedAccountsReport>;
  /**
   * Call this after the switch. It compares the accounts that were changed since `compare` began, and writes all changes to the audit
   * trail.
   */
  inForce(snapshot: Snapshot): Promise<void>;
}

/** Compares the linked accounts with a finished snapshot. Returns undefined if there is no `linkedAccounts`. */
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

/**
 * Compares the linked accounts with the edition in force. This is needed after an upgrade, for example, because an earlier release may have
 * imported the edition without a comparison. Returns undefined if there is no `linkedAccounts`.
 */
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

/** Sets `linked` on each resource that may be wrong (`DoubtfulResource` in `collector.ts`) and to which a sign-in account is linked. */
export async function markLinkedResources(collector: Collector, database: Database): Promise<void> {
  const doubtful = collector.doubtful();
  const linked = await openAccountLinks(database).linkedIds(doubtful.map(({ reference }) => reference));
  for (const one of doubtful) if (linked.has(one.reference)) one.linked = true;
}
