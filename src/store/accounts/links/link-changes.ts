// Links of accounts that editions of the directory have changed: the edition of the change, and the editions in which they hold.

/** A record of the directory: `Practitioner/810000000001`, `Organization/F690000013`. */
export type Reference = `${'Practitioner' | 'Organization'}/${string}`;

/** Facts that distinguish a record from another person's or structure's with the same id. */
export interface RecordIdentity {
  given?: string;
  family?: string;
  /** Labels by code of the national terminology of professions. */
  professions?: Readonly<Record<string, string>>;
  /** Only a structure has this fact and the next one. */
  name?: string;
  postalCode?: string;
}

/**
 * `left`: the directory held the record but does not any more. `other`: the id belongs to another person or structure. `missing`: the
 * directory has never held it.
 */
export type ChangeKind = 'left' | 'other' | 'missing';

export interface LinkChange {
  change: ChangeKind;
  /** Id of the edition with which the change began. */
  since: string;
  /** Editions, including earlier ones, in which the link still holds. It does not hold in any later one. */
  holdsIn: readonly string[];
  /** The person or structure under the id now. */
  now?: RecordIdentity;
  /** Id of the only record of the same name that appeared when this one left. */
  successor?: string;
}

export type LinkChanges = Readonly<Partial<Record<Reference, LinkChange>>>;

/** The directory links of an account. */
export interface Links {
  practitioners: readonly string[];
  workspaces: readonly string[];
  currentWorkspace?: string;
}

/** All records to which an account is linked. */
export function referencesOf({ practitioners, workspaces }: Pick<Links, 'practitioners' | 'workspaces'>): Reference[] {
  return [
    ...practitioners.map((id): Reference => `Practitioner/${id}`),
    ...workspaces.map((id): Reference => `Organization/${id}`),
  ];
}

/** The change of a link in an edition; undefined while it holds. Without an edition, it is the last known change. */
export function changeIn(change: LinkChange | undefined, edition: string | undefined): LinkChange | undefined {
  return edition !== undefined && change?.holdsIn.includes(edition) ? undefined : change;
}

/** The change that suspends a link: applications are not told of it. A record that was never there may come with the next edition. */
export function suspension(change: LinkChange | undefined, edition: string | undefined): LinkChange | undefined {
  return change?.change === 'missing' ? undefined : changeIn(change, edition);
}
