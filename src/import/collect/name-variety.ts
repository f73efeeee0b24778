// Counts how many different family and given names people have: where all registers have them in each other's column, nothing
// contradicts it, but given names then vary more.

/** Plain data: it comes from other threads. */
export interface NameVariety {
  people: number;
  families: number;
  givens: number;
}

/** People looked at in each thread. */
const PEOPLE = 4096;

export function createNameVariety() {
  const [families, givens] = [new Set<string>(), new Set<string>()];
  const others: NameVariety[] = [];
  let people = 0;
  return {
    /** Looks at a person who has both names. */
    look(family: string, given: string): void {
      if (people >= PEOPLE || family === '' || given === '') return;
      people++;
      families.add(family);
      givens.add(given);
    },
    /** Takes what another thread has counted. */
    add(other: NameVariety): void {
      others.push(other);
    },
    /** Of all threads: each counts for itself, so that a name may count several times, of either kind. */
    all: (): NameVariety =>
      others.reduce(
        (sum, other) => ({
          people: sum.people + other.people,
          families: sum.families + other.families,
          givens: sum.givens + other.givens,
        }),
        { people, families: families.size, givens: givens.size },
      ),
  };
}
