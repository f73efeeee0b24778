// Guards on the dates of the registers and on the names of the files. The dates are compared with each other and with those of the edition
// before. The limits of these guards stand in `config/service/guard-table.ts`.

import { JSON_ESTABLISHMENT } from '#import/registers/finess-json-columns.ts';
import { promisedRegister, REGISTERS, titleOf } from '#import/registers/register-kinds.ts';
import { editionsOf, type Source } from '#import/registers/source.ts';
import { compareDates, daysBetween } from '#import/sources/edition-date.ts';
import { hygie } from '#shared/operator-messages.ts';
import type { Database } from '#store/database/connection.ts';
import { listSnapshots, type SnapshotEntry } from '#store/snapshots/registry.ts';
import type { EditionToJudge } from './measured-edition.ts';
import { type Verdict, verdict, verdictsOn } from './verdict.ts';

/**
 * Checks that each register is at least as recent as the same register in the edition in force. So a forgotten old file, for example in the
 * watched folder, cannot take the directory back to an earlier state.
 */
export function guardOlderEdition({ sources, before }: EditionToJudge): Verdict[] {
  if (!before) return [];
  const older = Object.entries(editionsOf(sources)).flatMap(([register, { date }]) => {
    const served = before.editions[register]?.date;
    if (date === undefined || served === undefined || compareDates(date, served) >= 0) return [];
    return [{ register, figures: `of ${date}, and the directory holds that of ${served}` }];
  });
  const fine = 'no register is older than in the directory';
  return verdictsOn('olderEdition', older, { fine, remedy: 'Give the newest file' });
}

interface DatedRegister {
  register: string;
  date: string;
}

/**
 * Checks that the registers have about the same date. Registers of people are published every day, so none of them may be much older than
 * the newest register. Registers of structures may be older and only cause a warning, because FINESS text is no longer renewed and FINESS
 * JSON is published once a month. But all files of FINESS text must have about the same date.
 */
export function guardRegistersApart({ sources, limits, collector }: EditionToJudge): Verdict[] {
  const text = datesOf(sources, isFinessText);
  const structures = [...datesOf(sources, ({ recognised }) => recognised.form === 'finess-json'), ...text];
  const people = datesOf(sources, ({ recognised }) => recognised.binding !== undefined);
  const all = [...people, ...structures];
  const limit = limits.registersApart;
  const isApart = (one: DatedRegister, other: DatedRegister) => daysBetween(one.date, other.date) > limit;
  const newest = newestOf(all);
  for (const one of structures) {
    if (newest && isApart(one, newest)) collector.warn('old-structures', `${one.register}: ${one.date}`);
  }
  const [structureDay, peopleDay] = [newestOf(structures), newestOf(people)];
  if (structureDay && peopleDay && !isApart(structureDay, peopleDay) && dayOf(structureDay) !== dayOf(peopleDay))
    collector.warn(
      'other-day',
      `${structureDay.register} of ${dayOf(structureDay)}, ${peopleDay.register} of ${dayOf(peopleDay)}`,
    );
  const pairs = [
    ...people.map((one) => [one, newest] as const),
    ...text.map((one) => [one, newestOf(text)] as const),
  ].flatMap(([one, other]) => (other && isApart(one, other) ? [{ one, other }] : []));
  const apart = pairs.map(({ one, other }) => ({
    register: one.register,
    figures: `of ${one.date}, ${Math.floor(daysBetween(one.date, other.date))} days before ${other.register} (${other.date}), limit ${limit} days`,
  }));
  const fine = `registers of people are of about one day (limit ${limit} days)`;
  return verdictsOn('registersApart', apart, { fine, remedy: 'Give the newest file of each register' });
}

/**
 * Tells whether FINESS has changed its form since the edition before, from text to JSON or back. Guards then disregard the changes of
 * structures, because the two forms differ in labels and parts of addresses.
 */
export function hasOtherForm({ statistics, before }: EditionToJudge): boolean {
  const [now, earlier] = [statistics, before?.statistics].map((one) => one?.columns['finess structureet']);
  if (!now || !earlier) return false;
  const isJson = (columns: object) => JSON_ESTABLISHMENT.some(({ label }) => label in columns);
  return isJson(now) !== isJson(earlier);
}

function isFinessText({ recognised }: Source): boolean {
  return recognised.kind === 'finess' && recognised.form === undefined;
}

function datesOf(sources: readonly Source[], wanted: (source: Source) => boolean): DatedRegister[] {
  return Object.entries(editionsOf(sources.filter(wanted))).flatMap(([register, { date }]) =>
    date === undefined ? [] : [{ register, date }],
  );
}

function dayOf({ date }: DatedRegister): string {
  return date.slice(0, 10);
}

function newestOf(registers: readonly DatedRegister[]): DatedRegister | undefined {
  return registers.toSorted((a, b) => compareDates(b.date, a.date))[0];
}

