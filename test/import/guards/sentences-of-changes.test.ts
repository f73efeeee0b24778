// What guards on changes and drift say, word for word, and on which side of each limit.

import { describe, expect, it } from '@jest/globals';
import { guardChanged, guardElements, guardNamesChanged } from '#import/guards/changed-resources.ts';
import { changedSinceAccepted, guardDrift } from '#import/guards/drift.ts';
import { guardNobodyLeft, guardTurnover } from '#import/guards/removed-resources.ts';
import { DEFAULT_LIMITS } from '#support/config/guards.ts';
import { judgedEdition, NO_CHANGES, told } from '#support/import/judged-edition.ts';

const counts = (Practitioner: number, Organization = 100, PractitionerRole = 100) => ({
  Practitioner,
  Organization,
  PractitionerRole,
});
const STATISTICS = { columns: {}, values: {}, departments: {} };
/** An edition loaded on this day of November. */
const loaded = (day: number, more: object = {}) => ({
  snapshot: `s${day}`,
  madeAt: new Date(Date.UTC(2026, 10, day, 2)),
  accepted: [] as string[],
  editions: {},
  counts: counts(100),
  removed: counts(0, 0, 0),
  statistics: STATISTICS,
  ...more,
});
const before = (more: object = {}) => ({
  before: { id: 's', editions: {}, counts: counts(1000, 1000, 1000), ...more },
});
const changed = (some: Partial<Record<keyof typeof NO_CHANGES, object>>) => ({
  changes: Object.fromEntries(
    Object.entries(NO_CHANGES).map(([type, none]) => [type, { ...none, ...some[type as keyof typeof NO_CHANGES] }]),
  ),
});
const sample = (elements: object, ...some: object[]) => {
  const one = { changed: some, elements, compared: 100 };
  return { samples: { Practitioner: one, Organization: one, PractitionerRole: one } };
};

