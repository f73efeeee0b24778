type Absent = null | undefined;

/** Members become optional if their value may be null or undefined. Other members stay as they are. */
type Present<Members> = {
  [Key in keyof Members as Extract<Members[Key], Absent> extends never ? Key : never]: Members[Key];
} & { [Key in keyof Members as Extract<Members[Key], Absent> extends never ? never : Key]?: NonNullable<Members[Key]> };

/** Copies the members that have a value. Members that are undefined, or NULL in a database column, are left out. */
export function present<Members extends object>(members: Members): Present<Members> {
  const copy: Record<string, unknown> = {};
  for (const key in members) {
    if (members[key] !== undefined && members[key] !== null) copy[key] = members[key];
  }
  return copy as Present<Members>;
}
