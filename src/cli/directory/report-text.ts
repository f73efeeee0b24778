// Formats the report of an import and the judgement of an edition for a reader: first the verdict, then notable facts about registers,
// columns, departments and changes, and at the end the files.

import { dirname, isAbsolute } from 'node:path';
import { grouped } from '#cli/support/progress.ts';
import { WARNINGS } from '#import/collect/warnings.ts';
import { changeText } from '#import/guards/changed-resources.ts';
import type { ImportReport } from '#import/judgement/import-report.ts';
import type { LinkedAccountsReport } from '#import/judgement/linked-accounts.ts';
import type { Judgement } from '#import/judgement/reported-judgement.ts';
import { RESOURCE_TYPES, type ResourceType } from '#search-index/index.ts';
import type { LinkCounts } from '#server/linked-accounts/compare-links.ts';
import { hygie } from '#shared/operator-messages.ts';

const OUTCOMES: Readonly<Record<ImportReport['outcome'], string>> = {
  imported: 'Imported: the directory was switched.',
  unchanged: 'Nothing to do: the directory holds this edition already.',
  checked: 'Dry run: nothing speaks against this edition. The directory is unchanged.',
  refused: 'Refused: the directory is unchanged.',
};

/** The plural of each unit in which the content of a file is counted. */
const UNITS = { line: 'lines', entry: 'entries', 'legal entity': 'structures' } as const;

/** Formats the report as lines. With `reasonsFollow`, the verdict and reasons are left out, because the caller prints them afterwards. */
export function describeReport(report: ImportReport, reasonsFollow = false): string {
  const { judgement, outcome, files } = report;
  const read = files.length > 0 ? ` ${grouped(report.lines)} lines in ${report.seconds} s` : '';
  const head = reasonsFollow ? 'Refused, for the reasons at the end.' : OUTCOMES[outcome];
  const lines = [`${head}${read}`, ...(reasonsFollow ? [] : describeVerdict(judgement))];
  const resources = files.length > 0 ? RESOURCE_TYPES.map((type) => resourceLine(report, type)) : [];
  for (const part of [indented(describeRegisters(judgement)), resources, indented(describeContent(judgement))]) {
    if (part.length > 0) lines.push('', ...part);
  }
  const loaded = outcome === 'imported' || outcome === 'unchanged';
  if (report.linkedAccounts) lines.push(...linkedAccountsLines(report.linkedAccounts, loaded));
  for (const { kind, count, examples } of report.warnings) {
    lines.push('', `  Warning: ${grouped(count)} ${WARNINGS[kind]}`, ...examples.map((example) => `    ${example}`));
  }
  const { count, examples } = report.linesLeftOut;
  if (count > 0) {
    lines.push('', `  ${grouped(count)} lines left out`);
    lines.push(
      ...examples
        .slice(0, 20)
        .map(({ file, unit = 'line', line, reason }) => `    ${file}, ${unit} ${line}: ${reason}`),
    );
  }
  if (files.length === 0) return lines.join('\n');
  const folder = folderOf(report);
  lines.push('', `  Files${folder === undefined ? '' : ` of ${folder}`}:`, ...indented(fileLines(report), 4));
  return withoutFolder(lines, folder).join('\n');
}

/** Shortens the paths of files in the texts: removes `folder`, which holds all files. The report names it once. */
export function withoutFolder(texts: readonly string[], folder: string | undefined): string[] {
  if (folder === undefined) return [...texts];
  // A longer path may end with the same characters as `folder`. Such a path is not changed.
  return texts.map((text) =>
    text.replaceAll(`${folder}/`, (path, at: number) => (/[\w./-]/.test(text.charAt(at - 1)) ? path : '')),
  );
}

/** Finds the folder that holds all files of an edition. Returns undefined if the files lie in several folders. */
export function folderOf({ files }: Pick<ImportReport, 'files'>): string | undefined {
  const [folder, ...others] = [...new Set(files.map(({ name }) => dirname(name)))];
  return folder !== undefined && others.length === 0 && isAbsolute(folder) ? folder : undefined;
}

