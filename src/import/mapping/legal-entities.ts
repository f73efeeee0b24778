// Legal entities that lines refer to. A reference must resolve, so an entity without a line of its own becomes an
// Organization that holds its number.

export type LegalEntities = ReturnType<typeof createLegalEntities>;

export function createLegalEntities() {
  const met = new Set<string>();
  const mentioned = new Set<string>();
  return {
    /** A line names the entity as the one it belongs to. */
    mention(finess: string): void {
      if (finess !== '') mentioned.add(finess);
    },
    /** The entity, or an establishment of this number, has a line of its own. */
    meet(finess: string): void {
      met.add(finess);
    },
    /** Entities named so far. */
    mentioned: (): string[] => [...mentioned],
    /** Entities that are only named. */
    missing(): string[] {
      return [...mentioned].filter((finess) => !met.has(finess));
    },
  };
}
