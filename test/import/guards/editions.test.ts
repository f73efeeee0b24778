// Directory data 4 and renewal: the dates of the registers against the edition before, and against one another.

import { describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { guardOlderEdition, guardRegistersApart } from '#import/guards/editions.ts';
import { sentenceOf } from '#import/guards/verdict.ts';
import { DEFAULT_LIMITS } from '#support/config/guards.ts';

type Guarded = Parameters<typeof guardRegistersApart>[0];

/** An edition of registers by their names in the catalogue; `finess` is its JSON, which holds both of its registers. */
function editionOf(dates: Readonly<Record<string, string | undefined>>, before?: Readonly<Record<string, string>>) {
  const sources = Object.entries(dates).map(([register, edition]) => {
    const [kind = '', part] = register.split(' ');
    const people = !['finess', 'fhir'].includes(kind);
    const parts = kind !== 'finess' ? {} : part ? { [part]: 1 } : { structureej: 1, structureet: 1 };
    const form = kind === 'finess' && part === undefined ? 'finess-json' : kind === 'fhir' ? 'ndjson' : undefined;
    return {
      recognised: { kind, headerLines: 1, ...(people && { binding: {} }), ...(form && { form }) },
      report: { name: register, kind, lines: 1, leftOut: 0, parts, ...(edition && { edition }) },
    };
  });
  const editions = Object.fromEntries(Object.entries(before ?? {}).map(([key, date]) => [key, { lines: 1, date }]));
  const collector = createCollector();
  const edition = { sources, collector, limits: DEFAULT_LIMITS, ...(before && { before: { editions } }) };
  return { edition: edition as unknown as Guarded, collector };
}

describe('renewal: an edition that is older than the directory', () => {
  const refused = (dates: Record<string, string>, before: Record<string, string>) =>
    guardOlderEdition(editionOf(dates, before).edition).flatMap((one) => (one.passed ? [] : [sentenceOf(one)]));

  it('each register that is older is named, with both dates', () => {
    expect(
      refused(
        {
          activities: '2026-10-08T08:29',
          skills: '2026-10-09',
          'finess structureet': '2026-05-11',
          mailboxes: '2026-10-08',
        },
        {
          activities: '2026-10-08T08:30',
          skills: '2026-10-08',
          'finess structureet': '2026-05-12',
          mailboxes: '2026-10-08',
        },
      ),
    ).toEqual([
      'older-edition (activities): of 2026-10-08T08:29, and the directory holds that of 2026-10-08T08:30. Give the newest file',
      expect.stringMatching(/^older-edition \(finess structureet\): of 2026-05-11/),
    ]);
  });

  it('the same edition of one register beside newer ones of others is none, nor is one that is dated less precisely', () => {
    const before = { activities: '2026-10-08T08:30', 'finess structureet': '2026-05-12', diplomas: '2026-10-08' };
    expect(refused({ activities: '2026-10-09T08:30', 'finess structureet': '2026-05-12' }, before)).toEqual([]);
    expect(refused({ activities: '2026-10-08', diplomas: '2026-10-08T00:00' }, before)).toEqual([]);
    expect(guardOlderEdition(editionOf({ activities: '2026-10-08' }).edition)).toEqual([]);
  });

  it('a date of the future that an older release took stands in the way of nothing', () => {
    expect(refused({ activities: '2026-10-08' }, { activities: '2099-01-01T00:00' })).toEqual([]);
  });
});

describe('renewal: registers of one edition that are far apart', () => {
  const judge = (dates: Record<string, string | undefined>) => {
    const { edition, collector } = editionOf(dates);
    const verdicts = guardRegistersApart(edition).flatMap((one) => (one.passed ? [] : [sentenceOf(one)]));
    return { verdicts, warnings: collector.warnings().flatMap(({ kind, examples }) => [kind, ...examples]) };
  };
  const NOTHING = { verdicts: [], warnings: [] };

  it('a register of people is refused from more than the limit on, and both are named with their dates', () => {
    const people = { diplomas: '2026-10-08T08:31', mailboxes: undefined };
    expect(judge({ ...people, activities: '2026-10-08T08:30', skills: '2026-09-24T08:31' })).toEqual(NOTHING);
    expect(judge({ ...people, activities: '2026-10-08T08:30', skills: '2026-09-24T08:30' }).verdicts).toEqual([
      'registers-apart (skills): of 2026-09-24T08:30, 14 days before diplomas (2026-10-08T08:31), limit 14 days. Give the newest file of each register',
    ]);
    expect(judge({ activities: '2026-09-08', mailboxes: '2026-10-08' }).verdicts).toEqual([
      expect.stringMatching(/^registers-apart \(activities\): of 2026-09-08, 30 days before mailboxes \(2026-10-08\)/),
    ]);
  });

  it('registers of people that are older than those of structures are refused', () => {
    expect(judge({ activities: '2026-09-08', skills: '2026-09-08', finess: '2026-10-08T02:06' }).verdicts).toEqual([
      expect.stringMatching(/^registers-apart \(activities\): .* before finess/),
      expect.stringMatching(/^registers-apart \(skills\)/),
    ]);
  });

  it('structures may be older than people, which is remarked: FINESS text is not renewed, its JSON comes monthly, too', () => {
    expect(judge({ activities: '2026-10-08', finess: '2026-09-24' })).toEqual(NOTHING);
    expect(judge({ activities: '2026-10-08', finess: '2026-09-08' })).toEqual({
      verdicts: [],
      warnings: ['old-structures', 'finess structureej: 2026-09-08', 'finess structureet: 2026-09-08'],
    });
    const text = { 'finess structureej': '2026-05-12', 'finess structureet': '2026-05-12T03:39' };
    expect(judge({ activities: '2026-10-08', ...text })).toMatchObject({
      verdicts: [],
      warnings: ['old-structures', '', ''].map((one) => one || expect.any(String)),
    });
  });

  it('the text files of FINESS belong together', () => {
    expect(judge({ 'finess structureej': '2026-03-11', 'finess structureet': '2026-05-12' }).verdicts).toEqual([
      expect.stringMatching(
        /^registers-apart \(finess structureej\): of 2026-03-11, 62 days before finess structureet/,
      ),
    ]);
  });

  it('FHIR files have dates of their own', () => {
    expect(judge({ activities: '2026-10-08', fhir: '2026-01-08' })).toEqual(NOTHING);
  });
});