describe('directory data 4: what guards on changes say', () => {
  const NAMED = { id: '2', elements: ['name'], from: 'A', to: 'B' };
  const CHANGED = { id: '1', elements: ['telecom', 'name'], from: '', to: 'x' };

  it('changed, now and in 30 days', () => {
    const earlier = (share: number) => loaded(20, { statistics: { ...STATISTICS, changed: { Practitioner: share } } });
    const judged = (many: number, history: object[] = []) =>
      guardChanged(
        judgedEdition({
          history,
          ...before(),
          ...sample({}, CHANGED),
          ...changed({ Practitioner: { changed: many, unchanged: 990 - many, removed: 10 } }),
        }),
      )[0];
    expect(judged(201, [earlier(0.3), earlier(0.9)])?.figures).toBe(
      '201 of 1000 differ (20.1 %, limit 20.0 %, 50.1 % in 2 editions, limit 80.0 %); such as Practitioner/1, telecom: nothing -> x',
    );
    const passed = (many: number, share: number) => judged(many, [earlier(share), earlier(0)])?.passed;
    expect([passed(200, 0.6), passed(200, 0.61), passed(199, 0.9)]).toEqual([true, false, true]);
    expect(guardChanged(judgedEdition({}))).toEqual([]);
  });

  it('changed by the other form of FINESS', () => {
    const columns = (...names: string[]) => {
      const all = Object.fromEntries(names.map((name) => [name, 1]));
      return { ...STATISTICS, columns: { 'finess structureet': all } };
    };
    const FLOW = 'informationsGeneralesEGE.numFinessEge';
    const edition = (many: number, name = FLOW, earlier = 'nofinesset') =>
      judgedEdition({
        sources: [
          {
            recognised: { kind: 'finess' },
            report: { kind: 'finess', lines: 9, parts: { structureej: 40, structureet: 60 } },
          },
        ],
        statistics: columns(...name.split(' ')),
        ...before({ statistics: columns(earlier) }),
        ...changed({ Organization: { changed: many, unchanged: 1000 - many } }),
      });
    expect(told(guardChanged(edition(301))[1])).toEqual([
      'refused: changed (Organization): 201 of 1000 differ (20.1 %, limit 20.0 %), beside 100 by the other form of FINESS (text or JSON). Look at the columns that fill these elements',
    ]);
    const figuresOf = (name: string, earlier: string) => guardChanged(edition(301, name, earlier))[1]?.figures;
    expect(figuresOf(FLOW, FLOW)).toContain('301 of 1000 differ');
    const elements = { 'Organization.type': 100, 'Practitioner.telecom': 100 };
    const counted = (one: ReturnType<typeof edition>) => ({
      ...one,
      ...sample({ type: 100, telecom: 0 }),
      statistics: { ...one.statistics, elements },
      before: { ...one.before, statistics: { ...one.before?.statistics, elements } },
    });
    const registers = (one: ReturnType<typeof edition>) =>
      guardElements(counted(one) as never).map(({ register, passed }) => [register, passed]);
    expect(registers(edition(90))).toEqual([['Practitioner', true]]);
  });

  it('names, now and in 30 days', () => {
    const edition = (many: number, history: object[] = []) =>
      judgedEdition({
        history,
        ...before(),
        ...sample({ name: 50 }, CHANGED, NAMED),
        ...changed({ Practitioner: { changed: 2 * many }, Organization: { changed: 98 } }),
      });
    expect(told(guardNamesChanged(edition(50)))).toEqual([
      'refused: names-changed (Practitioner): 50 of 1000 names differ (5.00 %, limit 2.00 %); such as Practitioner/2, name: A -> B. Are columns of names swapped, empty, or of others?',
      'passed: names-changed (Organization): 49 of 1000 names differ (4.90 %, limit 2.00 %); such as Organization/2, name: A -> B',
    ]);
    const earlier = (renamed: number) =>
      loaded(20, { statistics: { ...STATISTICS, renamed: { Practitioner: renamed } } });
    const [judged] = guardNamesChanged(edition(20, [earlier(21), earlier(9)]));
    expect([judged?.passed, judged?.figures]).toEqual([
      true,
      '20 of 1000 names differ (2.00 %, limit 2.00 %), 41 in 2 editions (4.10 %, limit 4.00 %); such as Practitioner/2, name: A -> B',
    ]);
    const passed = (now: number, then: number) =>
      guardNamesChanged(
        judgedEdition({ ...edition(now, [earlier(then), earlier(0)]), ...before({ counts: counts(5000) }) }),
      )[0]?.passed;
    expect([passed(100, 100), passed(100, 101), passed(101, 0)]).toEqual([true, false, false]);
    expect(guardNamesChanged(judgedEdition({}))).toEqual([]);
  });

  it('elements, each of those that are compared', () => {
    const keys = [
      ...['Practitioner.telecom', 'Practitioner.address', 'Practitioner.qualification', 'Organization.telecom'],
      ...['Organization.address', 'Organization.type', 'Organization.partOf'],
    ];
    const elements = Object.fromEntries(
      [...keys, 'Practitioner.name', 'PractitionerRole.code'].map((key) => [key, 900]),
    );
    const names = Object.fromEntries(keys.map((key) => [key.split('.')[1] ?? '', 100]));
    const edition = (many: number, earlier: object = { 'Practitioner.telecom': 1000 }) =>
      judgedEdition({
        statistics: { ...STATISTICS, elements },
        ...before({ statistics: { ...STATISTICS, elements: earlier } }),
        ...changed({ Practitioner: { changed: many }, Organization: { changed: many } }),
        ...sample(names, CHANGED),
      });
    const found = guardElements(edition(300));
    expect(told(found.slice(0, 2))).toEqual([
      'refused: elements (Practitioner): telecom: about 300 of 1000 differ (30.0 %, limit 20.0 %); such as Practitioner/1, telecom: nothing -> x. Is a column shifted or sorted apart from the others? Take the file as published',
      'refused: elements (Practitioner): address: about 300 of 900 differ (33.3 %, limit 20.0 %). Is a column shifted or sorted apart from the others? Take the file as published',
    ]);
    const passed = (many: number) => guardElements(edition(many)).map((one) => one.passed);
    expect(passed(200)).toEqual([true, false, false, false, false, false, false]);
    expect(guardElements(judgedEdition({ ...edition(300), ...before({ statistics: STATISTICS }) }))).toEqual([]);
  });
});

