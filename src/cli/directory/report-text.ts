// The report of an import in lines for a reader: the verdict first, the files last.

import { dirname, isAbsolute } from 'node:path';
import { grouped } from '#cli/support/progress.ts';
import { WARNINGS } from '#import/collect/warnings.ts';
import type { ImportReport } from '#import/judgement/import-report.ts';
import { RESOURCE_TYPES, type ResourceType } from '#search-index/index.ts';
import { describeContent, describeRegisters, describeVerdict } from './judgement-text.ts';
import { linkedAccountsLines } from './linked-accounts-text.ts';

const OUTCOMES: Readonly<Record<ImportReport['outcome'], string>> = {
  imported: 'Imported: the directory was switched.',
  unchanged: 'Nothing to do: the directory holds this edition already.',
  checked: 'Dry run: nothing speaks against this edition. The directory is unchanged.',
  refused: 'Refused: the directory is unchanged.',
};

/** What a file was counted in. */
const UNITS = { line: 'lines', entry: 'entries', 'legal entity': 'structures' } as const;

/** The report in lines for a reader. `reasonsFollow`: those of a refusal are shown behind it. */
export function describeReport(report: ImportReport, reasonsFollow = false): string {
  const { judgement, outcome, files } = report;
  const read = files.length > 0 ? ` ${grouped(report.lines)} lines in ${report.seconds} s` : '';
  const verdict = describeVerdict(judgement);
  const lines = [`${OUTCOMES[outcome]}${read}`, ...(reasonsFollow ? verdict.slice(0, 1) : verdict)];
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

/** The texts with the paths of files from the folder on that all of them are in, which is named elsewhere. */
export function withoutFolder(texts: readonly string[], folder: string | undefined): string[] {
  return folder === undefined ? [...texts] : texts.map((text) => text.replaceAll(`${folder}/`, ''));
}

/** The folder that the files of an edition are in; absent where they are in several. */
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
