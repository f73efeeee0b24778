type Absent = null | undefined;

/** Members that may be without a value become optional ones; the others stay. */
type Present<Members> = {
  [Key in keyof Members as Extract<Members[Key], Absent> extends never ? Key : never]: Members[Key];
} & { [Key in keyof Members as Extract<Members[Key], Absent> extends never ? never : Key]?: NonNullable<Members[Key]> };

/** A copy without the members that have no value: undefined, or NULL of a database column. */
export function present<Members extends object>(members: Members): Present<Members> {
  const copy: Record<string, unknown> = {};
  for (const key in members) {
    if (members[key] !== undefined && members[key] !== null) copy[key] = members[key];
  }
  return copy as Present<Members>;
}
