// Links of accounts that editions of the directory have changed: since which one, and in which ones they hold.

/** A record of the directory: `Practitioner/810000000001`, `Organization/F690000013`. */
export type Reference = `${'Practitioner' | 'Organization'}/${string}`;

/** What tells a record from another person's or structure's under the same id. */
export interface RecordIdentity {
  given?: string;
  family?: string;
  /** Labels by code of the national terminology of professions. */
  professions?: Readonly<Record<string, string>>;
  /** A structure has these two. */
  name?: string;
  postalCode?: string;
}

/**
 * `left`: the directory held the record and does not any more; `other`: the id belongs to another person or structure;
 * `missing`: the directory has never held it.
 */
export type ChangeKind = 'left' | 'other' | 'missing';

export interface LinkChange {
  change: ChangeKind;
  /** Id of the edition with which it began. */
  since: string;
  /** Editions, those before it among them, in which the link holds all the same; it does not in any later one. */
  holdsIn: readonly string[];
  /** The person or structure under the id now. */
  now?: RecordIdentity;
  /** Id of the one record of the same name that came as this one left. */
  successor?: string;
}

export type LinkChanges = Readonly<Partial<Record<Reference, LinkChange>>>;

/** What an account is linked to. */
export interface Links {
  practitioners: readonly string[];
  workspaces: readonly string[];
  currentWorkspace?: string;
}

/** All that an account is linked to. */
export function referencesOf({ practitioners, workspaces }: Pick<Links, 'practitioners' | 'workspaces'>): Reference[] {
  return [
    ...practitioners.map((id): Reference => `Practitioner/${id}`),
    ...workspaces.map((id): Reference => `Organization/${id}`),
  ];
}

/** What has become of a link in an edition; nothing while it holds. Without an edition, it is what was found last. */
export function changeIn(change: LinkChange | undefined, edition: string | undefined): LinkChange | undefined {
  return edition !== undefined && change?.holdsIn.includes(edition) ? undefined : change;
}

/** The change that keeps a link from being told of; a record that was never there may come with the next edition. */
export function suspension(change: LinkChange | undefined, edition: string | undefined): LinkChange | undefined {
  return change?.change === 'missing' ? undefined : changeIn(change, edition);
}
