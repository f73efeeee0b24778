// Compares the links of one account with an edition of the directory. A link holds in an edition if the edition has the linked record, and
// the record still belongs to the same person or structure. The comparison finds which links hold. For every other link, it finds the
// edition since which the link has not held.

import type { Snapshot } from '#search-index/index.ts';
import { present } from '#shared/present.ts';
import type { KnownLinks, LinkedAccount } from '#store/accounts/links/account-links.ts';
import {
  type ChangeKind,
  changeIn,
  type LinkChange,
  type RecordIdentity,
  type Reference,
  referencesOf,
} from '#store/accounts/links/link-changes.ts';
import { findSuccessor, identityText, isAnother } from './same-record.ts';

/** An edition with which accounts are compared. */
export interface Edition {
  snapshot: Snapshot;
  /**
   * The edition with which `snapshot` is compared, to find what has changed. Absent if there is nothing to compare. There are two cases:
   * - `snapshot` is not in force yet: this is the edition in force. `before.snapshot` is missing if the file of that edition cannot be read.
   * - `snapshot` is in force, but its comparison with the edition before was not finished (`beforeUnfinished`): `before.id` is the id of
   *   the edition before. `before.snapshot` is `snapshot` itself, in place of that edition's file, which may be gone.
   */
  before?: { id: string; snapshot?: Snapshot };
  /** Ids of all snapshots that are kept. */
  kept: readonly string[];
}

/** Reads the facts about the person or structure that has an id in a snapshot. Returns undefined if nobody has the id there. */
export type ReadIdentity = (snapshot: Snapshot, reference: Reference) => Promise<RecordIdentity | undefined>;

/** A change of one link of an account. */
export interface LinkEvent {
  account: string;
  reference: Reference;
  /** `held` means that a broken link holds again. The other values are kinds of change (`ChangeKind`). */
  change: 'left' | 'other' | 'held';
  /** `was` describes the person or structure that had the id before, `now` the one that has it now. */
  was?: string;
  now?: string;
  successor?: string;
}

interface Compared {
  known: KnownLinks;
  /** One kind of change for each link that does not hold in this edition. */
  changes: ChangeKind[];
  events: LinkEvent[];
}

/** Compares one account with an edition. */
export async function compareAccount(account: LinkedAccount, edition: Edition, read: ReadIdentity): Promise<Compared> {
  const linkedAs: Partial<Record<Reference, RecordIdentity>> = {};
  const linkChanges: Partial<Record<Reference, LinkChange>> = {};
  const compared: Compared = { known: { linkedAs, linkChanges }, changes: [], events: [] };
  const inForce = edition.before ? edition.before.snapshot : edition.snapshot;
  for (const reference of referencesOf(account)) {
    // For a new link, the database may have no facts about the linked record yet. The link is then compared with the record in the edition
    // in force, so that a change from that edition to this one is noticed.
    const as = account.linkedAs[reference] ?? (inForce && (await read(inForce, reference)));
    const now = await read(edition.snapshot, reference);
    const change = await changeOf(reference, edition, as, now);
    // A fact that this edition lacks is kept from before. For example, the column of the profession may be empty for a day.
    if (as) linkedAs[reference] = change ? as : { ...as, ...now };
    if (change) compared.changes.push(change);

    const stored = account.linkChanges[reference];
    const before = changeIn(stored, edition.before?.id ?? edition.snapshot.id);
    const next = change
      ? await nextChange({ change, before, stored, edition, as, now, reference })
      : withoutEdition(stored, edition);
    if (next) linkChanges[reference] = next;

    const kind = eventKind(before?.change, change);
    if (!kind) continue;
    const [was, is] = [as && identityText(as), now && identityText(now)];
    const details = present({ was, now: is, successor: next?.successor });
    compared.events.push({ account: account.id, reference, change: kind, ...details });
  }
  return compared;
}

async function changeOf(
  reference: Reference,
  { snapshot }: Edition,
  as: RecordIdentity | undefined,
  now: RecordIdentity | undefined,
): Promise<ChangeKind | undefined> {
  if (now) return as && isAnother(as, now) ? 'other' : undefined;
  const [type, id] = reference.split('/') as ['Practitioner' | 'Organization', string];
  return as || (await snapshot.gone(type, id)) ? 'left' : 'missing';
}

interface Found {
  reference: Reference;
  edition: Edition;
  change: ChangeKind;
  /**
   * `stored` is the change that the database has for the link. `before` is the same change, or undefined if the link held in the edition in
   * force.
   */
  before: LinkChange | undefined;
  stored: LinkChange | undefined;
  as: RecordIdentity | undefined;
  now: RecordIdentity | undefined;
}

/**
 * Returns the change to store for a link that does not hold in this edition. If this edition adds nothing to the stored change, the stored
 * change itself is returned.
 */
async function nextChange({ reference, edition, change, before, stored, as, now }: Found): Promise<LinkChange> {
  const { snapshot, kept } = edition;
  if (before?.change === change && !before.holdsIn.includes(snapshot.id) && sameJson(before.now, now)) return before;
  const others = kept.filter((id) => id !== snapshot.id);
  const goesOn = before?.change === change ? before : undefined;
  // If an earlier comparison with this edition was not finished, it may have stored this change already. Then the stored successor is used.
  const again = stored?.change === change && stored.since === snapshot.id ? stored : undefined;
  const source = edition.before?.snapshot;
  const successor =
    (goesOn ?? again)?.successor ??
    (change === 'left' && as && source ? await findSuccessor(reference, as, { snapshot, before: source }) : undefined);
  return {
    change,
    since: goesOn?.since ?? snapshot.id,
    holdsIn: stored ? others.filter((id) => stored.holdsIn.includes(id)) : others,
    ...(now && { now }),
    ...(successor !== undefined && { successor }),
  };
}

/**
 * Returns the change to store for a link that holds in this edition, but not in all kept editions; undefined if it holds in all of them.
 */
function withoutEdition(stored: LinkChange | undefined, { snapshot, kept }: Edition): LinkChange | undefined {
  if (!stored) return undefined;
  const holdsIn = kept.filter((id) => id !== snapshot.id && stored.holdsIn.includes(id));
  const others = kept.filter((id) => id !== snapshot.id).length;
  return holdsIn.length === others ? undefined : { ...stored, holdsIn: [...holdsIn, snapshot.id] };
}

function eventKind(before: ChangeKind | undefined, change: ChangeKind | undefined): LinkEvent['change'] | undefined {
  if (change === 'left' || change === 'other') return change === before ? undefined : change;
  return before === 'left' || before === 'other' ? 'held' : undefined;
}

function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
