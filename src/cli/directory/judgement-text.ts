// The judgement of an edition in lines for a reader: what is worth a look of registers, columns, departments and changes.

import type { Judgement } from '../../import/judgement/judgement.ts';
import { RESOURCE_TYPES, type ResourceType } from '../../search-index/index.ts';
import { hygie } from '../../shared/hygie-command.ts';
import { grouped } from '../support/progress.ts';

/** Departments and columns shown: those that changed most. */
const SHOWN = 5;
/** Change of a share from which a column is worth a line. */
const LEAST_CHANGE = 0.005;

/** Lines without indentation, the verdict first. */
export function describeJudgement(judgement: Judgement): string[] {
  const { verdict, reasons } = judgement;
  return [
    `Judgement: ${verdict}`,
    ...reasons.map((reason) => `  ${reason}`),
    ...registerLines(judgement),
    ...departmentLines(judgement),
    ...columnLines(judgement),
    ...consistencyLines(judgement),
    ...sampleLines(judgement),
    ...doubtfulLines(judgement),
  ];
}

function registerLines({ registers }: Judgement): string[] {
  const width = Math.max(0, ...registers.map(({ register }) => register.length));
  return registers.map(({ register, now, before }) => {
    const dated = now.date === undefined ? '' : `, of ${now.date}`;
    const earlier =
      before && ` (before: ${grouped(before.lines)}${before.date === undefined ? '' : `, of ${before.date}`})`;
    return `  ${register.padEnd(width)}  ${grouped(now.lines)}${dated}${earlier ?? ''}`;
  });
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
    .map(({ department, now, before }) => `${department} ${grouped(before)} -> ${grouped(now)}`);
  return [`  ${departments.length} departments${most.length === 0 ? '' : `; changed most: ${most.join(', ')}`}`];
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
    ({ register, column, now, before }) => `  ${register}, "${column}": filled ${share(before)} -> ${share(now)}`,
  );
}

function share(part: number): string {
  return `${(part * 100).toFixed(1)} %`;
}

function consistencyLines({ consistency }: Judgement): string[] {
  return consistency
    .filter(({ odd }) => odd > 0)
    .map(({ register, meaning, odd, checked, now, before }) => {
      const earlier = before === undefined ? '' : `; before: ${share(before)}`;
      return `  ${register}: ${grouped(odd)} of ${grouped(checked)} ${meaning} (${share(now)}${earlier})`;
    });
}

function doubtfulLines({ doubtful }: Judgement): string[] {
  return doubtful.map(
    ({ reference, reason, linked }) =>
      `  Doubtful: ${reference}${linked ? ' (sign-in accounts are linked to it)' : ''}: ${reason}`,
  );
}

function sampleLines({ samples }: Judgement): string[] {
  if (!samples) return [];
  return RESOURCE_TYPES.flatMap((type) => {
    const { added, removed, changed, elements, compared } = samples[type];
    const differing = Object.entries(elements)
      .sort(([, a], [, b]) => b - a)
      .map(([element, count]) => `${element} ${share(count / Math.max(1, compared))}`);
    return [
      ...(added.length > 0 ? [`  ${type} added, such as ${added.slice(0, 3).join(', ')}`] : []),
      ...(removed.length > 0 ? [`  ${type} removed, such as ${removed.slice(0, 3).join(', ')}`] : []),
      ...(differing.length > 0 ? [`  ${type} changed in ${differing.join(', ')}`] : []),
      ...changed.slice(0, 2).map(({ id, elements: [element], from, to }) => `    ${id}, ${element}: ${from} -> ${to}`),
    ];
  });
}

/** The remedy of a refusal. `acceptedBy`: as the judgement has it. */
export function ifMeant(acceptedBy: string): string {
  return `If all of this is meant: ${hygie(`directory import ${acceptedBy} PATH...`)}`;
}
