// Formats the judgement of an edition for a reader: notable facts about registers, columns, departments and changes.

import { grouped } from '#cli/support/progress.ts';
import { changeText } from '#import/guards/changes.ts';
import type { Judgement } from '#import/judgement/judgement.ts';
import { RESOURCE_TYPES, type ResourceType } from '#search-index/index.ts';
import { hygie } from '#shared/operator-messages.ts';

/** Number of departments and columns that are shown. Those with the largest changes come first. */
const SHOWN = 5;
/** Smallest change of a share that is shown. */
const LEAST_CHANGE = 0.005;

/** Formats the verdict and its reasons. */
export function describeVerdict({ verdict, reasons }: Judgement): string[] {
  return [`Judgement: ${verdict}`, ...reasons.map((reason) => `  ${reason}`)];
}

/** Compares the content of the edition with that of the edition before. The most telling figures come first. */
export function describeContent(judgement: Judgement): string[] {
  return [
    ...doubtfulLines(judgement),
    ...departmentLines(judgement),
    ...columnLines(judgement),
    ...consistencyLines(judgement),
    ...sampleLines(judgement),
  ];
}

/** Lists the lines and date of each register, beside those of the edition before. */
export function describeRegisters({ registers }: Judgement): string[] {
  if (registers.length === 0) return [];
  const compared = registers.some(({ before }) => before !== undefined);
  const rows = registers.map(({ register, now, before }) => [
    register,
    grouped(now.lines),
    ...(compared ? [before === undefined ? '' : grouped(before.lines)] : []),
    now.date ?? '',
    ...(compared ? [before?.date ?? ''] : []),
  ]);
  const head = compared ? ['register', 'lines', 'before', 'edition', 'before'] : ['register', 'lines', 'edition'];
  const numbers = compared ? 2 : 1;
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)));
  return [head, ...rows].map((row) =>
    row
      .map((cell, at) => (at > 0 && at <= numbers ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

function departmentLines({ departments }: Judgement): string[] {
  if (departments.length === 0) return [];
  const changed = departments
    .filter(({ before }) => before !== undefined)
    .map(({ department, now, before }) => ({ department, now: sizeOf(now), before: sizeOf(before) }))
    .filter((one) => one.now !== one.before)
    .sort((a, b) => Math.abs(b.now - b.before) - Math.abs(a.now - a.before));
  const most = changed
    .slice(0, SHOWN)
    .map(({ department, now, before }) => `${department}: ${grouped(before)} -> ${grouped(now)}`);
  return [`${departments.length} departments${most.length === 0 ? '' : `; changed most: ${most.join(', ')}`}`];
}

function sizeOf(counts: Partial<Record<ResourceType, number>> | undefined): number {
  return RESOURCE_TYPES.reduce((sum, type) => sum + (counts?.[type] ?? 0), 0);
}

function columnLines({ columns }: Judgement): string[] {
  const changed = columns
    .flatMap(({ register, column, now, before }) => (before === undefined ? [] : [{ register, column, now, before }]))
    .filter(({ now, before }) => Math.abs(now - before) >= LEAST_CHANGE)
    .sort((a, b) => Math.abs(b.now - b.before) - Math.abs(a.now - a.before))
    .slice(0, SHOWN);
  return changed.map(
    ({ register, column, now, before }) => `${register}, "${column}": filled ${share(before)} -> ${share(now)}`,
  );
}

function share(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}

/**
 * Lists all odd findings of a first import, but only the changed ones of a later import. Leaves out findings that are among the reasons.
 */
function consistencyLines({ consistency, reasons }: Judgement): string[] {
  return consistency
    .filter(({ guard }) => !reasons.some((reason) => reason.includes(`${guard} (`)))
    .filter(({ odd, now, before }) => odd > 0 && (before === undefined || Math.abs(now - before) >= LEAST_CHANGE))
    .map(({ register, meaning, odd, checked, now, before }) => {
      const earlier = before === undefined ? '' : `; before: ${share(before)}`;
      return `${register}: ${grouped(odd)} of ${grouped(checked)} ${meaning} (${share(now)}${earlier})`;
    });
}

function doubtfulLines({ doubtful }: Judgement): string[] {
  return doubtful.map(
    ({ reference, reason, linked }) =>
      `Doubtful: ${reference}${linked ? ' (sign-in accounts are linked to it)' : ''}: ${reason}`,
  );
}

/** Shows samples of what was added, removed and changed. Returns nothing if every record is new. */
function sampleLines({ samples, registers }: Judgement): string[] {
  if (!samples || !registers.some(({ before }) => before !== undefined)) return [];
  return RESOURCE_TYPES.flatMap((type) => {
    const { added, removed, changed, elements, compared } = samples[type];
    const differing = Object.entries(elements)
      .sort(([, a], [, b]) => b - a)
      .map(([element, count]) => `${element} ${share(count / Math.max(1, compared))}`);
    return [
      ...(added.length > 0 ? [`${type} added, such as ${added.slice(0, 3).join(', ')}`] : []),
      ...(removed.length > 0 ? [`${type} removed, such as ${removed.slice(0, 3).join(', ')}`] : []),
      ...(differing.length > 0 ? [`${type} changed in ${differing.join(', ')}, such as`] : []),
      ...changed.slice(0, 2).map((one) => `  ${one.id}, ${changeText(one)}`),
    ];
  });
}

/** Writes the command with which a refused edition is accepted. `acceptedBy` is the option in the judgement. */
export function ifMeant(acceptedBy: string, paths?: readonly string[]): string {
  const option = acceptedBy.split(' ');
  const command = paths ? hygie`directory import ${option} ${paths}` : hygie`directory import ${option} PATH...`;
  return `If all of this is meant: ${command}`;
}
