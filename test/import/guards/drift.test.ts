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

  it('directory data 4: a register that the operator accepts to be missing is reminded of at each load until it comes back, with the day since when', async () => {
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
          /^201 of 1000 differ \(20\.1 %, limit 20\.0 %, 40\.1 % in 2 editions, limit 80\.0 %\); such as Practitioner\/819\d+, qualification: 10, Médecin -> 60, Infirmier$/,
        ),
      ]);
      expect(more.judgement.samples?.Practitioner).toMatchObject({ compared: 201, elements: { qualification: 201 } });
    });

    it('addresses of a few people with one: almost all of them', async () => {
      const address = (index: number, other: boolean) =>
        `${other ? 'martin.j' : 'jeanne.martin'}.${index}@mail.example`;
      const load = async (isOther: (index: number) => boolean) => {
        const people = Array.from({ length: 1100 }, (_, index) => activity({ 1: String(19000000000 + index) }));
        const boxes = people.slice(0, 400).map((cells, index) => ({
          0: 'PER',
          1: address(index, isOther(index)),
          2: '8',
          3: cells[1] ?? '',
          4: `8${cells[1]}`,
          9: cells[7] ?? '',
          10: cells[8] ?? '',
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
  });
});
