// Directory data, renewal: which files of a folder are the newest edition, by their names alone.

import { describe, expect, it } from '@jest/globals';
import { nameWithoutDate, newestByName } from '#import/sources/newest-editions.ts';

describe('renewal: editions among the files of a folder', () => {
  const choose = (...names: string[]) => {
    const choice = newestByName(names.map((name) => ({ name })));
    const namesOf = (files: readonly { name: string }[]) => files.map(({ name }) => name);
    return { taken: namesOf(choice.taken), older: namesOf(choice.older), implausible: namesOf(choice.implausible) };
  };

  it('takes the newest of each register, whatever its packing and folder', () => {
    const chosen = choose(
      'PS_LibreAcces_Personne_activite_202610080830.txt',
      'PS_LibreAcces_Personne_activite_202610090831.txt.gz',
      'PS_LibreAcces_SavoirFaire_202610080830.txt',
      'etalab-cs1100501-stock-20261008-0830.csv',
      'new/etalab-cs1100501-stock-20261009-0830.csv',
      'etalab-cs1100502-stock-20261008-0830.csv',
    );
    expect(chosen.older).toEqual([
      'PS_LibreAcces_Personne_activite_202610080830.txt',
      'etalab-cs1100501-stock-20261008-0830.csv',
    ]);
    expect(chosen.taken).toHaveLength(4);
  });

  it('finds the date in the folder where the name has none', () => {
    expect(choose('2026-10-08/pa.txt', '2026-10-09/pa.txt', '2026-10-09/sf.txt')).toMatchObject({
      taken: ['2026-10-09/pa.txt', '2026-10-09/sf.txt'],
      older: ['2026-10-08/pa.txt'],
    });
  });

  it('takes all parts of the newest edition, and none of an older one that had more', () => {
    expect(choose('a/x_20261008.txt', 'b/x_20261008.txt').taken).toHaveLength(2);
    const parts = ['2026-10-09/Practitioner-1.ndjson', '2026-10-08/Practitioner-1.ndjson'];
    expect(choose(...parts, '2026-10-08/Practitioner-2.ndjson').taken).toEqual(parts.slice(0, 1));
    // A number before the date belongs to the name.
    expect(choose('x-01_20261008.ndjson', 'x-02_20261007.ndjson').taken).toHaveLength(2);
  });

  it('takes what has no date, beside the newest that has one: what to do about it is decided when they are opened', () => {
    expect(choose('pa.txt', 'deep/pa.txt', 'sf.txt').taken).toHaveLength(3);
    expect(choose('pa.txt', 'pa_20261008.txt', 'pa_20261007.txt')).toMatchObject({
      taken: ['pa.txt', 'pa_20261008.txt'],
      older: ['pa_20261007.txt'],
    });
  });

  it('passes over a date that cannot be, unless there is no other file', () => {
    const wrong = ['x_209901010000.txt', 'x_20261345.txt', 'x_202602301200.txt', 'x_202610082530.txt'];
    expect(choose(...wrong, 'x_202610080830.txt')).toEqual({
      taken: ['x_202610080830.txt'],
      older: [],
      implausible: wrong,
    });
    expect(choose(...wrong).taken).toEqual(wrong);
  });

  it.each([
    ['PS_LibreAcces_SavoirFaire_202610080830.txt.gz', 'ps_libreacces_savoirfaire.txt'],
    ['in/PS_LibreAcces_SavoirFaire_202610080830 (1).txt', 'ps_libreacces_savoirfaire.txt'],
    ['etalab-cs1100501-stock-20261008-0342.csv', 'etalab-cs1100501-stock.csv'],
    ['etalab-cs1100502.csv', 'etalab-cs1100502.csv'],
    ['Practitioner-1.ndjson', 'practitioner.ndjson'],
    ['Practitioner_20261008_part-02.ndjson', 'practitioner.ndjson'],
    ['dep-2A_20261008.ndjson', 'dep-2a.ndjson'],
  ])('%s is an edition of %s', (name, register) => {
    expect(nameWithoutDate(name)).toBe(register);
  });
});
