// Converts the coordinates of FINESS to latitude and longitude. In the text files, each line names its coordinate system in words: Lambert
// 93 for the mainland and Corsica, or a UTM zone for a territory overseas. All of these systems use the ellipsoid GRS 80, and differ from
// WGS 84 by less than a metre (https://geodesie.ign.fr). Decision 110 explains why no library does this.

import { NUMBER } from '#import/collect/columns.ts';
import type { Position } from '#search-index/index.ts';

const RADIANS = Math.PI / 180;
/** The ellipsoid GRS 80: its semi-major axis in metres, its flattening and its first eccentricity. */
const AXIS = 6_378_137;
const FLATTENING = 1 / 298.257222101;
const ECCENTRICITY = Math.sqrt(FLATTENING * (2 - FLATTENING));

/** The reason why a structure has no position, as a kind of warning. */
export type PositionFault = 'unknown-projection' | 'impossible-position';

/**
 * Returns the position for the coordinates in a line of FINESS text, or the reason why it is unusable. Undefined if the line has no
 * coordinates.
 */
export function projected(x: string, y: string, system: string): Position | PositionFault | undefined {
  if (x === '' && y === '') return undefined;
  const inverse = projectionOf(system);
  if (!inverse) return 'unknown-projection';
  return (NUMBER.test(x) && NUMBER.test(y) && inverse(Number(x), Number(y))) || 'impossible-position';
}

/**
 * Returns the position for the coordinates in FINESS JSON, or the reason why it is unusable. Undefined if there are no coordinates. The
 * file states one pair in degrees and one in metres, but in no fixed order. So the first pair that can be degrees is taken.
 */
export function inDegrees(pairs: readonly (readonly [latitude: string, longitude: string])[]) {
  const stated = pairs.filter(([latitude, longitude]) => latitude !== '' || longitude !== '');
  if (stated.length === 0) return undefined;
  for (const [north, east] of stated) {
    const [latitude, longitude] = [Number(north), Number(east)];
    const isNumber = NUMBER.test(north) && NUMBER.test(east);
    if (isNumber && Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180)
      return latitude === 0 && longitude === 0 ? 'impossible-position' : { latitude, longitude };
  }
  return 'unknown-projection';
}

/** Converts metres to degrees. Returns undefined if the coordinates lie outside the area of the coordinate system. */
type Inverse = (x: number, y: number) => Position | undefined;

/**
 * Returns the conversion for the coordinate system that a text names, such as `EPSG:2154 RGF93 / Lambert-93 (Métropole)`, `UTM_N20` or
 * `WGS84/UTM zone 1S`. Undefined if the system is unknown.
 */
function projectionOf(text: string): Inverse | undefined {
  if (/EPSG:2154\b|lambert.?93|\bL93/i.test(text)) return fromLambert93;
  const [, before = '', zone = '', after = ''] = /UTM[ _]*(?:zone)?[ _]*([NS]?)(\d{1,2})([NS]?)/i.exec(text) ?? [];
  const hemisphere = (before || after).toUpperCase();
  if (hemisphere === '' || Number(zone) < 1 || Number(zone) > 60) return undefined;
  return (x, y) => fromUtm(Number(zone), hemisphere === 'S', x, y);
}

/** Exponent, constant and origin of the Lambert 93 projection (IGN, NTG_71). */
const [LCC_EXPONENT, LCC_CONSTANT] = [0.725607765053267, 11_754_255.4261];
const [LCC_X, LCC_Y, LCC_MERIDIAN] = [700_000, 12_655_612.0499, 3];

/** Converts Lambert 93 coordinates, by the algorithms 2 and 4 of IGN, NTG_71. */
function fromLambert93(x: number, y: number): Position | undefined {
  if (!(x >= 0 && x <= 1_300_000 && y >= 6_000_000 && y <= 7_200_000)) return undefined;
  const isometric = -Math.log(Math.hypot(x - LCC_X, y - LCC_Y) / LCC_CONSTANT) / LCC_EXPONENT;
  let latitude = 2 * Math.atan(Math.exp(isometric)) - Math.PI / 2;
  for (let round = 0; round < 6; round++) {
    const sine = ECCENTRICITY * Math.sin(latitude);
    const stretch = ((1 + sine) / (1 - sine)) ** (ECCENTRICITY / 2);
    latitude = 2 * Math.atan(stretch * Math.exp(isometric)) - Math.PI / 2;
  }
  const longitude = Math.atan((x - LCC_X) / (LCC_Y - y)) / LCC_EXPONENT;
  return { latitude: latitude / RADIANS, longitude: LCC_MERIDIAN + longitude / RADIANS };
}

// Krüger's series to the third order (EPSG guidance note 7-2, method 9807). Within a zone, its error is less than a millimetre.
const N = FLATTENING / (2 - FLATTENING);
const UTM_SCALE = 0.9996 * (AXIS / (1 + N)) * (1 + N ** 2 / 4 + N ** 4 / 64);
const BETA = [N / 2 - (2 * N ** 2) / 3 + (37 * N ** 3) / 96, N ** 2 / 48 + N ** 3 / 15, (17 * N ** 3) / 480];
const DELTA = [2 * N - (2 * N ** 2) / 3 - 2 * N ** 3, (7 * N ** 2) / 3 - (8 * N ** 3) / 5, (56 * N ** 3) / 15];
/**
 * Maximum number of degrees between a position and the central meridian of its UTM zone. A zone extends three degrees to each side of this
 * meridian, so coordinates up to one degree outside their zone are accepted.
 */
const UTM_REACH = 4;

function fromUtm(zone: number, south: boolean, x: number, y: number): Position | undefined {
  if (!(y > 0 && y < 10_000_000)) return undefined;
  const [north, east] = [(y - (south ? 10_000_000 : 0)) / UTM_SCALE, (x - 500_000) / UTM_SCALE];
  let [xi, eta] = [north, east];
  BETA.forEach((factor, index) => {
    const turn = 2 * (index + 1);
    xi -= factor * Math.sin(turn * north) * Math.cosh(turn * east);
    eta -= factor * Math.cos(turn * north) * Math.sinh(turn * east);
  });
  const conformal = Math.asin(Math.sin(xi) / Math.cosh(eta));
  const latitude = DELTA.reduce((sum, factor, at) => sum + factor * Math.sin(2 * (at + 1) * conformal), conformal);
  const fromMeridian = Math.atan(Math.sinh(eta) / Math.cos(xi)) / RADIANS;
  if (!(Math.abs(fromMeridian) <= UTM_REACH)) return undefined;
  // Coordinates up to one degree outside the first or the last zone may lie beyond the antimeridian. So the longitude is normalised to the
  // range from -180 to 180 degrees.
  const longitude = zone * 6 - 183 + fromMeridian;
  return { latitude: latitude / RADIANS, longitude: longitude - 360 * Math.round(longitude / 360) };
}
