// Circles on the earth: what a snapshot finds in them, and the order by distance, beside a scan of all positions.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { EARTH_RADIUS, metresBetween, millimetresTo, type Position, positionItem } from '#search-index/positions.ts';
import type { Clause, IndexedResource, Order, Snapshot } from '#search-index/snapshot.ts';
import { naiveMatches } from '#support/search-index/naive.ts';
import { walked, writtenSnapshot } from '#support/search-index/written-snapshot.ts';
import { runs } from '#support/seed.ts';

describe('near', () => {
  const micro = (degrees: number) => Math.round(degrees * 1e6) / 1e6;
  const degrees = (most: number) => fc.double({ min: -most, max: most, noNaN: true }).map(micro);
  const anywhere = fc.record({ latitude: degrees(90), longitude: degrees(180) });
  /** Poles, the antimeridian from both sides, and towns of France overseas. */
  const edges: readonly Position[] = [
    { latitude: 90, longitude: 0 },
    { latitude: 90, longitude: 77 },
    { latitude: -90, longitude: -10 },
    { latitude: 0, longitude: 180 },
    { latitude: 0, longitude: -180 },
    { latitude: -13.28, longitude: -176.17 },
    { latitude: -17.54, longitude: -149.57 },
    { latitude: -16.5, longitude: 179.98 },
    { latitude: 48.8566, longitude: 2.3522 },
  ];
  const beside = fc
    .tuple(fc.constantFrom(...edges), degrees(0.3), degrees(0.3))
    .map(([{ latitude, longitude }, north, east]) => ({
      latitude: Math.max(-90, Math.min(90, micro(latitude + north))),
      longitude: micro(((longitude + east + 540) % 360) - 180),
    }));
  const position = fc.oneof(fc.constantFrom(...edges), beside, anywhere);
  const structure = fc.record({
    positions: fc.array(position, { maxLength: 3 }),
    name: fc.constantFrom('clinique', 'hôpital', 'cabinet'),
  });
  const metres = fc.oneof(
    fc.constantFrom(0.001, 1, 5000, 20_000, 100_000, 1_000_000, Math.PI * EARTH_RADIUS, 1e9),
    fc.double({ min: 0.01, max: 3e7, noNaN: true }),
  );
  const circle = fc.tuple(position, metres).map(([centre, reach]) => ({ ...centre, metres: reach }));

  const asked = fc.record({
    circle,
    others: fc.constantFrom<Clause[]>(
      [],
      [{ field: 'name', match: 'words', anyOf: [[{ prefix: 'cli', whole: [] }]] }],
      [{ field: 'near', match: 'present', present: true }],
    ),
  });

  const resourcesOf = (drawn: readonly { positions: Position[]; name: string }[]) =>
    drawn.map(({ positions, name }, at): IndexedResource => {
      const id = `id-${(at * 7919) % 1009}`;
      return {
        type: 'Organization',
        id,
        sortKey: name,
        resource: { resourceType: 'Organization', id },
        index: { name: [name], near: [...new Set(positions.map(positionItem))] },
      };
    });

  const walk = (snapshot: Snapshot, clauses: Clause[], order: Order, limit: number) =>
    walked(snapshot, { type: 'Organization', clauses, order }, limit);

  it('finds and orders as a scan does, whatever the positions, the circle, the page and the cut into segments', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(structure, { maxLength: 100 }),
        fc.array(asked, { minLength: 1, maxLength: 15 }),
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom(3, 17, 64_000),
        async (drawn, queries, limit, segment) => {
          const resources = resourcesOf(drawn);
          await using snapshot = await writtenSnapshot(resources, { limits: { segment } });
          for (const { circle, others } of queries) {
            const clauses: Clause[] = [...others, { field: 'near', match: 'near', anyOf: [circle] }];
            const expected = naiveMatches(resources, { type: 'Organization', clauses });
            const distance = (id: string) =>
              millimetresTo(circle, drawn[resources.findIndex((one) => one.id === id)]?.positions ?? []);
            const nearest = expected.toSorted((a, b) => distance(a) - distance(b));
            const alphabet: Order = { by: 'alphabet', descending: false };
            const totals = [expected.length];
            expect(await walk(snapshot, clauses, alphabet, limit)).toEqual({ ids: expected, totals });
            const near: Order = { by: 'distance', descending: false };
            expect(await walk(snapshot, clauses, near, limit)).toEqual({ ids: nearest, totals });
            const farthest = { ids: nearest.toReversed(), totals };
            expect(await walk(snapshot, clauses, { ...near, descending: true }, limit)).toEqual(farthest);
          }
          const absent: Clause = { field: 'near', match: 'present', present: false };
          const without = await snapshot.search({ type: 'Organization', clauses: [absent], limit: 0, total: true });
          expect(without.total).toBe(drawn.filter(({ positions }) => positions.length === 0).length);
        },
      ),
      { numRuns: runs(20) },
    );
  });

  it('takes the several circles of a clause as alternatives', async () => {
    const [paris, lyon, wallis] = [
      { latitude: 48.8566, longitude: 2.3522 },
      { latitude: 45.764, longitude: 4.8357 },
      { latitude: -13.28, longitude: -176.17 },
    ];
    const three = resourcesOf([paris, lyon, wallis].map((at) => ({ positions: [at], name: 'x' })));
    await using snapshot = await writtenSnapshot(three);
    const anyOf = [paris, wallis].map((centre) => ({ ...centre, metres: 1000 }));
    const found = await snapshot.search({
      type: 'Organization',
      clauses: [{ field: 'near', match: 'near', anyOf }],
      limit: 10,
      total: true,
    });
    expect(found.total).toBe(2);
  });

  // Published distances of great circles on a sphere of 6371 km: Nashville and Los Angeles, the usual example of the haversine formula.
  it('measures great circles', () => {
    const [nashville, losAngeles] = [
      { latitude: 36.12, longitude: -86.67 },
      { latitude: 33.94, longitude: -118.4 },
    ];
    expect(metresBetween(nashville, losAngeles) / 1000).toBeCloseTo(2886.45, 1);
  });
});
