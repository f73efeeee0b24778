// Directory data, section 4: people who stand twice, who do not exist, and what too many people share.

import { describe, expect, it } from '@jest/globals';
import { doubtPeople, guardDuplicates, guardOneForMany, guardTestNames } from '#import/guards/duplicates.ts';
import type { EditionToJudge } from '#import/guards/measured-edition.ts';
import { sentenceOf, type Verdict } from '#import/guards/verdict.ts';
import { countedEdition as countedWhole, rowsOfPeople as people } from '#support/import/counted-columns.ts';
import type { Cells } from '#support/import/register-files.ts';

const failed = (verdicts: readonly Verdict[]) => verdicts.filter(({ passed }) => !passed).map(sentenceOf);

const countedEdition = (some: readonly Cells[], options: Parameters<typeof countedWhole>[1] = {}) =>
  countedWhole(some, { ...options, columns: false });
/** The first so many people in pairs of one name and structure. */
const pairs = (count: number) => (index: number) =>
  index < count ? { 7: `NOM${index >> 1}`, 8: 'Jean', 23: `R${10_000_000 + (index >> 1)}` } : {};
const good = countedEdition(people(2000));

describe('import: people who stand twice', () => {
  const duplicates = (count: number, before?: EditionToJudge, all = 2000) =>
    failed(guardDuplicates(countedEdition(people(all, pairs(count)), { ...(before && { before }) })));

  it('20 of them at least, and more than two in a thousand; the sentence names some', () => {
    expect(duplicates(18)).toEqual([]);
    expect(duplicates(20)).toEqual([
      expect.stringMatching(
        /^duplicates \(activities\): 20 of 2000 people have the name, profession and structure of another one \(1\.00 %, limit 0\.20 %\), such as 819000000000, 819000000001\. Were people/,
      ),
    ]);
    expect(duplicates(40, undefined, 20_000)).toEqual([]);
    expect(duplicates(42, undefined, 20_000)).toHaveLength(1);
  });

  it('a trial of less than 2000 people may repeat one', () => {
    expect(duplicates(1998, undefined, 1999)).toEqual([]);
    expect(duplicates(1998)).toHaveLength(1);
  });

  it('what was accepted once is not refused the next night', () => {
    expect(duplicates(100, countedEdition(people(2000, pairs(100))))).toEqual([]);
    expect(duplicates(100, good)).toHaveLength(1);
  });

  it('a rise below the limit is notable, and a first import with as many is not', () => {
    const notable = (count: number, before?: EditionToJudge) =>
      guardDuplicates(countedEdition(people(20_000, pairs(count)), { ...(before && { before }) }))[0]?.notable;
    expect(notable(40)).toBeUndefined();
    expect(notable(18, good)).toBeUndefined();
    expect(notable(20, good)).toBe(true);
    expect(notable(40, countedEdition(people(20_000, pairs(40))))).toBeUndefined();
  });

  it('another profession, structure or given name is another person, and people without a structure are not compared', () => {
    for (const other of [
      (index: number) => ({ 9: index % 2 ? '10' : '60' }),
      (index: number) => ({ 23: `R${index}` }),
      (index: number) => ({ 8: index % 2 ? 'Jean' : 'Anne' }),
      () => ({ 23: '' }),
    ]) {
      const cells = (index: number) => ({ ...pairs(2000)(index), ...other(index) });
      expect(failed(guardDuplicates(countedEdition(people(2000, cells))))).toEqual([]);
    }
  });

  it('each group is a warning, with the identifiers as published', () => {
    const ids = ['02A123456', '810000000001', '3012345678/0001', '3012345678/0002'];
    const cells = (index: number) => (index < 4 ? { ...pairs(4)(index), 2: ids[index] ?? '' } : {});
    const { collector } = countedEdition(people(2000, cells));
    doubtPeople(collector);
    expect(collector.populations.measured().duplicates.groups.flatMap((group) => group.ids)).toEqual(ids);
    expect(collector.doubtful().map(({ reference, reason }) => [reference, reason])).toEqual([
      ['Practitioner/02A123456', 'name, profession and structure of Practitioner/810000000001'],
      [
        expect.stringMatching(/^Practitioner\/p-[0-9a-f]{32}$/),
        expect.stringMatching(/^name, profession and structure of Practitioner\/p-[0-9a-f]{32}$/),
      ],
    ]);
  });
});

