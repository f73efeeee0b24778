// Directory import: the coordinates of FINESS become positions of WGS 84 in the address of the structure.

import { describe, expect, it } from '@jest/globals';
import { projected } from '#import/registers/projections.ts';
import { metresBetween, type Position } from '#search-index/positions.ts';
import { establishment, finessJson, legalEntity, type Names } from '#support/import/finess-json-files.ts';
import { activity, finessEstablishment, finessFile, openBench, registerText } from '#support/import/register-files.ts';
import { openedForEach } from '#support/opened.ts';

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

describe('directory import: positions', () => {
  const bench = openedForEach(openBench);

  const LYON = { 15: '69003 LYON', 13: '69', 14: 'RHONE', 12: '383' };
  const coordinates = (finess: string, x: string, y: string, system = 'L93_METROPOLE') =>
    `geolocalisation;${finess};${x};${y};1,ATLASANTE,100,BAN,${system};2026-10-08`;
  const positions = async (id: string) => {
    const { address = [] } = ((await bench.read('Organization', id)) ?? {}) as { address?: { extension?: object[] }[] };
    return address.map(({ extension = [] }) =>
      extension
        .filter((one) => (one as { url: string }).url.endsWith('/geolocation'))
        .map((one) => (one as { extension: { valueDecimal: number }[] }).extension.map((part) => part.valueDecimal)),
    );
  };
  const warned = (report: Awaited<ReturnType<typeof bench.run>>, kind: string) =>
    report.warnings.find((one) => one.kind === kind)?.count;

  it('of FINESS text are in the address, to six decimals', async () => {
    const line = coordinates('690000013', '843000.0', '6520000.0');
    await bench.run([bench.file('x', finessFile(finessEstablishment(LYON), line))]);
    expect(await positions('F690000013')).toEqual([[[45.764611, 4.84001]]]);
  });

  it('that no establishment has make no Organization', async () => {
    const lines = [
      coordinates('690000013', '843000.0', '6520000.0'),
      coordinates('690000099', '843000.0', '6520000.0'),
    ];
    await bench.run([bench.file('x', finessFile(finessEstablishment(LYON), ...lines))]);
    expect(await bench.read('Organization', 'F690000099')).toBeUndefined();
  });

  it('belong to the address of FINESS, also where another register gives the addresses', async () => {
    const site = { 21: '690000013', 23: 'F690000013' };
    const here = activity({ ...site, 35: '69003' });
    const elsewhere = activity({ ...site, 1: '19000000026', 34: '01000 BOURG', 35: '01000', 36: '01053', 37: 'Bourg' });
    const finess = finessFile(finessEstablishment(LYON), coordinates('690000013', '843000.0', '6520000.0'));
    await bench.run([bench.file('x', registerText('activities', [elsewhere, here])), bench.file('y', finess)]);
    const found = await positions('F690000013');
    expect(found.toSorted((a, b) => a.length - b.length)).toEqual([[], [[45.764611, 4.84001]]]);
  });

  it('are left out where the only address is in another department than that of FINESS', async () => {
    const elsewhere = activity({ 21: '690000013', 23: 'F690000013', 34: '01000 BOURG', 35: '01000' });
    const finess = finessFile(finessEstablishment(LYON), coordinates('690000013', '843000.0', '6520000.0'));
    await bench.run([bench.file('x', registerText('activities', [elsewhere])), bench.file('y', finess)]);
    expect(await positions('F690000013')).toEqual([[]]);
  });

  it('of FINESS JSON are the pair in degrees, whichever it is, and win over the text', async () => {
    const at = (coordonneesGeographique: Names) => ({
      adresse: [{ usageAdresse: '03', codePostal: '69003', ligneAcheminement: 'LYON', coordonneesGeographique }],
    });
    const entity = legalEntity({
      ...at({ coordonneeX: '0', coordonneeY: '0' }),
      ege: [
        establishment(
          at({ coordonneeX: '4.85', coordonneeY: '45.75', directionLatitude: '6577813.0', directionLongitude: '9396' }),
        ),
      ],
    });
    const text = finessFile(finessEstablishment(LYON), coordinates('690000013', '843000.0', '6520000.0'));
    const report = await bench.run([bench.file('x', finessJson([entity])), bench.file('y', text)]);
    expect(await positions('F690000013')).toEqual([[[45.75, 4.85]]]);
    expect(await positions('F690000021')).toEqual([[]]);
    expect(warned(report, 'impossible-position')).toBe(1);
  });

  it('that cannot be are left out and counted: unknown systems, other areas, and far from their department', async () => {
    const numbers = Array.from({ length: 14 }, (_, at) => `6900000${at + 10}`);
    const structures = numbers.map((number) => finessEstablishment({ ...LYON, 1: number }));
    const [far, outside, unknown, ...near] = numbers as [string, string, string, ...string[]];
    const report = await bench.run([
      bench.file(
        'x',
        finessFile(
          ...structures,
          // 6 degrees of longitude are 460 km.
          coordinates(far, '400000.0', '6520000.0'),
          coordinates(outside, '0', '0'),
          coordinates(unknown, '843000.0', '6520000.0', 'ED50'),
          ...near.map((number, at) => coordinates(number, `84${at % 10}000.0`, '6520000.0')),
        ),
      ),
    ]);
    expect([warned(report, 'impossible-position'), warned(report, 'unknown-projection')]).toEqual([2, 1]);
    for (const number of [far, outside, unknown]) expect(await positions(`F${number}`)).toEqual([[]]);
    for (const number of near)
      expect(await positions(`F${number}`)).toEqual([[[expect.any(Number), expect.any(Number)]]]);
  });
});