/**
 * Returns the registers that are missing in this edition. The registers of the edition before are expected, and so are those that were
 * already missing in it. At a first import, the settings say which registers are expected (`directory.guards.expected`). Each missing
 * register has the day (`YYYY-MM-DD`) since which it has been missing. The operator must accept the edition in which a register is missing
 * for the first time. Each later edition that lacks the register is imported with a warning.
 */
export function absentRegisters({ sources, before, limits }: EditionToJudge, today: Date): Record<string, string> {
  const held = Object.keys(editionsOf(sources));
  const isHeld = (register: string) => held.some((one) => one === register || one.startsWith(`${register} `));
  const isOfFhirAlone = sources.every(({ recognised }) => recognised.kind === 'fhir');
  const expectedFirst = isOfFhirAlone ? [] : limits.expected;
  const expected = before ? Object.keys(before.editions) : expectedFirst;
  const missing = expected.map((register) => [register, today.toISOString().slice(0, 10)] as const);
  const known = Object.entries(before?.statistics?.absent ?? {});
  return Object.fromEntries([...missing, ...known].filter(([register]) => !isHeld(register)));
}

/** Adds a warning for each register that was missing in the edition before and is still missing. */
export function warnOfAbsent({ statistics, before, collector }: EditionToJudge): void {
  for (const [register, since] of Object.entries(statistics.absent ?? {}))
    if (before?.statistics?.absent?.[register] !== undefined)
      collector.warn('absent-register', `${titleOf(register)} since ${since}`);
}

// Finds files that have the published name of one register but hold another register.

export function guardMisnamed({ sources }: EditionToJudge): Verdict[] {
  return misnamedSources(sources).map(({ source: { input, recognised }, promised }) =>
    verdict('misnamed', {
      register: promised,
      passed: false,
      figures: `${input.name} bears the name of ${titleOf(promised)} and holds ${REGISTERS[recognised.kind].title}`,
      remedy: 'Take the file as published',
    }),
  );
}

/** Returns the files that hold another register than the one that their name stands for. FHIR files may have any name. */
function misnamedSources(sources: readonly Source[]): { source: Source; promised: string }[] {
  return sources.flatMap((source) => {
    const promised = promisedRegister(source.input.name);
    if (promised === undefined || source.recognised.kind === 'fhir' || holds(source, promised)) return [];
    return [{ source, promised }];
  });
}

function holds({ recognised, report }: Source, register: string): boolean {
  const [kind, part] = register.split(' ');
  if (recognised.kind !== kind) return false;
  // This check needs counted lines. If no line of the file was counted, the name is not doubted: either the file has no lines, which
  // another guard refuses, or an earlier file already had all its structures.
  return part === undefined || report.lines === 0 || report.parts?.[part] !== undefined;
}

/** Returns a hint where a missing register may be, as the end of a sentence. The text is empty if no file has the name of the register. */
export function hintOfMissing(
  register: string,
  { sources, incoming, collector }: Pick<EditionToJudge, 'sources' | 'incoming' | 'collector'>,
): string {
  const promises = (promised: string | undefined) =>
    promised !== undefined && (promised === register || promised.split(' ')[0] === register);
  const misnamed = misnamedSources(sources).find(({ promised }) => promises(promised))?.source;
  if (misnamed)
    return ` (${misnamed.input.name} bears its name and holds ${REGISTERS[misnamed.recognised.kind].title})`;
  const copies = collector.warnings().find(({ kind }) => kind === 'repeated-file')?.examples ?? [];
  const copy = copies.map((example) => example.split(', as ')).find(([name = '']) => promises(promisedRegister(name)));
  if (copy) return ` (${copy[0]} bears its name and is a copy of ${copy[1]})`;
  const unfinished = incoming.find((name) => promises(promisedRegister(name)));
  return unfinished === undefined ? '' : ` (${unfinished} is still being written, by its name)`;
}

// This guard is for files that no operator chose, such as files in the watched folder.

/**
 * Checks that no operator has rolled the directory back from this edition. After a rollback, there is a snapshot of the same files
 * (`checksum`) that is not the current one.
 */
export async function guardUnattended(
  checksum: string,
  current: SnapshotEntry | undefined,
  database: Database,
): Promise<Verdict[]> {
  const left = (await listSnapshots(database)).find(
    ({ id, sourcesChecksum, damagedAt }) =>
      id !== current?.id && sourcesChecksum === checksum && damagedAt === undefined,
  );
  return [
    verdict('leftEdition', {
      passed: left === undefined,
      figures: left
        ? `snapshot ${left.id} holds this edition and was left, as by a rollback`
        : 'no earlier snapshot holds this edition',
      remedy: `If this is meant, import it by hand: ${hygie('directory import PATH...')}`,
    }),
  ];
}
