// Files that were cut off or have holes, and the buckets into which an edition is put.

import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { openPasses } from '#import/passes/passes.ts';
import { refuseHole, refuseTruncated, refuseWithoutCoordinates } from '#import/passes/truncation.ts';
import { newFolder } from '#support/new-folder.ts';

describe('import: files that were cut off', () => {
  const block = (text: string, more: object = {}) =>
    ({ bytes: Buffer.from(text), utf8: true, firstLine: 5, unfinished: true, endless: false, ...more }) as never;
  const source = (more: object = {}) =>
    ({ input: { name: 'f.csv' }, recognised: {}, report: { lines: 7 }, ...more }) as never;

  it('a hole of 256 bytes', () => {
    const hole = (zeros: number) => () => refuseHole(block(`a\nb\n${'\u0000'.repeat(zeros)}`), source());
    expect(hole(255)).not.toThrow();
    expect(() => refuseHole(block('\u0000'.repeat(256)), source())).toThrow('f.csv, line 5: the file has a hole');
    expect(hole(256)).toThrow('f.csv, line 7: the file has a hole here: it is incomplete. Download it again.');
  });

  it('a last line without its line break, unless it is visibly whole', () => {
    const cut =
      'f.csv, line 6: the file ends in the middle of this line: it is truncated. Download it again. If it is whole as it is, add a line break at its end.';
    const refused = (text: string, binding?: object) => {
      try {
        refuseTruncated(block(`first\n${text}`), source({ recognised: binding ? { binding } : {} }));
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    };
    // The first line of a block is whole in any case where the header demands nothing.
    const bound = { cells: 3, trailing: true };
    const first = (text: string, binding: object) => {
      try {
        refuseTruncated(block(text), source({ recognised: { binding } }));
        return true;
      } catch {
        return false;
      }
    };
    expect([first('a|b|c|', bound), first('a|b|c', bound), first('a|b|c||', bound)]).toEqual([true, false, false]);
    expect(first('a|b|c|', { cells: 3, trailing: false })).toBe(false);
    expect(refused('\r')).toBeUndefined();
    expect(() => refuseTruncated(block('x', { unfinished: false }), source())).not.toThrow();
    const whole = (text: string) => {
      try {
        refuseTruncated(block(text), source());
        return true;
      } catch (error) {
        expect((error as Error).message).toBe(cut.replace('line 6', 'line 5'));
        return false;
      }
    };
    const dated = (count: number, kind: string, behind = 0) =>
      [
        kind,
        ...Array.from({ length: count - 2 - behind }, () => ''),
        '2026-10-08',
        ...Array.from({ length: behind }, () => ''),
      ].join(';');
    expect([
      ...[whole(dated(4, 'finess')), whole(dated(23, 'structureej')), whole(dated(32, 'structureet', 1))],
      ...[whole(dated(6, 'geolocalisation')), whole(dated(5, 'finess')), whole(dated(32, 'structureet'))],
      ...[whole(dated(22, 'structureej')), whole('structureej;x'), whole(dated(4, 'finess').slice(0, -1)), whole('')],
    ]).toEqual([true, true, true, true, false, false, false, false, false, true]);
  });

  it('coordinates of less than half of the establishments', () => {
    const refused = (name: string, structureet: number, geolocalisation: number) => {
      try {
        refuseWithoutCoordinates(source({ input: { name }, finessLines: { structureet, geolocalisation } }));
        return undefined;
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect([refused('x.csv', 9, 0), refused('x.csv', 2, 1), refused('in/etalab-cs1100507.csv', 0, 0)]).toEqual([
      ...[undefined, undefined, undefined],
    ]);
    const cut = (name: string, found: number, of: number) =>
      `${name}, line 8: the file ends here with coordinates for ${found} of its ${of} establishments: it is truncated. Download it again.`;
    expect(refused('x.csv', 3, 1)).toBe(cut('x.csv', 1, 3));
    expect(refused('in/1100507_a.csv', 2, 0)).toBe(cut('in/1100507_a.csv', 0, 2));
    expect([refused('1100507/x.csv', 2, 0), refused('1100507.zip!x.csv', 2, 0)]).toEqual([undefined, undefined]);
    expect(() => refuseWithoutCoordinates(source())).not.toThrow();
  });
});

describe('import: the buckets of an edition', () => {
  const jobOf = (plainSize: number, more: object = {}) => {
    const sources = [
      {
        input: { name: 'x', size: 1e9, plainSize },
        recognised: { kind: 'finess' },
        report: { name: 'x', lines: 1, leftOut: 0, ...more },
        file: 0,
      },
    ];
    using passes = openPasses({
      folder: newFolder(),
      sources: sources as never,
      namespace: 'https://x.example',
      collector: createCollector(),
      largestUnpacked: 1e12,
      bucketBytes: 1000,
    });
    return passes.job();
  };

  it('are a power of two, half as many for structures, and 256 at most', () => {
    const buckets = [0, 1000, 1001, 4000, 4001, 256_000, 300_000].map((plain) => jobOf(plain).buckets);
    expect(buckets.map(({ people }) => people)).toEqual([1, 1, 2, 4, 8, 256, 256]);
    expect(buckets.map(({ structures }) => structures)).toEqual([1, 1, 1, 2, 4, 128, 128]);
  });

  it('go to the mappers with what they need', () => {
    const { folder, ...job } = jobOf(1000, { parts: { structureet: 3 } });
    expect(folder).toBeDefined();
    expect(job).toEqual({
      sources: [
        {
          file: 0,
          recognised: { kind: 'finess' },
          report: { name: 'x', lines: 1, leftOut: 0, parts: { structureet: 3 } },
        },
      ],
      namespace: 'https://x.example',
      buckets: { people: 1, structures: 1 },
      large: false,
      areas: new Map(),
      mailboxKeys: { id: new Set(), siret: new Set(), national: new Set() },
      finess: new Set(['structureet']),
    });
    expect([jobOf((64 << 20) - 1).large, jobOf(64 << 20).large]).toEqual([false, true]);
  });
});