describe('directory data 4: what guards on 30 days say', () => {
  it.each([
    ...['other-people', 'shrinkage', 'registers', 'removed', 'drift', 'turnover'].map((name) => [name, 2]),
    ['changed', 2],
    ['columns', 4],
  ] as [string, number][])('%s was accepted: %d editions count', (name, count) => {
    const history = [loaded(23), loaded(22, { accepted: ['x', name] }), loaded(21, { accepted: [name] }), loaded(20)];
    expect(changedSinceAccepted(history as never, 'changed')).toEqual(history.slice(0, count - 1));
  });

  it('drift: the largest of the editions, on its day', () => {
    const [now, earlier] = [counts(84, 85, 100), counts(90, 90, 100)];
    const sources = [{ recognised: { kind: 'skills' }, report: { kind: 'skills', lines: 84 } }];
    const history = [
      loaded(22, { counts: counts(95), editions: { skills: { lines: 100 } } }),
      loaded(21, { editions: { skills: { lines: 100 } } }),
      loaded(20),
    ];
    const edition = judgedEdition({ sources, history, counts: now, ...before({ counts: earlier }) });
    const remedy = 'Is the loss of these days real? Look at the registers and departments that became smaller';
    expect(told(guardDrift(edition))).toEqual([
      `refused: drift (Practitioner): 100 on 2026-11-21, 84 now (16.0 % fewer, limit 15.0 %). ${remedy}`,
      'passed: drift (Organization): 100 on 2026-11-22, 85 now (15.0 % fewer, limit 15.0 %)',
      'passed: drift (PractitionerRole): 100 on 2026-11-22, 100 now (0.00 % fewer, limit 15.0 %)',
      `refused: drift (skills): 100 on 2026-11-22, 84 now (16.0 % fewer, limit 15.0 %). ${remedy}`,
    ]);
    const limits = (some: object) => guardDrift({ ...edition, limits: { ...DEFAULT_LIMITS, ...some } } as never);
    expect(limits({ registers: 0.2 }).map(({ passed }) => passed)).toEqual([false, true, true, true]);
  });

  it('turnover: of all editions but the oldest', () => {
    const history = [loaded(22, { removed: counts(22, 21, 0) }), loaded(20, { removed: counts(99) })];
    const judged = (some: object) =>
      guardTurnover(judgedEdition({ history, ...before({ counts: counts(200, 200, 0) }), ...some }));
    const removed = changed({ Practitioner: { removed: 9 }, Organization: { removed: 9 } });
    expect(told(judged(removed))).toEqual([
      'refused: turnover (Practitioner): 31 went in 2 editions, of 100 (31.0 %, limit 30.0 %). Do the files of these days hold other people from day to day?',
      'passed: turnover (Organization): 30 went in 2 editions, of 100 (30.0 %, limit 30.0 %)',
      'passed: turnover (PractitionerRole): 0 went in 2 editions, of 100 (0.00 %, limit 30.0 %)',
    ]);
    expect(guardTurnover(judgedEdition({ history }))).toEqual([]);
  });

  it('nobody left', () => {
    const judged = (added: number, gone: number, more: object = {}) =>
      guardNobodyLeft(
        judgedEdition({
          history: [loaded(23, { removed: counts(12, 50, gone - 12) }), loaded(22), loaded(21, { removed: counts(3) })],
          ...changed({ Practitioner: { added: 12, ...more }, PractitionerRole: { added: added - 12 } }),
        }),
      );
    expect(told(judged(20, 20))).toEqual([
      'refused: removed (Practitioner): 20 people and roles came and none is gone; 20 and more went in each edition of 30 days. Were the files of two days joined? Take those of one day',
    ]);
    expect(told(judged(20, 19))).toEqual([
      'notable: removed (Practitioner): 20 people and roles came and none is gone',
    ]);
    expect([judged(19, 20), judged(20, 20, { removed: 1 })]).toEqual([[], []]);
    expect(guardNobodyLeft(judgedEdition(changed({ Practitioner: { added: 50 } })))).toEqual([]);
  });
});
