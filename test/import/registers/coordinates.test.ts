// Coordinates of FINESS as latitude and longitude: the systems that its text names, and the degrees of its JSON.

import { describe, expect, it } from '@jest/globals';
import { inDegrees, projected } from '#import/registers/coordinates.ts';
import { metresBetween, type Position } from '#search-index/positions.ts';

// Values of PROJ 9 with the EPSG registry (pyproj, `Transformer.from_crs(code, its geodetic system)`).
describe('directory data 3: projections', () => {
  it.each([
    ['EPSG:2154 RGF93 / Lambert-93 (Métropole)', 700000, 6600000, 46.5, 3],
    ['LAMBERT_93', 870262.2, 6571540.8, 46.22228572, 5.20918113],
    ['L93_METROPOLE', 1226134, 6109420.3, 41.89553967, 9.33280069],
    ['EPSG:2154 RGF93 / Lambert-93 (Métropole)', 100123.4, 6830000.7, 48.29310053, -5.10239007],
    ['EPSG:2154 RGF93 / Lambert-93 (Métropole)', 440000, 7110000, 51.03088789, -0.69936062],
    ['EPSG:5490 RGAF09/UTM Zone 20N (Antilles)', 657242.9, 1795384.4, 16.23400433, -61.52873706],
    ['UTM_N20', 708000.5, 1616000.2, 14.60932105, -61.06902911],
    ['EPSG:2972 RGFG95/UTM zone 22N (Guyane)', 352000.1, 545000.9, 4.92933174, -52.33482245],
    ['UTM_S40', 340000.5, 7690000.2, -20.88331693, 55.46182063],
    ['EPSG:2975 RGR92/UTM zone 40S (La Réunion)', 378123.4, 7631234.5, -21.41708542, 55.82406992],
    ['EPSG:4471 RGM04/UTM zone 38S (Mayotte)', 523000.3, 8585000.4, -12.79974256, 45.21192988],
    ['WGS84/UTM zone 21N (St-Pierre-et-Miquelon)', 560000.2, 5180000.8, 46.77085871, -56.21414121],
    ['WGS84/UTM zone 1S (Wallis-et-Futuna)', 587000.4, 8530000.3, -13.29590798, -176.1967808],
    ['UTM zone 60S', 850000, 8000000, -18.06039342, -179.69419311],
    ['UTM_S06', 233000.5, 8054000.5, -17.58459621, -149.51564066],
  ])('%s at %d %d is %d %d, to a millimetre', (system, x, y, latitude, longitude) => {
    const found = projected(String(x), String(y), `1,ATLASANTE,96,BAN,${system}`) as Position;
    // The values have eight decimals, which are a millimetre.
    expect(metresBetween(found, { latitude, longitude })).toBeLessThan(0.002);
  });

  it.each([
    ['0', '0', 'L93_METROPOLE', 'impossible-position'],
    ['0', '0', 'UTM_N20', 'impossible-position'],
    ['6571540.8', '870262.2', 'LAMBERT_93', 'impossible-position'],
    ['-5', '6600000', 'LAMBERT_93', 'impossible-position'],
    ['657242.9', '', 'UTM_N20', 'impossible-position'],
    ['x', '1795384.4', 'UTM_N20', 'impossible-position'],
    ['657242.9', '17953844.4', 'UTM_N20', 'impossible-position'],
    ['657242.9', '1795384.4', 'UTM_N61', 'unknown-projection'],
    ['657242.9', '1795384.4', 'LAMBERT_2_ETENDU', 'unknown-projection'],
    ['657242.9', '1795384.4', '', 'unknown-projection'],
    ['', '', '', undefined],
  ])('"%s" "%s" in %s is none: %s', (x, y, system, fault) => {
    expect(projected(x, y, system)).toBe(fault);
  });
});

describe('directory data 3: the reach of projections', () => {
  const isPosition = (x: number, y: number, system: string) =>
    typeof projected(String(x), String(y), system) === 'object';

  it.each([
    ['LAMBERT_93', [0, 6_600_000], [-1, 6_600_000]],
    ['LAMBERT_93', [1_300_000, 6_600_000], [1_300_001, 6_600_000]],
    ['LAMBERT_93', [700_000, 6_000_000], [700_000, 5_999_999]],
    ['LAMBERT_93', [700_000, 7_200_000], [700_000, 7_200_001]],
    ['UTM_N31', [500_000, 1], [500_000, 0]],
    ['UTM_N31', [500_000, 9_999_999], [500_000, 10_000_000]],
    // Four degrees of longitude from the meridian of the zone are 445 km at the equator.
    ['UTM_N31', [945_000, 1], [946_000, 1]],
    ['UTM_N31', [55_000, 1], [54_000, 1]],
  ] as [string, [number, number], [number, number]][])('%s takes %j, and not %j', (system, within, beyond) => {
    expect([isPosition(...within, system), isPosition(...beyond, system)]).toEqual([true, false]);
  });

  it.each([
    ['EPSG:2154', true],
    ['Lambert 93', true],
    ['L93', true],
    ['EPSG:21540', false],
    ['utm zone 60n', true],
    ['UTM_S01', true],
    ['UTM_N00', false],
    ['UTM 31', false],
  ])('the system %s is known: %s', (system, known) => {
    expect(projected('500000', '6600000', system) !== 'unknown-projection').toBe(known);
  });

  it('are those of IGN and EPSG, to a thousandth of a millimetre', () => {
    const found = [
      projected('870262.2', '6571540.8', 'LAMBERT_93'),
      projected('100123.4', '6830000.7', 'LAMBERT_93'),
      projected('657242.9', '1795384.4', 'UTM_N20'),
      projected('233000.5', '8054000.5', 'UTM_S06'),
      projected('850000', '8000000', 'UTM_S60'),
    ].map((position) => Object.values(position as Position).map((degrees) => degrees.toFixed(11)));
    expect(found).toEqual([
      ['46.22228571484', '5.20918113108'],
      ['48.29310052612', '-5.10239007382'],
      ['16.23400432898', '-61.52873706067'],
      ['-17.58459621212', '-149.51564065675'],
      ['-18.06039342637', '-179.69419310705'],
    ]);
  });
});

describe('directory data 3: degrees of FINESS JSON', () => {
  it.each<[pairs: string, found: unknown]>([
    ['45.75 4.85', { latitude: 45.75, longitude: 4.85 }],
    ['-90 180', { latitude: -90, longitude: 180 }],
    ['90 -180', { latitude: 90, longitude: -180 }],
    ['0 4', { latitude: 0, longitude: 4 }],
    ['45 0', { latitude: 45, longitude: 0 }],
    ['6577813.0 9396, 45.75 4.85', { latitude: 45.75, longitude: 4.85 }],
    [' , 45.75 4.85', { latitude: 45.75, longitude: 4.85 }],
    ['0 0, 45.75 4.85', 'impossible-position'],
    ...['90.1 4', '45 180.1', '45 ', ' 4', 'x 4', '45 x'].map((pairs): [string, string] => [
      pairs,
      'unknown-projection',
    ]),
    [' ,  ', undefined],
  ])('%s: %j', (text, found) => {
    const pairs = text.split(', ').map((pair) => pair.split(' ') as [string, string]);
    expect(inDegrees(pairs)).toEqual(found);
  });

  it('of nothing are none', () => {
    expect(inDegrees([])).toBeUndefined();
  });
});