function fileLines({ files }: ImportReport): string[] {
  return files.map(({ name, kind, lines, leftOut, unit, comparedWith }) => {
    const without = leftOut > 0 ? `, ${grouped(leftOut)} left out` : '';
    const compared = comparedWith ? `, as ${comparedWith.join(', ')} states` : '';
    return `${name}  ${kind}: ${grouped(lines)} ${UNITS[unit ?? 'line']}${without}${compared}`;
  });
}

function indented(lines: readonly string[], by = 2): string[] {
  return lines.map((line) => `${' '.repeat(by)}${line}`);
}

function resourceLine({ resources, changes }: ImportReport, type: ResourceType): string {
  const change = changes?.[type];
  const against = change
    ? ` (${grouped(change.added)} added, ${grouped(change.changed)} changed, ${grouped(change.removed)} removed)`
    : '';
  return `  ${type.padEnd(16)} ${grouped(resources[type])}${against}`;
}

const LINKS = [
  ['other', 'of another person or structure now'],
  ['left', 'whose record left the directory'],
  ['missing', 'whose record was never in it'],
] as const;

/**
 * Writes lines about the account links of sign-in accounts, for the report of an import: how many are not valid, and how many are valid
 * again. Returns no lines if all links are valid and were valid before.
 */
function linkedAccountsLines({ changed, ...counts }: LinkedAccountsReport, loaded: boolean): string[] {
  const texts = [unlinkedText(counts)];
  if (changed.held > 0)
    texts.push(`${grouped(changed.held)} ${changed.held === 1 ? 'link holds' : 'links hold'} again`);
  return texts
    .filter(Boolean)
    .flatMap((text) => ['', `  Sign-in accounts${loaded ? '' : ', with this edition'}: ${text}`]);
}

/**
 * Returns lines about the account links of sign-in accounts, for `directory status`: one line if some links are not valid, and one line if
 * the links were not compared with this edition.
 */
export function linkedAccountsText({ compared, ...counts }: LinkCounts & { compared: boolean }): string {
  const text = unlinkedText(counts);
  const lines = text === '' ? [] : [text];
  if (!compared) lines.push('not compared with this edition; the next import does that, of the same files too');
  return lines.map((line) => `sign-in accounts: ${line}\n`).join('');
}

function unlinkedText(counts: LinkCounts): string {
  const parts = LINKS.flatMap(([kind, meaning]) => (counts[kind] > 0 ? [`${grouped(counts[kind])} ${meaning}`] : []));
  if (parts.length === 0) return '';
  const all = LINKS.reduce((sum, [kind]) => sum + counts[kind], 0);
  const links = `${grouped(all)} ${all === 1 ? 'link does' : 'links do'} not hold`;
  return `${links} (${parts.join(', ')}): ${hygie('accounts list --unlinked')}`;
}

/**
 * Maximum number of departments that are shown, and maximum number of columns that are shown. Those with the largest changes come first.
 */
const SHOWN = 5;
/** Smallest change of a share that is shown: half a percentage point. */
const LEAST_CHANGE = 0.005;

/** Formats the verdict and its reasons. */
export function describeVerdict({ verdict, reasons }: Judgement): string[] {
  return [`Judgement: ${verdict}`, ...reasons.map((reason) => `  ${reason}`)];
}

/** Compares the content of the edition with that of the previous edition. The figures that tell most come first. */
export function describeContent(judgement: Judgement): string[] {
  return [
    ...doubtfulLines(judgement),
    ...departmentLines(judgement),
    ...columnLines(judgement),
    ...consistencyLines(judgement),
    ...sampleLines(judgement),
  ];
}

/** Lists the number of lines and the date of each register, beside those of the previous edition. */
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
 * Lists the checks of consistency that have found odd rows. A first import shows all of them. A later import shows a check only if the
 * share of odd rows has changed. Checks that are among the reasons of a refusal are left out, because they are printed already.
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

/** Shows samples of the resources that were added, removed and changed. Returns nothing if there is no previous edition. */
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

/** Writes the command with which an operator accepts a refused edition. `acceptedBy` is the `--accept` option that the judgement names. */
export function ifMeant(acceptedBy: string, paths?: readonly string[]): string {
  const option = acceptedBy.split(' ');
  const command = paths ? hygie`directory import ${option} ${paths}` : hygie`directory import ${option} PATH...`;
  return `If all of this is meant: ${command}`;
}
