// Shares the room of a page fairly among the kinds of inclusions: what one kind does not use goes to the others.

/** Resources that are included together or not at all. */
export interface IncludedUnit {
  /** Number of resources, 1 at least. */
  size: number;
}

/**
 * Admits units until all are admitted or the room is used up. Each kind has the same share first, so that one with many resources cannot displace
 * another that is only reached through it. Then the rest is shared in the same way, at last among those that still wait. Nothing but the order of
 * the units decides, so the same search gives the same page.
 * @param room number of resources
 * @param waiting the units of each kind, in their order; `admit` may add more
 * @param admit includes units, and gives the number of resources that came with each one
 * @returns the units that found no room, by kind
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

/** Removes and returns the units that fit into the room, the first ones before the others. */
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
