// The page on the quality of an edition, as data and as Markdown. Each list is compared with that of the previous edition. The page leaves
// out records and mailboxes that corrections hide, and texts that name such a record or mailbox.

import { grouped } from '#cli/support/progress.ts';
import { markdownTable } from '#config/schema/json-schema.ts';
import { correctionKey } from '#directory/corrections/affected.ts';
import { PAIRS } from '#import/collect/pairs.ts';
import type { KeptReport } from '#import/judgement/import-report.ts';
import type { Quality } from '#import/judgement/statistics.ts';
import { practitionerId } from '#import/mapping/practitioner.ts';
import { type ResourceType, type Snapshot, tokenize } from '#search-index/index.ts';
import type { Correction } from '#store/snapshots/corrections.ts';

/** A row of a list: the value of each cell, by the name of its column. */
type Cells = Readonly<Record<string, string | number | undefined>>;
type QualityPage = Readonly<Record<string, readonly Cells[]>>;

interface PageSources {
  edition: Cells;
  now: KeptReport & { quality: Quality };
  before: Quality | undefined;
  hidden: HiddenNames;
  /** Returns the name that the edition has for the practitioner with this id. */
  nameOf(id: string): Promise<string>;
}

/** Maximum number of rows of a list in Markdown. The JSON has all rows. */
const ROWS = 50;

export async function qualityPage({ edition, now, before, hidden, nameOf }: PageSources): Promise<QualityPage> {
  const { quality, judgement } = now;
  const { mailboxes, withoutPlace } = quality;
  const profession = (code: string) => quality.labels[code] ?? before?.labels[code] ?? code;
  const isShownPerson = (number: string) => hidden.isShown(`Practitioner/${practitionerId(number)}`);
  const personName = (number: string) => nameOf(practitionerId(number));
  const records = (list: Quality['doubtful'], part?: 'mailbox') =>
    list
      .filter(({ reference, reason }) => hidden.isShown(reference, part) && !hidden.isNamedIn(reason))
      .map(({ reference, reason }) => ({ record: reference, reason }));
  const groups = quality.duplicates.groups.map(({ ids }) => ids.filter(isShownPerson)).filter((ids) => ids.length > 1);
  return {
    edition: [{ ...edition, verdict: judgement.verdict }],
    reasons: judgement.reasons.map((reason) => ({
      reason: hidden.isNamedIn(reason) ? `${reason.split(':')[0]}: it names what a correction hides` : reason,
    })),
    registers: judgement.registers.map(({ register, now, before }) => ({
      register,
      lines: now.lines,
      linesBefore: before?.lines,
      edition: now.date,
      editionBefore: before?.date,
    })),
    professions: beside(quality.professions, before?.professions).map(({ key, ...people }) => ({
      code: key,
      profession: profession(key),
      ...people,
    })),
    professionsByDepartment: byChange(
      [...new Set([...Object.keys(quality.matrix), ...Object.keys(before?.matrix ?? {})])].flatMap((code) =>
        beside(quality.matrix[code] ?? {}, before && (before.matrix[code] ?? {})).map(({ key, ...people }) => ({
          department: key,
          profession: profession(code),
          ...people,
        })),
      ),
    ),
    doubtfulRecords: records(quality.doubtful),
    samePersonUnderSeveralNumbers: await Promise.all(
      groups.map(async (ids) => ({ name: await personName(ids[0] ?? ''), numbers: ids.join(', ') })),
    ),
    peopleWithoutPlaceOfWork: Object.entries(withoutPlace.byProfession).map(([code, people]) => ({
      profession: profession(code),
      people,
    })),
    namesakesWithoutPlaceOfWork: [{ people: withoutPlace.namesakes, peopleBefore: before?.withoutPlace.namesakes }],
    examplesWithoutPlaceOfWork: await Promise.all(
      withoutPlace.examples.filter(isShownPerson).map(async (number) => ({ number, name: await personName(number) })),
    ),
    mailboxes: [{ withOwnName: mailboxes.own, withNameOfAnother: mailboxes.other, withoutName: mailboxes.neutral }],
    mailboxesWithNameOfAnother: records(mailboxes.listed, 'mailbox'),
    addressesOfSeveralPeople: mailboxes.shared.filter(({ address }) => !hidden.isNamedIn(address)),
    namesOfTests: quality.tests.filter(({ id }) => isShownPerson(id)).map(({ id, name }) => ({ number: id, name })),
    registersBesideEachOther: judgement.consistency
      .filter(({ odd }) => odd > 0)
      .map(({ register, meaning, odd, checked, now, before }) => ({
        register,
        oddity: meaning,
        odd,
        checked,
        share: now,
        shareBefore: before,
      })),
    valuesThatBelongTogether: quality.pairs.map(({ key, checked, odd, fit, runs }) => {
      const { register, whole, what } = PAIRS[key];
      const lines = runs.map(({ from, to }) => `${from}-${to}`).join(', ');
      return { register, oddity: `${whole} ${what}`, checked, shareOdd: odd, shareFit: fit, lines };
    }),
    filledColumns: byChange(judgement.columns).map(({ register, column, now, before }) => ({
      register,
      column,
      shareNow: now,
      shareBefore: before,
    })),
  };
}

