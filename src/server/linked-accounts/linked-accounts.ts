// Compares sign-in accounts with an edition that comes into force by an import, a rollback or a command. Records in the audit trail which
// links the edition suspends, and which links hold again.

import type { Settings } from '#config/settings.ts';
import type { LinkedAccounts, LinkedAccountsReport } from '#import/judgement/linked-accounts.ts';
import type { Snapshot } from '#search-index/index.ts';
import { recordAs } from '#server/audit/operator-audit.ts';
import type { AuditActor, AuditEvent } from '#shared/audit/events.ts';
import { openAccountLinks } from '#store/accounts/links/account-links.ts';
import { changeIn, referencesOf } from '#store/accounts/links/link-changes.ts';
import { type Database, epochSeconds } from '#store/database/connection.ts';
import { outlastFailOver } from '#store/database/outlast-fail-over.ts';
import { readSnapshot } from '#store/snapshots/folder.ts';
import {
  findSnapshot,
  listSnapshots,
  readPointer,
  recordLinksCompared,
  type SnapshotEntry,
} from '#store/snapshots/registry.ts';
import type { Edition, LinkEvent } from './compare-account.ts';
import { compareLinks, type LinkComparison, type LinkCounts, type LinkEvents } from './compare-links.ts';

type AccountsSettings = Pick<Settings, 'dataFolder' | 'keys'>;

/**
 * Opens the comparison of linked accounts with the edition of one import or rollback. `actor` is recorded with each change. If `compare` or
 * `inForce` fails, the failed one may be called again.
 */
export function openLinkedAccounts(database: Database, { keys }: AccountsSettings, actor: AuditActor): LinkedAccounts {
  const links = openAccountLinks(database);
  let begun = 0;
  const earlier: LinkEvents = new Map();
  const late: LinkEvents = new Map();
  return {
    compare: async (edition, { store }) => {
      begun = epochSeconds();
      const before = edition.before ?? (await beforeUnfinished(database, edition.snapshot));
      const kept = await keptEditions(database);
      const compared = { snapshot: edition.snapshot, kept, ...(before && { before }) };
      return reportOf(await compareLinks({ links, edition: compared, store, earlier }));
    },
    inForce: async (snapshot) => {
      const edition = { snapshot, kept: await keptEditions(database) };
      await compareLinks({ links, edition, accounts: links.pages(begun), earlier: late });
      await record(database, keys, actor, snapshot.id, [...earlier.values(), ...late.values()]);
      earlier.clear();
      late.clear();
      // The comparison is marked as finished at the end. If the process ends before that, the next comparison gives the same events again.
      await outlastFailOver(database, () => recordLinksCompared(database, snapshot.id));
    },
  };
}

/** Runs `change`, which puts a kept edition into force, and compares all accounts with that edition. */
export async function compareAroundSwitch<Result>(
  database: Database,
  settings: AccountsSettings,
  actor: AuditActor,
  { from, to }: { from: SnapshotEntry | undefined; to: SnapshotEntry | undefined },
  change: () => Promise<Result>,
): Promise<Result> {
  const { dataFolder } = settings;
  const linked = openLinkedAccounts(database, settings, actor);
  await readSnapshot(to, dataFolder, async (snapshot) => {
    const compare = (before?: Snapshot) => {
      const inForce = from && { id: from.id, ...(before && { snapshot: before }) };
      return linked.compare({ snapshot, ...(inForce && { before: inForce }) }, { store: true });
    };
    return (await readSnapshot(from, dataFolder, compare)) ?? compare();
  });
  const result = await change();
  await readSnapshot(to, dataFolder, linked.inForce);
  return result;
}

/** Counts the links that do not hold in an edition, by kind of change. Leaves out accounts that may not sign in. */
export async function countChangedLinks(database: Database, edition: string | undefined): Promise<LinkCounts> {
  const counts: LinkCounts = { left: 0, other: 0, missing: 0 };
  for await (const accounts of openAccountLinks(database).changed()) {
    for (const account of accounts) {
      for (const reference of referencesOf(account)) {
        const change = changeIn(account.linkChanges[reference], edition);
        if (change) counts[change.change] += 1;
      }
    }
  }
  return counts;
}

/**
 * Compares newly linked accounts with the edition in force. If another edition comes into force meanwhile, compares them with that edition
 * too. Does nothing without a directory.
 */
export async function compareNow(
  database: Database,
  { dataFolder, keys }: AccountsSettings,
  actor: AuditActor,
  ids: readonly string[],
): Promise<void> {
  const links = openAccountLinks(database);
  for (let compared: string | undefined; ; ) {
    const { current } = await readPointer(database);
    if (current === undefined || current === compared) return;
    const kept = await keptEditions(database);
    await readSnapshot(await findSnapshot(database, current), dataFolder, async (snapshot) => {
      const accounts = [await links.withIds(ids)];
      const { events } = await compareLinks({ links, edition: { snapshot, kept }, accounts });
      await record(database, keys, actor, current, events);
    });
    compared = current;
  }
}

async function keptEditions(database: Database): Promise<string[]> {
  return (await listSnapshots(database)).map(({ id }) => id);
}

/**
 * An import may end early, after its edition came into force, but before all accounts were compared and the changes recorded. In this case,
 * returns the edition before, so that the next comparison gives all changes since that edition again. Otherwise returns undefined.
 */
async function beforeUnfinished(database: Database, snapshot: Snapshot): Promise<Edition['before']> {
  const { current, previous } = await readPointer(database);
  if (current !== snapshot.id || previous === undefined) return undefined;
  const finished = (await findSnapshot(database, current))?.linksComparedAt !== undefined;
  // The id is that of the edition before, so that the changes since then are found again. The snapshot is that of the edition in force:
  // from it, the facts about the record of a new link are read, and such a link may have been made since this edition came into force.
  return finished ? undefined : { id: previous, snapshot };
}

/** Maximum number of records that are written to the audit trail together. */
const TOGETHER = 1000;

async function record(
  database: Database,
  keys: AccountsSettings['keys'],
  actor: AuditActor,
  edition: string,
  events: readonly LinkEvent[],
): Promise<void> {
  const records = events.map(({ account, change, reference, ...details }): AuditEvent => {
    if (change === 'held') {
      return { event: 'account.link-restored', account, details: { record: reference, edition, ...details } };
    }
    return { event: 'account.link-suspended', account, details: { record: reference, change, edition, ...details } };
  });
  for (let start = 0; start < records.length; start += TOGETHER) {
    await recordAs(actor, database, keys, records.slice(start, start + TOGETHER));
  }
}

function reportOf({ accounts, counts, events }: LinkComparison): LinkedAccountsReport {
  const changed = { left: 0, other: 0, held: 0 };
  for (const { change } of events) changed[change] += 1;
  return { accounts, ...counts, changed };
}