describe('import: names of tests', () => {
  const tests = (count: number, all: number, before?: EditionToJudge) =>
    countedEdition(
      people(all, (index) => (index < count ? { 7: 'TEST', 8: `TEST${index}` } : {})),
      { ...(before && { before }) },
    );

  it('are warnings one by one; 20 of them, and more than one in a thousand, are refused', () => {
    const edition = tests(19, 1000);
    expect(failed(guardTestNames(edition))).toEqual([]);
    doubtPeople(edition.collector);
    expect(edition.collector.doubtful()[0]).toMatchObject({
      reference: 'Practitioner/819000000000',
      reason: 'named "TEST TEST0"',
    });
    expect(edition.collector.warnings()).toEqual([expect.objectContaining({ kind: 'test-person', count: 19 })]);
    expect(failed(guardTestNames(tests(20, 1000)))).toEqual([
      expect.stringMatching(
        /^test-names \(activities\): 20 of 1000 people .* such as 819000000000 "TEST TEST0"\. Is this/,
      ),
    ]);
    expect(failed(guardTestNames(tests(20, 20_000)))).toEqual([]);
    expect(failed(guardTestNames(tests(21, 20_000)))).toHaveLength(1);
  });

  it('as many as before pass', () => {
    expect(failed(guardTestNames(tests(30, 1000, tests(30, 1000))))).toEqual([]);
  });
});

describe('import: what many people share', () => {
  const addresses = (shared: number, all: number) =>
    Array.from({ length: all }, (_, index) => (index < shared ? 'one@example.org' : `${index}@example.org`));
  const shared = (count: number, all: number, before?: EditionToJudge) =>
    failed(
      guardOneForMany(countedEdition(people(all), { mailboxes: addresses(count, all), ...(before && { before }) })),
    );

  it('one address for more than 20 people, and more than two in a thousand; a secretariat of 20 passes', () => {
    expect(shared(20, 100)).toEqual([]);
    expect(shared(21, 100)).toEqual([
      'one-for-many (mailboxes): 21 of 100 personal addresses are "one@example.org" (21.0 %, limit 0.20 %). Was the column filled with one address? Take the file as published',
    ]);
    expect(shared(30, 15_000)).toEqual([]);
    expect(shared(31, 15_000)).toHaveLength(1);
  });

  it('SEC-81 an address of everybody is refused, unless it was there before', () => {
    expect(shared(3000, 3000)).toHaveLength(1);
    expect(shared(300, 3000, countedEdition(people(3000), { mailboxes: addresses(300, 3000) }))).toEqual([]);
  });

  const inOne = (count: number, all: number, before?: EditionToJudge) =>
    failed(
      guardOneForMany(
        countedEdition(
          people(all, (index) => ({ 23: index < count ? 'F010000001' : `R${index % 250}` })),
          { ...(before && { before }) },
        ),
      ),
    );

  it('one structure with more than a quarter of the people of a first import, from 2000 people on, and nine in a hundred of 50,000', () => {
    expect(inOne(500, 2000)).toEqual([]);
    expect(inOne(501, 2000)).toEqual([
      'one-for-many (activities): about 501 of 2000 people belong to structure F010000001 (25.1 %, limit 25.0 %). Was the column of structures filled with one number? Take the file as published',
    ]);
    expect(inOne(1999, 1999)).toEqual([]);
    const everyEighth = (all: number) =>
      failed(guardOneForMany(countedEdition(people(all, (index) => ({ 23: index % 8 ? `R${index % 250}` : 'F1' })))));
    expect(everyEighth(49_999)).toEqual([]);
    expect(everyEighth(50_000)).toHaveLength(1);
  });

  it('one structure of a small register is notable from nine in a hundred on', () => {
    const judged = (count: number) =>
      guardOneForMany(
        countedEdition(people(2000, (index) => ({ 23: index < count ? 'F010000001' : `R${index % 250}` }))),
      );
    expect(judged(180).map(({ notable }) => notable)).toEqual([undefined]);
    expect(judged(181)).toMatchObject([{ passed: true, notable: true }]);
  });

  it('one structure with three in a hundred people more than before', () => {
    const before = countedEdition(people(2000, (index) => ({ 23: index < 200 ? 'F010000001' : `R${index % 250}` })));
    expect(inOne(260, 2000, before)).toEqual([]);
    expect(inOne(261, 2000, before)).toHaveLength(1);
  });
});
