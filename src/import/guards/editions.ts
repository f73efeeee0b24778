// Guards on the dates of the registers: against those of the edition before, and against one another.

import { REGISTERS, titleOf } from '#import/registers/register-kinds.ts';
import { editionsOf, type Source } from '#import/registers/source.ts';
import { compareDates, daysBetween, isPlausible } from '#import/sources/edition-date.ts';
import { hygie } from '#shared/hygie-command.ts';
import type { Database } from '#store/database/connection.ts';
import { listSnapshots, type SnapshotEntry } from '#store/snapshots/registry.ts';
import type { MappedEdition } from './measured-edition.ts';
import { misnamedSources } from './published-names.ts';
import { type Verdict, verdict } from './verdict.ts';

/** No register is older than the one that is served, whoever loads it. */
export function guardOlderEdition({ sources, before }: MappedEdition): Verdict[] {
  if (!before) return [];
  const older = Object.entries(editionsOf(sources)).flatMap(([register, { date }]) => {
    const served = before.editions[register]?.date;
    // Releases before this one took any date.
    if (date === undefined || served === undefined || !isPlausible(served)) return [];
    return compareDates(date, served) < 0 ? [{ register, date, served }] : [];
  });
  if (older.length === 0) {
    return [verdict('olderEdition', { passed: true, figures: 'no register is older than in the directory' })];
  }
  return older.map(({ register, date, served }) =>
    verdict('olderEdition', {
      register,
      passed: false,
      figures: `of ${date}, and the directory holds that of ${served}`,
      remedy: 'Give the newest file',
    }),
  );
}

interface DatedRegister {
  register: string;
  date: string;
}

/**
 * The registers that are published every day are of about one day. Those of structures may be older: FINESS text is not
 * renewed any more, and its JSON is also published once a month; its text files belong together all the same.
 */
export function guardRegistersApart({ sources, limits, collector }: MappedEdition): Verdict[] {
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
  const pairs = [
    ...people.map((one) => [one, newest] as const),
    ...text.map((one) => [one, newestOf(text)] as const),
  ].flatMap(([one, other]) => (other && isApart(one, other) ? [{ one, other }] : []));
  if (pairs.length === 0) {
    const figures = `registers of people are of about one day (limit ${limit} days)`;
    return [verdict('registersApart', { passed: true, figures })];
  }
  return pairs.map(({ one, other }) =>
    verdict('registersApart', {
      register: one.register,
      passed: false,
      figures: `of ${one.date}, ${Math.floor(daysBetween(one.date, other.date))} days before ${other.register} (${other.date}), limit ${limit} days`,
      remedy: 'Give the newest file of each register',
    }),
  );
}

function isFinessText({ recognised }: Source): boolean {
  return recognised.kind === 'finess' && recognised.form === undefined;
}

function datesOf(sources: readonly Source[], wanted: (source: Source) => boolean): DatedRegister[] {
  return Object.entries(editionsOf(sources.filter(wanted))).flatMap(([register, { date }]) =>
    date === undefined ? [] : [{ register, date }],
  );
}

function newestOf(registers: readonly DatedRegister[]): DatedRegister | undefined {
  return registers.toSorted((a, b) => compareDates(b.date, a.date))[0];
}

// The guard on files that bear the name of another register.

export function guardMisnamed({ sources }: MappedEdition): Verdict[] {
  return misnamedSources(sources).map(({ source: { input, recognised }, promised }) =>
    verdict('misnamed', {
      register: promised,
      passed: false,
      figures: `${input.name} bears the name of ${titleOf(promised)} and holds ${REGISTERS[recognised.kind].title}`,
      remedy: 'Take the file as published',
    }),
  );
}

// The guard on files that nobody chose, as in a watched folder.

/** Nothing that a rollback left. */
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
      remedy: `If this is meant, load it by hand: ${hygie('directory import PATH...')}`,
    }),
  ];
}
