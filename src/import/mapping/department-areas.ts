// Computes the area of each department from the positions of its structures. A position far outside this area is taken for a mistake.

import { metresBetween, type Position } from '#search-index/index.ts';

/** A circle around the structures of a department. */
interface Area {
  centre: Position;
  metres: number;
}

/** Areas by department. The key is the beginning of the FINESS numbers of the department. */
export type Areas = ReadonlyMap<string, Area>;

export type DepartmentAreas = ReturnType<typeof createDepartmentAreas>;

/** Minimum number of positions from which the area of a department is computed. */
const LEAST = 10;
/**
 * The radius of an area is `FARTHER` times the radius in which the share `SURE` of the positions lies, because the other structures of the
 * department may lie farther from its centre.
 */
const [SURE, FARTHER] = [0.9, 3];
/** Minimum radius of an area in metres. It is larger overseas, because the islands of one department may lie far from each other. */
const [ON_THE_MAINLAND, OVERSEAS] = [100_000, 300_000];

/** Collects the positions of all structures. */
export function createDepartmentAreas() {
  const positions = new Map<string, Position[]>();
  return {
    add(finess: string, position: Position): void {
      const department = departmentIn(finess);
      const known = positions.get(department);
      if (known) known.push(position);
      else positions.set(department, [position]);
    },
    areas: (): Areas =>
      new Map(
        [...positions]
          .filter(([, some]) => some.length >= LEAST)
          .map(([department, some]) => [department, areaOf(some, department.length > 2 ? OVERSEAS : ON_THE_MAINLAND)]),
      ),
  };
}

/** Returns the department that issued a FINESS number: the first two characters of the number, or the first four overseas (`9701`). */
function departmentIn(finess: string): string {
  return finess.slice(0, finess.startsWith('97') || finess.startsWith('98') ? 4 : 2);
}

function areaOf(positions: readonly Position[], least: number): Area {
  const quantile = (values: readonly number[], share: number) =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] as number;
  const latitudes = positions.map(({ latitude }) => latitude);
  const longitudes = positions.map(({ longitude }) => longitude);
  const centre = { latitude: quantile(latitudes, 0.5), longitude: quantile(longitudes, 0.5) };
  const distances = positions.map((position) => metresBetween(centre, position));
  return { centre, metres: Math.max(least, FARTHER * quantile(distances, SURE)) };
}

/** Tells whether a position is far from the other structures of its department. Returns false if the area of the department is unknown. */
export function isFar(areas: Areas, finess: string, position: Position): boolean {
  const area = areas.get(departmentIn(finess));
  return area !== undefined && metresBetween(area.centre, position) > area.metres;
}
