// How deep a value of JSON is nested: what walks through it by calling itself would run out of stack.

/** Whether a value has more levels of objects and arrays; looks no deeper than that. */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}
