// Measures the nesting of a JSON value, because a recursive walk through a deep one would overflow the stack.

/** Checks whether a value has more levels of objects and arrays than `levels`. It looks no deeper than that. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}
