// Directory import: the coordinates of FINESS become positions of WGS 84 in the address of the structure.

import { describe, expect, it } from '@jest/globals';
import { activity, finessEstablishment, finessFile, openBench, registerText } from '#support/import/register-files.ts';
import { openedForEach } from '#support/opened.ts';

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

  it('belong to the address of FINESS, also where another register gives the addresses', async () => {
    const site = { 21: '690000013', 23: 'F690000013' };
    const here = activity({ ...site, 35: '69003' });
    const elsewhere = activity({ ...site, 1: '19000000026', 34: '01000 BOURG', 35: '01000', 36: '01053', 37: 'Bourg' });
    const finess = finessFile(finessEstablishment(LYON), coordinates('690000013', '843000.0', '6520000.0'));
    await bench.run([bench.file('x', registerText('activities', [elsewhere, here])), bench.file('y', finess)]);
    const found = await positions('F690000013');
    expect(found.toSorted((a, b) => a.length - b.length)).toEqual([[], [[45.764611, 4.84001]]]);
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
