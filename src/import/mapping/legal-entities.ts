// Owns which legal entities were named by other lines and which have a line of their own: a reference must lead
// somewhere, so an entity that is only named becomes an Organization that holds its number.
// Does not own what is known about an entity (`structure.ts`).

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
