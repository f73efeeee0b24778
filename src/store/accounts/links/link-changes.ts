// Changes that editions of the directory made to the links of accounts: the edition in which a change began, and the editions in which the
// link holds.

/** A record of the directory: `Practitioner/810000000001`, `Organization/F690000013`. */
export type Reference = `${'Practitioner' | 'Organization'}/${string}`;

/** Facts that show whether a record with the same id still belongs to the same person or structure. */
export interface RecordIdentity {
  given?: string;
  family?: string;
  /** Labels by code of the national terminology of professions. */
  professions?: Readonly<Record<string, string>>;
  /** Structures have this name and the postal code below; people have neither. */
  name?: string;
  postalCode?: string;
}

/**
 * `left`: the record is no longer in the directory. `other`: the id belongs to another person or structure. `missing`: the record has never
 * been in the directory.
 */
export type ChangeKind = 'left' | 'other' | 'missing';

export interface LinkChange {
  change: ChangeKind;
  /** Id of the edition with which the change began. */
  since: string;
  /** Ids of the editions in which the link holds, such as earlier ones. In all other editions, the link does not hold. */
  holdsIn: readonly string[];
  /** The person or structure that the id stands for now. */
  now?: RecordIdentity;
  /** Id of the record that may replace this one: the only record of the same name that appeared when this one left. */
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

/**
 * Returns the change of a link if the link does not hold in the edition; undefined if it holds. Without an edition, returns the last known
 * change.
 */
export function changeIn(change: LinkChange | undefined, edition: string | undefined): LinkChange | undefined {
  return edition !== undefined && change?.holdsIn.includes(edition) ? undefined : change;
}

/**
 * Returns the change that suspends a link; undefined if the link is not suspended. Applications are not told of a suspended link. A
 * `missing` record does not suspend its link, because the record may come with the next edition.
 */
export function suspension(change: LinkChange | undefined, edition: string | undefined): LinkChange | undefined {
  return change?.change === 'missing' ? undefined : changeIn(change, edition);
}
