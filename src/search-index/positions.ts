// Positions on the earth, and the distance between two of them.

/** Degrees of WGS 84; north and east are positive. */
export interface Position {
  latitude: number;
  longitude: number;
}

/** Mean radius of the earth in metres (IUGG). */
export const EARTH_RADIUS = 6_371_008.8;

export const RADIANS = Math.PI / 180;

/** Length in metres of the great circle between two positions, by the haversine formula. */
export function metresBetween(one: Position, other: Position): number {
  const north = Math.sin(((other.latitude - one.latitude) * RADIANS) / 2);
  const east = Math.sin(((other.longitude - one.longitude) * RADIANS) / 2);
  const cosines = Math.cos(one.latitude * RADIANS) * Math.cos(other.latitude * RADIANS);
  return 2 * EARTH_RADIUS * Math.asin(Math.min(1, Math.sqrt(north * north + cosines * east * east)));
}
