// The room of a page is shared fairly among the kinds of inclusions, whatever each of them would need.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { shareRoom } from '#directory/search/include-shares.ts';

interface Unit {
  size: number;
  name: string;
  /** What comes into question once this unit is there: kind and unit. */
  leads: readonly [kind: number, unit: Unit][];
}

interface Shared {
  names: string[];
  taken: number[];
  left: readonly Unit[][];
}

async function shared(room: number, demand: readonly (readonly Unit[])[]): Promise<Shared> {
  const waiting = demand.map((units) => [...units]);
  const names: string[] = [];
  const taken = demand.map(() => 0);
  const left = await shareRoom(room, waiting, async (admitted) => {
    const counts = admitted.map((units, kind) => {
      const count = units.reduce((sum, { size }) => sum + size, 0);
      taken[kind] = (taken[kind] ?? 0) + count;
      return count;
    });
    for (const unit of admitted.flat()) {
      names.push(unit.name);
      for (const [kind, next] of unit.leads) waiting[kind]?.push(next);
    }
    return counts;
  });
  return { names, taken, left };
}

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0);
const single = (name: string): Unit => ({ size: 1, name, leads: [] });
const singles = (kind: number, count: number) => Array.from({ length: count }, (_, at) => single(`${kind}-${at}`));
const room = fc.integer({ min: 1, max: 60 });
const counts = fc.array(fc.integer({ min: 0, max: 80 }), { minLength: 1, maxLength: 5 });
const sizes = fc.array(fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 12 }), { minLength: 1, maxLength: 4 });
const unitsOf = (all: readonly (readonly number[])[]) =>
  all.map((units, kind) => units.map((size, at) => ({ size, name: `${kind}-${at}`, leads: [] })));

describe('fair shares of the included resources of a page', () => {
  it('each kind has its share or all that it needs, and no room is left while something waits', async () => {
    await fc.assert(
      fc.asyncProperty(room, counts, async (size, needs) => {
        const { taken, left } = await shared(
          size,
          needs.map((count, kind) => singles(kind, count)),
        );
        const share = Math.floor(size / needs.length);
        needs.forEach((need, kind) => {
          expect(taken[kind]).toBeGreaterThanOrEqual(Math.min(need, share));
        });
        expect(sum(taken)).toBe(Math.min(size, sum(needs)));
        expect(sum(left.map(({ length }) => length))).toBe(sum(needs) - sum(taken));
      }),
    );
  });

  it('of units: never more than the room, everything if everything fits, always the same', async () => {
    await fc.assert(
      fc.asyncProperty(room, sizes, async (size, all) => {
        const once = await shared(size, unitsOf(all));
        expect(sum(once.taken)).toBeLessThanOrEqual(size);
        const free = size - sum(once.taken);
        if (sum(all.flat()) <= size) expect(once.left.flat()).toEqual([]);
        // What is left would not have fitted even into a share of its own of what is free at the end.
        const waits = once.left.filter(({ length }) => length > 0).length;
        for (const unit of once.left.flat()) expect(unit.size).toBeGreaterThan(Math.floor(free / waits));
        expect(await shared(size, unitsOf(all))).toEqual(once);
      }),
    );
  });

  it('what is reached through others has its share, however many these are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 60 }), fc.integer({ min: 0, max: 200 }), async (size, count) => {
        const roles = singles(0, count).map((unit, at) => ({
          ...unit,
          leads: [[1, single(`person-${at}`)]] as [number, Unit][],
        }));
        const { taken, names } = await shared(size, [roles, []]);
        const [ofRoles = 0, ofPeople = 0] = taken;
        expect(ofPeople).toBeGreaterThanOrEqual(Math.min(count, Math.floor(size / 2)) - 1);
        expect(ofRoles + ofPeople).toBe(Math.min(size, 2 * count));
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });
});
