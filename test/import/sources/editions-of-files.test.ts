// Directory data, renewal: the dates of files, and which files of a folder are the newest edition.

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { recogniseInputs } from '#import/registers/recognise-inputs.ts';
import { compareDates, datesIn, daysBetween, editionDate } from '#import/sources/edition-date.ts';
import { listInputs } from '#import/sources/inputs.ts';
import { nameWithoutDate, newestByName } from '#import/sources/newest-editions.ts';
import { zip } from '#support/import/archive.ts';
import { HEADERS, type PipeRegister } from '#support/import/register-files.ts';
import { newFolder } from '#support/new-folder.ts';

describe('import: dates', () => {
  const NOW = Date.UTC(2026, 11, 1, 12, 0);

  describe('renewal: dates in names', () => {
    it.each([
      ['PS_LibreAcces_Personne_activite_202610080830.txt', '2026-10-08T08:30'],
      ['etalab-cs1100501-stock-20261008-0342.csv', '2026-10-08T03:42'],
      ['finess-structures-journalier-20261008.json.gz', '2026-10-08'],
      ['x-2026-10-08T08:30:15.txt', '2026-10-08T08:30'],
      ['x-20261008T083000Z.zip', '2026-10-08T08:30'],
      ['20261008-083042', '2026-10-08T08:30'],
      ['20261008083042', '2026-10-08T08:30'],
      ['2026_10_08', '2026-10-08'],
      ['x_20240229.txt', '2024-02-29'],
      ['x_20000101.txt', '2000-01-01'],
      // What stands behind a day and a separator need be no time.
      ['x_20261008_2530.txt', '2026-10-08'],
      ['x_20261008-1.txt', '2026-10-08'],
    ])('%s is of %s', (name, date) => {
      expect(datesIn(name, NOW)).toMatchObject([{ date }]);
      expect(datesIn(name, NOW)[0]).not.toHaveProperty('fault');
    });

    it.each([
      'etalab-cs1100501.csv',
      'finess-structures-mensuel-202608.json.gz',
      'x_1202610080830.txt',
      // A SIRET number and identifiers.
      'x_20005480700017.txt',
      '20261345-ab12-4cde-8f01-0123456789ab.ndjson',
      'a3f2-20991231aa0099ff20991231aa0099ff.ndjson',
      'x_08102026.txt',
    ])('%s has no date', (name) => {
      expect(datesIn(name, NOW)).toEqual([]);
    });

    it.each([
      ['x_20261345.txt', /2026-13-45, is no day of the calendar/],
      ['x_2026-02-30.txt', /2026-02-30, is no day of the calendar/],
      ['x_20250229.txt', /is no day/],
      ['x_202613081200.txt', /is no day/],
      ['x_202610082530.txt', /2026-10-08T25:30, is no time of a day/],
      ['x_202610082400.txt', /is no time/],
      ['x_202610080860.txt', /is no time/],
      ['x_20261008T2530.txt', /is no time/],
      ['x_19991231.txt', /is before 2000/],
      ['x_209901010000.txt', /2099-01-01T00:00, is in the future \(the clock says 2026-12-01T12:00 UTC\)/],
      // A day more than now: clocks, and time zones.
      ['x_202612021201.txt', /in the future/],
    ])('the date in %s cannot be', (name, fault) => {
      expect(editionDate(undefined, [name], NOW)).toEqual({ fault: expect.stringMatching(fault) });
    });

    it('takes a date up to a day later than the clock, and one from before this release whatever the clock says', () => {
      expect(editionDate(undefined, ['x_202612021200'], NOW)).toEqual({ date: '2026-12-02T12:00' });
      expect(editionDate(undefined, ['x_202610080830'], 0)).toEqual({ date: '2026-10-08T08:30' });
    });
  });

  describe('renewal: the date of a source', () => {
    const of = (content: string | undefined, ...names: string[]) => editionDate(content, names, NOW);

    it('is that of the content, else of the name, else of the nearest folder', () => {
      expect(of('2026-10-08', 'x_20261009', '2026-10-10')).toEqual({ date: '2026-10-08' });
      expect(of('2026-10-08T02:06:22.123456789Z', 'x')).toEqual({ date: '2026-10-08T02:06' });
      expect(of(undefined, 'x_20261009', '2026-10-10')).toEqual({ date: '2026-10-09' });
      expect(of(undefined, 'x', 'deep', '2026-10-10', '2026-10-11')).toEqual({ date: '2026-10-10' });
      expect(of('no date', 'x', 'deep')).toEqual({});
    });

    it('takes the time of the day from the name where the content says the day', () => {
      expect(of('2026-10-08', 'etalab-cs1100501-stock-20261008-0342.csv')).toEqual({ date: '2026-10-08T03:42' });
    });

    it('is the earliest of several in a name: others say when it was fetched', () => {
      expect(of(undefined, 'x_202610080830_of_20261122.txt')).toEqual({ date: '2026-10-08T08:30' });
      expect(of(undefined, '20261122_x_202610080830.txt')).toEqual({ date: '2026-10-08T08:30' });
      expect(of(undefined, 'x_20261008_20269999.txt')).toEqual({ date: '2026-10-08' });
    });

    it('cannot be where either is wrong', () => {
      expect(of('2026-02-30', 'x_20261008').fault).toMatch(/2026-02-30/);
      expect(of('2026-10-08', 'x_20990101').fault).toMatch(/2099-01-01/);
    });

    it('names a conflict from more than two days on', () => {
      expect(of('2026-10-08', 'x_20261010')).toEqual({ date: '2026-10-08' });
      const conflict = '2026-10-08 in the content, 2026-10-11 in the name';
      expect(of('2026-10-08', 'x_20261011')).toEqual({ date: '2026-10-08', conflict });
      expect(of('2026-10-11', 'x_20261008')).toHaveProperty('conflict');
      // A folder may be named by the day of the download.
      expect(of('2026-05-12', 'x.csv', '2026-10-08')).not.toHaveProperty('conflict');
    });

    it('is compared as far as both say', () => {
      expect(compareDates('2026-10-08', '2026-10-08T08:30')).toBe(0);
      expect(compareDates('2026-10-08T08:29', '2026-10-08T08:30')).toBe(-1);
      expect(compareDates('2026-10-09', '2026-10-08T08:30')).toBe(1);
      expect(daysBetween('2026-10-08', '2026-10-09T12:00')).toBe(1.5);
    });
  });
});