/**
 * Returns a row for each key, with the figures of this edition and of the previous one. `before` is absent if there is no previous edition.
 */
function beside(now: Readonly<Record<string, number>>, before: Readonly<Record<string, number>> | undefined) {
  const keys = [...new Set([...Object.keys(now), ...Object.keys(before ?? {})])].sort();
  return keys.map((key) => ({ key, now: now[key] ?? 0, ...(before && { before: before[key] ?? 0 }) }));
}

/** Sorts the rows by the size of their change, the largest first. Without a previous edition, the largest figures come first. */
function byChange<Row extends { now: number; before?: number }>(rows: readonly Row[]): Row[] {
  const change = ({ now, before = 0 }: { now: number; before?: number }) => Math.abs(now - before);
  return rows.toSorted((one, other) => change(other) - change(one));
}

export function qualityText(page: QualityPage): string {
  const sections = Object.entries(page).map(([name, rows]) => `## ${words(name)}\n\n${tableOf(rows)}\n`);
  return ['# Quality of the directory\n', ...sections].join('\n');
}

function tableOf(rows: readonly Cells[]): string {
  if (rows.length === 0) return 'None.';
  const names = [...new Set(rows.flatMap(Object.keys))];
  const cells = rows.slice(0, ROWS).map((row) => names.map((name) => cellText(name, row[name])));
  const table = markdownTable(names.map(words), cells);
  return rows.length > ROWS ? `${table}\n\n${grouped(rows.length - ROWS)} more are in the JSON (\`--json\`).` : table;
}

function cellText(name: string, cell: Cells[string] = ''): string {
  if (typeof cell === 'string') return cell.replaceAll(/\s+/g, ' ');
  return name.startsWith('share') ? `${(cell * 100).toFixed(1)} %` : grouped(cell);
}

/** Turns an identifier into words: `namesOfTests` becomes `Names of tests`. */
function words(name: string): string {
  const text = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

interface HiddenNames {
  /** Returns false if a correction hides the record (`Practitioner/1`), or the given part of the record. */
  isShown(record: string, part?: 'mailbox'): boolean;
  /** Checks whether a text names a hidden record or mailbox: the name, the id or a number of the record, or the mailbox itself. */
  isNamedIn(text: string): boolean;
}

/**
 * Collects the records and mailboxes that the corrections in force hide. The names, numbers and mailboxes of these records are read from
 * the snapshot.
 */
export async function hiddenNames(snapshot: Snapshot, all: readonly Correction[]): Promise<HiddenNames> {
  const corrections = all.filter(({ endedAt, what }) => !endedAt && (what === 'record' || what === 'mailbox'));
  const mailboxes = new Set<string>();
  const names: string[][] = [];
  for (const { record, what, value } of corrections) {
    const [type, id = ''] = record.split('/');
    const found = await snapshot.read(type as ResourceType, id);
    const { name, identifier = [], telecom = [] }: Named = JSON.parse(found?.json ?? '{}');
    const held = telecom.flatMap((one) => (one.value?.includes('@') ? correctionKey('mailbox', one.value) : []));
    for (const mailbox of value === undefined ? held : [value]) mailboxes.add(mailbox);
    if (what !== 'record') continue;
    const called =
      typeof name === 'string' ? [name] : (name ?? []).map(({ family, given }) => `${family} ${given?.[0]}`);
    const numbers = identifier.flatMap((one) => one.value ?? []);
    names.push(...[id, ...numbers, ...called].map((text) => tokenize(text)).filter(({ length }) => length > 0));
  }
  return {
    isShown: (record, part) => !corrections.some((one) => one.record === record && [part, 'record'].includes(one.what)),
    isNamedIn(text) {
      const folded = correctionKey('mailbox', text);
      const said = new Set(tokenize(text));
      return (
        [...mailboxes].some((one) => folded.includes(one)) || names.some((one) => one.every((word) => said.has(word)))
      );
    },
  };
}

interface Named {
  name?: string | { family?: string; given?: string[] }[];
  identifier?: { value?: string }[];
  telecom?: { value?: string }[];
}
