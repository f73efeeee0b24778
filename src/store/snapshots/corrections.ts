// The corrections of the operator, which hide a person, a mailbox, a telephone or an address of the directory.

export interface Correction {
  id: number;
  type: 'Practitioner' | 'Organization';
  /** Id of the resource. */
  resource: string;
  what: 'record' | 'mailbox' | 'phone' | 'address';
  /** Key of the hidden value; all of that kind if absent. */
  value?: string;
  reason: string;
  madeBy: string;
  madeAt: Date;
  endsAt?: Date;
  endedAt?: Date;
}

/** The corrections of all instances, a second old at the most. */
export interface WatchedCorrections {
  /** Changes with each correction; undefined if there is none at all. */
  revision(): string | undefined;
  all(): readonly Correction[];
  close(): Promise<void>;
}

/** References such as `Practitioner/1` of the records that are hidden now. */
export function correctedIds(rows: readonly Correction[], now: Date): ReadonlySet<string> {
  const inForce = rows.filter(({ endedAt, endsAt }) => !endedAt && (!endsAt || endsAt > now));
  return new Set(inForce.flatMap(({ what, type, resource }) => (what === 'record' ? [`${type}/${resource}`] : [])));
}