// Which names say the date of a file, however it was given and packed; and which files of a folder are never opened.
describe('import: files of folders', () => {
  let root: string;
  beforeEach(() => {
    root = newFolder();
  });

  const text = (register: PipeRegister, more = '') => Buffer.from(`${HEADERS[register]}\n${more}`);
  const put = (name: string, content: Buffer) => {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, content);
    return path;
  };

  /** Names within the folder with their dates, and warnings. */
  async function read(paths: readonly string[], foundIn?: string) {
    const collector = createCollector();
    const inputs = await listInputs(paths, { warn: collector.warn, ...(foundIn !== undefined && { foundIn }) });
    const sources = await recogniseInputs(inputs, collector);
    return {
      files: Object.fromEntries(
        sources.map(({ report: { name, edition } }) => [name.slice(root.length + 1), edition?.slice(5, 10)]),
      ),
      warnings: collector.warnings().flatMap(({ kind, examples }) => examples.map((one) => `${kind} ${one}`)),
    };
  }

  describe('renewal: where a file has its date from', () => {
    it('a named file from its own name, the folder it lies in, or the file behind a link', async () => {
      const own = put('2026-10-07/skills_20261008.txt', text('skills'));
      const folder = put('20261009-083042/pa.txt', text('activities'));
      put('store/dipl_20261010.txt', text('diplomas'));
      symlinkSync('store/dipl_20261010.txt', join(root, 'latest.txt'));
      const { files } = await read([own, folder, join(root, 'latest.txt')]);
      expect(Object.values(files)).toEqual(expect.arrayContaining(['10-08', '10-09', '10-10']));
    });

    it('a link from its own name rather than from that of a store', async () => {
      put('.store/20261001', text('skills'));
      symlinkSync('../.store/20261001', join(root, '.store/skills_20261008.txt'));
      expect((await read([join(root, '.store/skills_20261008.txt')])).files).toEqual({ '.store/20261001': '10-08' });
    });

    it('a member of an archive from its name, else from that of the archive, else from the folder', async () => {
      put('in/a_20261008.zip', zip('skills.txt', text('skills')));
      put('in/b_20261008.zip', zip('dipl_20261009.txt', text('diplomas')));
      put('in/2026-10-10/c.zip', zip('2026-10-11/pa.txt', text('activities')));
      put('in/2026-10-10/d.zip', zip('deep/m.txt', text('mailboxes')));
      expect((await read([join(root, 'in')])).files).toEqual({
        'in/a_20261008.zip!skills.txt': '10-08',
        'in/b_20261008.zip!dipl_20261009.txt': '10-09',
        'in/2026-10-10/c.zip!2026-10-11/pa.txt': '10-11',
        'in/2026-10-10/d.zip!deep/m.txt': '10-10',
      });
    });

    it('files of a folder from that folder and those below, not from those above', async () => {
      put('2026-01-15/in/2026-10-08/deep/skills.txt', text('skills'));
      put('2026-01-15/in/pa.txt', text('activities'));
      const dates = ['10-08', undefined];
      const folder = join(root, '2026-01-15/in');
      expect(Object.values((await read([folder])).files).sort()).toEqual(dates);
      const paths = [join(folder, '2026-10-08/deep/skills.txt'), join(folder, 'pa.txt')];
      expect(Object.values((await read(paths, folder)).files).sort()).toEqual(dates);
      expect(Object.values((await read([join(root, '2026-01-15')])).files).sort()).toEqual(['01-15', '10-08']);
    });
  });

  describe('renewal: a folder that holds several editions', () => {
    it.each([false, true])('is read as its newest one, and nothing older is opened (watched: %s)', async (watched) => {
      put('in/PS_LibreAcces_SavoirFaire_202610070830.txt.gz', gzipSync(text('skills')).subarray(0, 30));
      put('in/PS_LibreAcces_202610070830.zip', Buffer.from('PK\x03\x04 damaged'));
      put('in/PS_LibreAcces_202610080830.zip', zip('pa.txt', text('activities')));
      put('in/PS_LibreAcces_SavoirFaire_202610080830.txt', text('skills', '1'));
      put('in/PS_LibreAcces_SavoirFaire_209901010000.txt', text('skills', '2'));
      // It is of the same register by its content only.
      put('in/skills-20261006.txt', text('skills', '3'));
      const folder = join(root, 'in');
      const names = ['SavoirFaire_202610070830.txt.gz', '202610070830.zip', '202610080830.zip'];
      names.push('SavoirFaire_202610080830.txt', 'SavoirFaire_209901010000.txt');
      const paths = [
        ...names.map((name) => join(folder, `PS_LibreAcces_${name}`)),
        join(folder, 'skills-20261006.txt'),
      ];
      const { files, warnings } = watched ? await read(paths, folder) : await read([folder]);
      expect(files).toEqual({
        'in/PS_LibreAcces_202610080830.zip!pa.txt': '10-08',
        'in/PS_LibreAcces_SavoirFaire_202610080830.txt': '10-08',
      });
      expect(warnings.sort()).toEqual([
        expect.stringMatching(
          /^implausible-date .*SavoirFaire_209901010000\.txt: its date, 2099-01-01T00:00, is in the/,
        ),
        expect.stringMatching(/^passed-over-edition .*PS_LibreAcces_202610070830\.zip: 2026-10-07T08:30$/),
        expect.stringMatching(/^passed-over-edition .*SavoirFaire_202610070830\.txt\.gz: /),
        expect.stringMatching(/^passed-over-edition .*skills-20261006\.txt: 2026-10-06$/),
      ]);
    });

    it('beside a folder of another edition is refused: the operator named both', async () => {
      put('2026-10-07/skills.txt', text('skills', '1'));
      put('2026-10-08/skills.txt', text('skills', '2'));
      const folders = ['2026-10-07', '2026-10-08'].map((name) => join(root, name));
      await expect(read(folders)).rejects.toThrow(/is of another edition than .* \(2026-10-08 and 2026-10-07\)/);
      expect((await read([root])).files).toEqual({ '2026-10-08/skills.txt': '10-08' });
    });
  });
});

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
