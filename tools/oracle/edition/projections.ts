// Degrees from the metres of FINESS, by the formulas of Snyder (Map Projections: A Working Manual, USGS 1395) and the defining parameters of
// Lambert 93 and UTM.

/** Degrees. */
export interface Place {
  latitude: number;
  longitude: number;
}

const AXIS = 6_378_137;
const SQUARE = 0.0066943800229; // eccentricity of GRS 80, squared
const DEGREE = Math.PI / 180;

/** Degrees to six decimals; undefined for a system that is not known. */
export function placeOf(x: number, y: number, system: string): Place | undefined {
  const [, zone, hemisphere] = /utm[ _]?zone (\d+)([NS])/i.exec(system) ?? [];
  if (zone !== undefined) return rounded(utm(Number(zone), hemisphere?.toUpperCase() === 'S', x, y));
  return /l(ambert.?|)93/i.test(system) ? rounded(lambert(x, y)) : undefined;
}

function rounded({ latitude, longitude }: Place): Place {
  return { latitude: Number(latitude.toFixed(6)), longitude: Number(longitude.toFixed(6)) };
}

/** Snyder, pages 107 to 109. */
function lambert(x: number, y: number): Place {
  const e = Math.sqrt(SQUARE);
  const m = (angle: number) => Math.cos(angle) / Math.sqrt(1 - SQUARE * Math.sin(angle) ** 2);
  const t = (angle: number) =>
    Math.tan(Math.PI / 4 - angle / 2) / ((1 - e * Math.sin(angle)) / (1 + e * Math.sin(angle))) ** (e / 2);
  const [south, north, origin] = [44 * DEGREE, 49 * DEGREE, 46.5 * DEGREE];
  const n = Math.log(m(south) / m(north)) / Math.log(t(south) / t(north));
  const factor = m(south) / (n * t(south) ** n);
  const radius = (angle: number) => AXIS * factor * t(angle) ** n;
  const [east, up] = [x - 700_000, radius(origin) - (y - 6_600_000)];
  const small = (Math.hypot(east, up) / (AXIS * factor)) ** (1 / n);
  let angle = Math.PI / 2 - 2 * Math.atan(small);
  for (let round = 0; round < 10; round++) {
    const sine = e * Math.sin(angle);
    angle = Math.PI / 2 - 2 * Math.atan(small * ((1 - sine) / (1 + sine)) ** (e / 2));
  }
  return { latitude: angle / DEGREE, longitude: 3 + Math.atan2(east, up) / n / DEGREE };
}

/** Snyder, pages 63 and 64. */
function utm(zone: number, isSouth: boolean, x: number, y: number): Place {
  const second = SQUARE / (1 - SQUARE);
  const m = (y - (isSouth ? 10_000_000 : 0)) / 0.9996;
  const mu = m / (AXIS * (1 - SQUARE / 4 - (3 * SQUARE ** 2) / 64 - (5 * SQUARE ** 3) / 256));
  const e1 = (1 - Math.sqrt(1 - SQUARE)) / (1 + Math.sqrt(1 - SQUARE));
  const foot =
    mu +
    ((3 * e1) / 2 - (27 * e1 ** 3) / 32) * Math.sin(2 * mu) +
    ((21 * e1 ** 2) / 16 - (55 * e1 ** 4) / 32) * Math.sin(4 * mu) +
    ((151 * e1 ** 3) / 96) * Math.sin(6 * mu) +
    ((1097 * e1 ** 4) / 512) * Math.sin(8 * mu);
  const c = second * Math.cos(foot) ** 2;
  const t = Math.tan(foot) ** 2;
  const inner = 1 - SQUARE * Math.sin(foot) ** 2;
  const [n, r] = [AXIS / Math.sqrt(inner), (AXIS * (1 - SQUARE)) / inner ** 1.5];
  const d = (x - 500_000) / (n * 0.9996);
  const latitude =
    foot -
    ((n * Math.tan(foot)) / r) *
      (d ** 2 / 2 -
        ((5 + 3 * t + 10 * c - 4 * c ** 2 - 9 * second) * d ** 4) / 24 +
        ((61 + 90 * t + 298 * c + 45 * t ** 2 - 252 * second - 3 * c ** 2) * d ** 6) / 720);
  const longitude =
    (d -
      ((1 + 2 * t + c) * d ** 3) / 6 +
      ((5 - 2 * c + 28 * t - 3 * c ** 2 + 8 * second + 24 * t ** 2) * d ** 5) / 120) /
    Math.cos(foot);
  return { latitude: latitude / DEGREE, longitude: zone * 6 - 183 + longitude / DEGREE };
}

/** Metres of the great circle on a sphere of the earth's mean radius, by Vincenty's formula for a sphere. */
export function metresApart(one: Place, other: Place): number {
  const [a, b] = [one.latitude * DEGREE, other.latitude * DEGREE];
  const turn = (other.longitude - one.longitude) * DEGREE;
  const across = Math.hypot(
    Math.cos(b) * Math.sin(turn),
    Math.cos(a) * Math.sin(b) - Math.sin(a) * Math.cos(b) * Math.cos(turn),
  );
  return 6_371_008.8 * Math.atan2(across, Math.sin(a) * Math.sin(b) + Math.cos(a) * Math.cos(b) * Math.cos(turn));
}
