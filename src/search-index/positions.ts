// Positions on the earth, and distances between them.

/** A position in degrees of WGS 84; north and east are positive. */
export interface Position {
  latitude: number;
  longitude: number;
}

/** The positions that are at most `metres` away from the centre. */
export interface Circle extends Position {
  metres: number;
  /** Unit in which the search gave the distance. The index only uses `metres`. */
  unit?: 'km' | 'm';
}

/** Mean radius of the earth in metres (IUGG). */
export const EARTH_RADIUS = 6_371_008.8;

export const RADIANS = Math.PI / 180;

/** The index stores positions in millionths of a degree. A millionth of a degree is at most 11 cm. */
export const MICRO = 1e6;

/** Length in metres of the great circle between two positions, by the haversine formula. */
export function metresBetween(one: Position, other: Position): number {
  const north = Math.sin(((other.latitude - one.latitude) * RADIANS) / 2);
  const east = Math.sin(((other.longitude - one.longitude) * RADIANS) / 2);
  const cosines = Math.cos(one.latitude * RADIANS) * Math.cos(other.latitude * RADIANS);
  return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(north * north + cosines * east * east)));
}

/** Distance in millimetres from the centre to the nearest of the positions. An order by distance sorts by this number. */
export function millimetresTo(centre: Position, positions: readonly Position[]): number {
  return Math.min(...positions.map((position) => Math.round(metresBetween(centre, position) * 1000)));
}

/** Writes a position as an item of a field of kind `position`. */
export function positionItem({ latitude, longitude }: Position): string {
  return `${latitude}|${longitude}`;
}

export function positionOfItem(item: string): Position {
  const [latitude, longitude] = item.split('|').map(Number);
  return { latitude, longitude } as Position;
}
