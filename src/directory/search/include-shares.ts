// Divides the places for included resources on a page fairly among the inclusions. If one inclusion does not need all of its places, the
// other inclusions get the rest.

/** Resources that are included together or not at all. */
export interface IncludedUnit {
  /** Number of resources, at least 1. */
  size: number;
}

/**
 * Gives places to units until every unit has its places, or until no more units fit. The units of one inclusion are of one kind.
 *
 * First, all kinds get equal shares of the places. A kind without units gets a share as well, because its units may be found later, by
 * following included resources. Then the places that were not used are shared among all kinds again. This is repeated until no unit fits
 * into its share. At last, the places that are still left are shared only among the kinds of which units are waiting. The result depends on
 * nothing but the order of the units, so the same search gives the same page.
 * @param room number of places, one for each resource
 * @param waiting the units of each kind, in their order; `admit` may add more
 * @param admit includes the given units, and returns for each kind the number of resources that were added
 * @returns the units that got no place, by kind
 */
export async function shareRoom<Unit extends IncludedUnit>(
  room: number,
  waiting: readonly Unit[][],
  admit: (admitted: readonly Unit[][]) => Promise<readonly number[]>,
): Promise<readonly Unit[][]> {
  const used = waiting.map(() => 0);
  let free = room;
  const shares = (isServed: (kind: number) => boolean): number[] => {
    const served = used.flatMap((_, kind) => (isServed(kind) ? kind : []));
    return used.map((taken, kind) => {
      const at = served.indexOf(kind);
      return at < 0 ? taken : taken + Math.floor(free / served.length) + (at < free % served.length ? 1 : 0);
    });
  };
  const waits = (kind: number) => (waiting[kind] as Unit[]).length > 0;
  for (let onlyWaiting = false; ; ) {
    const quotas = shares(onlyWaiting ? waits : () => true);
    let progress = false;
    for (;;) {
      const admitted = waiting.map((units, kind) => fitting(units, (quotas[kind] as number) - (used[kind] as number)));
      if (admitted.every(({ length }) => length === 0)) break;
      progress = true;
      const counts = await admit(admitted);
      counts.forEach((count, kind) => {
        used[kind] = (used[kind] as number) + count;
        free -= count;
      });
    }
    if (free <= 0 || !used.some((_, kind) => waits(kind))) return waiting;
    if (!progress && onlyWaiting) return waiting;
    onlyWaiting ||= !progress;
  }
}

/**
 * Removes from `units` those that fit into `room` places, and returns them. The first unit takes its places first. A unit that is too large
 * for the places that are left stays in `units`.
 */
function fitting<Unit extends IncludedUnit>(units: Unit[], room: number): Unit[] {
  let left = room;
  const taken = units.filter(({ size }) => {
    if (size > left) return false;
    left -= size;
    return true;
  });
  if (taken.length > 0) units.splice(0, units.length, ...units.filter((unit) => !taken.includes(unit)));
  return taken;
}
