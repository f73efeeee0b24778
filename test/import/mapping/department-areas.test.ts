// Where the structures of a department lie.

import { describe, expect, it } from '@jest/globals';
import { createDepartmentAreas, isFar } from '#import/mapping/department-areas.ts';

describe('directory import: the area of a department', () => {
  const areas = (finess: string, latitudes: readonly number[]) => {
    const departments = createDepartmentAreas();
    for (const latitude of latitudes) departments.add(finess, { latitude, longitude: 5 });
    return departments.areas();
  };
  const same = (count: number) => Array.from({ length: count }, () => 45);
  const far = (finess: string, latitude: number, of = areas(finess, same(10)), longitude = 5) =>
    isFar(of, finess, { latitude, longitude });

  it('is known from ten structures on', () => {
    expect([far('690000013', 50, areas('690000013', same(9))), far('690000013', 50)]).toEqual([false, true]);
    expect(isFar(areas('690000013', same(10)), '130000013', { latitude: 50, longitude: 5 })).toBe(false);
  });

  it('reaches 100 kilometres at least, and 300 overseas', () => {
    expect([far('690000013', 45.89), far('690000013', 45.91), far('2A0000013', 45.91)]).toEqual([false, true, true]);
    expect([far('970100013', 47.69), far('970100013', 47.71), far('980100013', 47.69)]).toEqual([false, true, false]);
    expect(isFar(areas('970100013', same(10)), '970200013', { latitude: 50, longitude: 5 })).toBe(false);
  });

  it('and three times as far from its middle as nine in ten', () => {
    const spread = areas(
      '690000013',
      Array.from({ length: 10 }, (_, at) => 45 + at / 10),
    );
    expect([far('690000013', 46.99, spread), far('690000013', 47.01, spread)]).toEqual([false, true]);
    expect([far('690000013', 45.5, spread, 7.1), far('690000013', 45.5, spread, 7.2)]).toEqual([false, true]);
  });
});
