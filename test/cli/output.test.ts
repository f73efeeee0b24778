// What operators read of a long command and of an edition that was judged.

import { describe, expect, it } from '@jest/globals';
import { describeContent, describeRegisters } from '#cli/directory/judgement-text.ts';
import { withoutFolder } from '#cli/directory/report-text.ts';
import { createProgress, grouped } from '#cli/support/progress.ts';
import type { Judgement } from '#import/judgement/judgement.ts';

describe('operations: progress', () => {
  function display(isTTY: boolean) {
    const written: string[] = [];
    let time = 0;
    const progress = createProgress({ isTTY, write: (text) => written.push(text) }, () => time);
    const at = (seconds: number, count: number, done: number) => {
      time = seconds * 1000;
      progress.show({ name: 'reading', done, count, unit: 'lines' });
    };
    return { written, at, progress };
  }

  it('draws a bar with rate and time left on a terminal, and clears it', () => {
    const { written, at, progress } = display(true);
    at(0, 0, 0);
    at(0.05, 10, 0.01);
    at(10, 25_000, 0.25);
    progress.end();
    expect(written).toHaveLength(3);
    expect(written[1]).toBe('\rreading    [######..................] 25 %  25 000 lines, 2 500/s, 30 s left\u001b[K');
    expect(written[2]).toBe('\r\u001b[K');
  });

  it('writes a line every few seconds elsewhere', () => {
    const { written, at, progress } = display(false);
    for (let second = 0; second <= 12; second++) at(second, second * 1000, second / 20);
    progress.end();
    expect(written).toHaveLength(2);
    expect(written.every((line) => line.endsWith('\n') && !line.includes('\r'))).toBe(true);
  });

  it('sets thousands apart', () => {
    expect(grouped(1234567)).toBe('1 234 567');
  });
});

describe('operations: what is said of an edition that was judged', () => {
  const NOTHING: Judgement = {
    verdict: 'accepted',
    reasons: [],
    registers: [],
    columns: [],
    departments: [],
    consistency: [],
    doubtful: [],
  };

  it('a judgement shows where registers disagree, and what is doubtful', () => {
    const skills = { guard: 'unknown-people', register: 'skills', meaning: 'people of it are unknown', examples: [] };
    const doubtful = [
      { kind: 'fused-people' as const, reference: 'Practitioner/1', reason: 'two names', linked: true as const },
      { kind: 'fused-people' as const, reference: 'Practitioner/0', reason: 'two names' },
    ];
    const consistency = [
      { ...skills, checked: 2000, odd: 25, now: 0.0125, before: 0.005 },
      { ...skills, checked: 2000, odd: 1, now: 0.0005 },
      { ...skills, checked: 2000, odd: 25, now: 0.0125, before: 0.011 },
      { ...skills, checked: 2000, odd: 0, now: 0 },
    ];
    expect(describeContent({ ...NOTHING, consistency, doubtful })).toEqual([
      'Doubtful: Practitioner/1 (sign-in accounts are linked to it): two names',
      'Doubtful: Practitioner/0: two names',
      'skills: 25 of 2 000 people of it are unknown (1.3 %; before: 0.5 %)',
      'skills: 1 of 2 000 people of it are unknown (0.1 %)',
    ]);
  });

  it('registers stand beside those of the edition before, where there is one', () => {
    const activities = { register: 'activities', title: 'A', now: { lines: 12345, date: '2026-10-08T08:30' } };
    const gone = { register: 'skills', title: 'S', now: { lines: 0 }, before: { lines: 7, date: '2026-10-07T08:30' } };
    expect(describeRegisters({ ...NOTHING, registers: [activities] })).toEqual([
      'register     lines  edition',
      'activities  12 345  2026-10-08T08:30',
    ]);
    expect(describeRegisters({ ...NOTHING, registers: [activities, gone] })).toEqual([
      'register     lines  before  edition           before',
      'activities  12 345          2026-10-08T08:30',
      'skills           0       7                    2026-10-07T08:30',
    ]);
  });

  it('ids that were added are no news at a first import', () => {
    const none = { added: [], removed: [], changed: [], compared: 0, elements: {} };
    const samples = { Practitioner: { ...none, added: ['1'] }, Organization: none, PractitionerRole: none };
    const first = { register: 'activities', title: 'A', now: { lines: 2 } };
    expect(describeContent({ ...NOTHING, samples, registers: [first] })).toEqual([]);
    expect(describeContent({ ...NOTHING, samples, registers: [{ ...first, before: { lines: 1 } }] })).toEqual([
      'Practitioner added, such as 1',
    ]);
  });

  it('paths are shortened by their folder, and not where its name stands inside a longer one', () => {
    const texts = [
      'skills: /srv/a/one.txt, /srv/a/b/two.txt',
      '/mnt/srv/a/one.txt',
      '/srv/ab/one.txt',
      '/srv/a/srv/a/one.txt',
    ];
    expect(withoutFolder(texts, '/srv/a')).toEqual([
      'skills: one.txt, b/two.txt',
      '/mnt/srv/a/one.txt',
      '/srv/ab/one.txt',
      'srv/a/one.txt',
    ]);
    expect(withoutFolder(texts, undefined)).toEqual(texts);
  });
});
