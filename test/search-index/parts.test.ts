// The small parts that writer and reader share, by value: fields, keys, hashes and their buckets, tables of words, caches, bounds of time.

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { firstFrom } from '#search-index/last-updated-index.ts';
import { metresBetween, millimetresTo, positionItem, positionOfItem } from '#search-index/positions.ts';
import { chordOf } from '#search-index/read/position-index.ts';
import { boundsOf, segmentAt } from '#search-index/read/value-order.ts';
import { createYielder } from '#search-index/read/yield-event-loop.ts';
import { Abandoned, TooCostly, Unavailable } from '#search-index/search-errors.ts';
import { isRepeated, repeated } from '#search-index/snapshot-writer.ts';
import { alphabeticalOrder, cutIntoSegments } from '#search-index/write/orders.ts';
import { portions } from '#search-index/write/postings-collector.ts';

describe('what is small', () => {
  afterEach(() => void jest.restoreAllMocks());

  it('segments, bounds of time and places in rising numbers are found', () => {
    const starts = Uint32Array.from([0, 3, 4, 9]);
    expect([0, 2, 3, 4, 8].map((position) => segmentAt(starts, position))).toEqual([0, 0, 1, 2, 2]);
    const rising = Float64Array.from([1, 3, 3, 7]);
    expect([0, 1, 2, 3, 4, 7, 8].map((least) => firstFrom(rising, least))).toEqual([0, 0, 1, 1, 3, 3, 4]);
    const range = (...anyOf: { from?: number; to?: number }[]) =>
      ({ field: '_lastUpdated', match: 'range', anyOf }) as const;
    expect(boundsOf([range({ from: 3, to: 9 }, { from: 1, to: 5 }), range({ from: 2, to: 20 })])).toEqual({
      from: 2,
      to: 9,
    });
    expect(boundsOf([range({ from: 3 }), range({ to: 9 }), { field: 'id', match: 'exact', anyOf: [] }])).toEqual({
      from: 3,
      to: 9,
    });
    expect(boundsOf([])).toEqual({ from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY });
  });

  it('positions are written, read and measured', () => {
    const [north, equator] = [
      { latitude: 90, longitude: 0 },
      { latitude: 0, longitude: 12 },
    ];
    expect([positionItem({ latitude: 48.5, longitude: -2 }), positionOfItem('48.5|-2')]).toEqual([
      '48.5|-2',
      { latitude: 48.5, longitude: -2 },
    ]);
    expect(metresBetween(north, equator)).toBeCloseTo((Math.PI / 2) * 6_371_008.8, 3);
    expect(millimetresTo(north, [equator, { latitude: 89, longitude: 5 }, { latitude: -90, longitude: 0 }])).toBe(
      111_195_080,
    );
    const chord = chordOf(6_371_008.8);
    const square = 4 * Math.sin(0.5) ** 2;
    expect([chord.below / square, chord.above / square]).toEqual([
      expect.closeTo(1 - 1e-9, 12),
      expect.closeTo(1 + 1e-9, 12),
    ]);
    expect([chordOf(-5), chordOf(1e12).above]).toEqual([{ below: -1e-15, above: 1e-15 }, expect.closeTo(4, 6)]);
  });

  it('the order of resources is that of the bytes of their keys, then of arrival; segments hold so many items', () => {
    const orderOf = (...keys: string[]) => {
      const bytes = keys.map((key) => Buffer.from(key));
      return [
        ...alphabeticalOrder(
          Buffer.concat(bytes),
          Uint32Array.from(bytes, ({ length }) => length),
        ),
      ];
    };
    expect(
      orderOf('person-b', 'person-aaaaaaaab', 'person-', 'person-aaaaaaaaa', 'person-b', 'person-aaaaaaaa'),
    ).toEqual([2, 5, 3, 1, 0, 4]);
    expect([orderOf(), orderOf('x'), orderOf('\u{1f600}', '\uffff', 'z')]).toEqual([[], [0], [2, 1, 0]]);
    const cut = (items: number[], size: number) => [...cutIntoSegments(Uint32Array.from(items.keys()), items, size)];
    expect([cut([], 4), cut([1, 1, 1, 1], 4), cut([1, 1, 1, 1, 1], 4), cut([3, 1, 2, 3, 4], 4)]).toEqual([
      [0],
      [0, 4],
      [0, 4, 5],
      [0, 2, 3, 4, 5],
    ]);
    expect(() => cut([5], 4)).toThrow('a resource has 5 items in one field: at most 4 can be indexed');
  });

  it('words are processed in portions that end where the first character changes', () => {
    const keys = ['a', 'ab', 'b', 'c', 'd'];
    const portioned = (most: number, at?: number) => [
      ...portions([0, 1, 2, 3, 4], keys, Uint32Array.from([2, 1, 1, 1, 1]), most, at),
    ];
    expect([portioned(1), portioned(3), portioned(4), portioned(100)]).toEqual([
      [[0, 1], [2], [3], [4]],
      [
        [0, 1],
        [2, 3, 4],
      ],
      [
        [0, 1, 2],
        [3, 4],
      ],
      [[0, 1, 2, 3, 4]],
    ]);
    expect([...portions([], keys, new Uint32Array(5), 1)]).toEqual([]);
  });

  it('a search yields after eight milliseconds, and ends if nobody waits for it', async () => {
    const clock = jest.spyOn(performance, 'now').mockReturnValue(1000);
    let gone = false;
    const yielder = createYielder(() => gone);
    clock.mockReturnValue(1008);
    expect(yielder.due()).toBe(false);
    clock.mockReturnValue(1008.1);
    expect(yielder.due()).toBe(true);
    await yielder.yield();
    expect(yielder.due()).toBe(false);
    gone = true;
    await expect(yielder.yield()).rejects.toThrow(new Abandoned('nobody waits for this search any more'));
    await expect(createYielder().yield()).resolves.toBeUndefined();
  });

  it('errors have the name and the wait that a caller tells them by', () => {
    const wait = new Unavailable('full', 7);
    expect([wait.name, wait.message, wait.retryAfter]).toEqual(['Unavailable', 'full', 7]);
    expect([new TooCostly('x').name, new Abandoned().name, new Abandoned('y').message]).toEqual([
      'TooCostly',
      'Abandoned',
      'y',
    ]);
  });

  it('a part that is repeated is known as such, and does not change', () => {
    const part = repeated({ code: 'a' });
    expect([isRepeated(part), isRepeated({ code: 'a' }), Object.keys(part)]).toEqual([true, false, ['code']]);
    expect(() => Object.assign(part, { code: 'b' })).toThrow();
  });
});
