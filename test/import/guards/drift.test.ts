// Directory data, section 4: what stays below the limits of one edition every day does not pass for ever.

import { describe, expect, it } from '@jest/globals';
import type { ImportReport } from '#import/judgement/import-report.ts';
import { rollBack } from '#store/snapshots/registry.ts';
import { activity, openBench, registerText } from '#support/import/register-files.ts';
import { openedForEach } from '#support/opened.ts';

describe('import: drift', () => {
  const bench = openedForEach(openBench);

  /** Loads people by number, `from` to `to`. */
  const load = (from: number, to: number, accept: string[] = []) => {
    const lines = Array.from({ length: to - from }, (_, index) => activity({ 1: String(19000000000 + from + index) }));
    const path = bench.file('pa.txt', registerText('activities', lines));
    return bench.run([path], { accept: accept.map((name) => ({ name })) });
  };
  const failed = ({ guards }: ImportReport, name: string) => guards.filter((one) => one.name === name && !one.passed);
  const daysAgo = (days: number) =>
    bench.database('directory_judgements').update({ made_at: Math.floor(Date.now() / 1000) - days * 86_400 });

  describe('directory data 4: drift over 30 days', () => {
    it('8.5 % fewer people twice: the second is refused, and the figures name both', async () => {
      await load(0, 200);
      expect((await load(0, 183)).outcome).toBe('imported');
      const second = await load(0, 168);
      expect(second.outcome).toBe('refused');
      expect(failed(second, 'shrinkage')).toEqual([]);
      expect(failed(second, 'drift').map(({ register, figures }) => `${register}: ${figures}`)).toEqual([
        expect.stringMatching(/^Practitioner: 200 on \d{4}-\d\d-\d\d, 168 now \(16\.0 % fewer, limit 15\.0 %\)$/),
        expect.stringMatching(/^PractitionerRole: 200 on /),
        expect.stringMatching(/^activities: 200 on /),
      ]);
      expect((await load(0, 170)).outcome).toBe('imported');
      const third = await load(0, 100);
      expect(failed(third, 'shrinkage').map(({ register }) => register)).toEqual(['Practitioner', 'PractitionerRole']);
      expect([...failed(third, 'drift'), ...failed(third, 'turnover')]).toEqual([]);
    });

    it('what is older than 30 days does not count, nor what an operator accepted', async () => {
      await load(0, 200);
      await load(0, 183);
      await daysAgo(31);
      expect((await load(0, 168)).outcome).toBe('imported');
      expect((await load(0, 100, ['shrinkage', 'registers', 'removed', 'drift', 'turnover'])).outcome).toBe('imported');
      expect((await load(0, 95)).outcome).toBe('imported');
    });

    it('of refused editions only the newest is kept, and every one that was loaded', async () => {
      await load(0, 100);
      for (const size of [20, 30, 10]) expect((await load(0, size)).outcome).toBe('refused');
      const kept = () => bench.database('directory_judgements').orderBy('id').pluck('counts');
      expect(await kept()).toEqual([
        expect.stringContaining('"Practitioner":100'),
        expect.stringContaining('"Practitioner":10,'),
      ]);
      await load(0, 99);
      expect(await kept()).toEqual([
        expect.stringContaining('"Practitioner":100'),
        expect.stringContaining('"Practitioner":99'),
      ]);
    });

    it('an edition that was left by a rollback is nothing to compare with', async () => {
      await load(0, 100);
      await load(0, 200);
      await rollBack(bench.database);
      expect((await load(0, 99)).outcome).toBe('imported');
    });

    it('turnover: as many others every day', async () => {
      await load(0, 100);
      for (const day of [1, 2, 3]) expect((await load(10 * day, 100 + 10 * day)).outcome).toBe('imported');
      const fourth = await load(40, 140);
      expect(failed(fourth, 'turnover').map(({ register, figures }) => `${register}: ${figures}`)).toEqual([
        'Practitioner: 40 went in 4 editions, of 100 (40.0 %, limit 30.0 %)',
        'PractitionerRole: 40 went in 4 editions, of 100 (40.0 %, limit 30.0 %)',
      ]);
    });
  });

  it('directory data 4: an edition that came twice in one file is no larger than the next one', async () => {
    const lines = Array.from({ length: 100 }, (_, index) => activity({ 1: String(19000000000 + index) }));
    const run = (some: typeof lines) => bench.run([bench.file('pa.txt', registerText('activities', some))]);
    const twice = await run([...lines, ...lines]);
    expect(twice.files).toMatchObject([{ lines: 200, repeated: 100 }]);
    expect(twice.judgement.registers).toMatchObject([{ now: { lines: 100 } }]);
    expect((await run(lines.slice(0, 99))).outcome).toBe('imported');
    expect(failed(await run([...lines.slice(0, 80), ...lines.slice(0, 80)]), 'registers')).toHaveLength(1);
  });

  describe('directory data 4: nobody has left, as in the files of two days joined', () => {
    const said = ({ guards }: ImportReport) =>
      guards
        .filter(({ name, notable, passed }) => name === 'removed' && (notable || !passed))
        .map(({ figures }) => figures);

    it('is a reason to look, and refused where some left in each edition before', async () => {
      await load(0, 300);
      expect(said(await load(0, 309))).toEqual([]);
      const first = await load(0, 319);
      expect([first.outcome, ...said(first)]).toEqual(['imported', '20 people and roles came and none is gone']);
      await load(10, 329);
      const joined = await load(10, 339);
      expect([joined.outcome, ...said(joined)]).toEqual([
        'refused',
        '20 people and roles came and none is gone; 20 and more went in each edition of 30 days',
      ]);
      expect((await load(10, 339, ['removed'])).outcome).toBe('imported');
    });

    it('fewer left than the limit is a reason to look, from a quarter of it on', async () => {
      await load(0, 1000);
      expect(said(await load(25, 1000))).toEqual([]);
      expect(said(await load(50, 1010))).toEqual(
        ['Practitioner', 'PractitionerRole'].map(() => '25 of 975 are not in this edition (2.56 %, limit 10.0 %)'),
      );
    });
  });

  describe('directory data 4: a register that the operator accepts to be missing', () => {
    it('is reminded of at each load until it comes back, with the day since when', async () => {
      const activities = (size: number) =>
        bench.file(
          'pa.txt',
          registerText(
            'activities',
            Array.from({ length: size }, (_, index) => activity({ 1: String(19000000000 + index) })),
          ),
        );
      const skills = bench.file(
        'sf.txt',
        registerText(
          'skills',
          Array.from({ length: 30 }, (_, index) => ({ 2: `8${19000000000 + index}` })),
        ),
      );
      const run = async (size: number, ...more: string[]) =>
        (
          await bench.run([activities(size), ...more], {
            accept: [{ name: 'registers' }, { name: 'drift' }, { name: 'columns' }],
          })
        ).judgement;
      const reminders = ({ reasons }: ImportReport['judgement']) => reasons.filter((one) => /missing still/.test(one));
      await run(100, skills);
      const first = await run(101);
      expect([first.verdict, reminders(first)]).toEqual(['accepted with warnings', []]);
      const today = new Date().toISOString().slice(0, 10);
      for (const size of [102, 103])
        expect(reminders(await run(size))).toEqual([
          expect.stringContaining(`such as PS_LibreAcces_SavoirFaire since ${today}`),
        ]);
      expect(reminders(await run(104, skills))).toEqual([]);
      expect(reminders(await run(105, skills))).toEqual([]);
    });
  });

  describe('directory data 4: what changed', () => {
    const changed = (count: number, cells: (index: number) => Record<number, string>) => {
      const lines = Array.from({ length: count }, (_, index) =>
        activity({ 1: String(19000000000 + index), ...cells(index) }),
      );
      return bench.run([bench.file('pa.txt', registerText('activities', lines))]);
    };

    it('a fifth of the people of a larger directory, from 200 on', async () => {
      await changed(1000, () => ({}));
      const one = await changed(1000, (index) => (index < 200 ? { 9: '60', 10: 'Infirmier' } : {}));
      expect(one.outcome).toBe('imported');
      const more = await changed(1000, (index) => (index < 401 ? { 9: '60', 10: 'Infirmier' } : {}));
      expect(failed(more, 'changed').map(({ figures }) => figures)).toEqual([
        expect.stringMatching(
          /^201 of 1000 differ \(20\.1 %, limit 20\.0 %, 40\.1 % in 2 editions, limit 80\.0 %\); such as Practitioner\/819\d+, qualification: \.\.\..*Médecin.* -> \.\.\..*Infirmier/,
        ),
      ]);
      expect(more.judgement.samples?.Practitioner).toMatchObject({ compared: 201, elements: { qualification: 201 } });
    });

    it('19 % every day: the fifth time is refused', async () => {
      const numbers = Array.from({ length: 1100 }, () => 12);
      const onDay = (day: number) => {
        numbers.fill(100 + day, 209 * (day - 1), 209 * day);
        return changed(1100, (index) => ({ 28: String(numbers[index]) }));
      };
      await onDay(0);
      for (const day of [1, 2, 3, 4]) expect((await onDay(day)).outcome).toBe('imported');
      const fifth = await onDay(5);
      expect(failed(fifth, 'changed').map(({ register, figures }) => `${register}: ${figures}`)).toEqual([
        expect.stringMatching(
          /^Practitioner: 209 of 1100 differ \(19\.0 %, limit 20\.0 %, 95\.0 % in 5 editions, limit 80\.0 %\)/,
        ),
      ]);
      await daysAgo(31);
      expect((await onDay(5)).outcome).toBe('imported');
    });

    it('addresses of a few people with one: almost all of them', async () => {
      const address = (index: number, other: boolean) =>
        `${other ? 'martin.j' : 'jeanne.martin'}.${index}@mail.example`;
      const load = async (isOther: (index: number) => boolean) => {
        const people = Array.from({ length: 1100 }, (_, index) => activity({ 1: String(19000000000 + index) }));
        const boxes = people.slice(0, 400).map((cells, index) => ({
          ...{ 0: 'PER', 1: address(index, isOther(index)), 2: '8', 3: cells[1] ?? '', 4: `8${cells[1]}` },
          ...{ 9: cells[7] ?? '', 10: cells[8] ?? '' },
        }));
        return bench.run([
          bench.file('pa.txt', registerText('activities', people)),
          bench.file('mss.txt', registerText('mailboxes', boxes)),
        ]);
      };
      const elements = ({ guards }: ImportReport) =>
        guards
          .filter(({ name, passed }) => name === 'elements' && !passed)
          .map(({ register, figures }) => `${register}: ${figures}`);
      await load(() => false);
      expect(elements(await load((index) => index < 199))).toEqual([]);
      expect(elements(await load((index) => index >= 198))).toEqual([
        expect.stringMatching(
          /^Practitioner: telecom: about \d+ of 400 differ \(\d+\.\d %, limit 20\.0 %\); such as Practitioner\/819/,
        ),
      ]);
    });

    it('kinds of structures: from fifty on, one in a hundred', async () => {
      const load = (others: number) =>
        changed(400, (index) => ({
          ...{ 23: `R${10_000_000 + index}`, 24: `CABINET ${index}` },
          ...(index < others ? { 48: 'SA05', 49: 'Centre de santé' } : { 48: 'SA07', 49: 'Cabinet individuel' }),
        }));
      const types = async (others: number) => {
        const found = failed(await load(others), 'elements');
        return found.map(({ register, figures }) => `${register}: ${figures}`);
      };
      await load(0);
      expect(await types(49)).toEqual([]);
      expect(await types(100)).toEqual([
        expect.stringMatching(/^Organization: type: about 51 of 400 differ \(12\.8 %, limit 1\.00 %\)/),
      ]);
    });

    it('names: swapped labels change them all', async () => {
      await changed(1000, () => ({}));
      expect((await changed(1000, (index) => (index < 49 ? { 7: 'PETIT' } : {}))).outcome).toBe('imported');
      const swapped = await changed(1000, (index) =>
        index >= 900 ? { 7: 'Jeanne', 8: 'MARTIN' } : index < 49 ? { 7: 'PETIT' } : {},
      );
      expect(failed(swapped, 'names-changed').map(({ figures }) => figures)).toEqual([
        expect.stringMatching(
          /^100 of 1000 names differ \(10\.0 %, limit 2\.00 %\), 149 in 2 editions \(14\.9 %, limit 4\.00 %\); such as Practitioner\/.*MARTIN.* -> .*Jeanne/,
        ),
      ]);
    });

    it('names: a little less than the limit every day', async () => {
      await changed(1000, () => ({}));
      const renamed = (from: number) => changed(1000, (index) => (index < from ? { 7: 'PETIT' } : {}));
      expect((await renamed(19)).outcome).toBe('imported');
      expect((await renamed(38)).outcome).toBe('imported');
      expect(failed(await renamed(57), 'names-changed').map(({ figures }) => figures)).toEqual([
        expect.stringMatching(/^19 of 1000 .*, 57 in 3 editions \(5\.70 %, limit 4\.00 %\)/),
      ]);
    });

    it('names of structures: those of the line before', async () => {
      const named = (shift: number) => (index: number) => ({
        23: `R2${String(index).padStart(13, '0')}`,
        24: `CABINET ${String.fromCharCode(65 + ((index + shift) % 26)).repeat(3)}`,
      });
      await changed(400, named(0));
      const some = await changed(400, (index) => named(index < 49 ? 1 : 0)(index));
      expect(some.outcome).toBe('imported');
      const shifted = await changed(400, (index) => named(index < 99 ? 1 : 0)(index));
      expect(failed(shifted, 'names-changed').map(({ register, figures }) => `${register}: ${figures}`)).toEqual([
        expect.stringMatching(
          /^Organization: 50 of 400 names differ \(12\.5 %, limit 2\.00 %\), 99 in 2 editions \(24\.8 %, limit 4\.00 %\); such as Organization\/R2/,
        ),
      ]);
    });
  });
});
