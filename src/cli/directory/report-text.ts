// The report of an import in lines for a reader.

import type { ImportReport } from '../../import/judgement/import-report.ts';
import { WARNINGS } from '../../import/publish/report.ts';
import { RESOURCE_TYPES, type ResourceType } from '../../search-index/index.ts';
import { grouped } from '../support/progress.ts';
import { describeJudgement } from './judgement-text.ts';
import { linkedAccountsLines } from './linked-accounts-text.ts';

const OUTCOMES: Readonly<Record<ImportReport['outcome'], string>> = {
  imported: 'Imported: the directory was switched.',
  unchanged: 'Nothing to do: the directory holds this edition already.',
  checked: 'Dry run: nothing speaks against this edition. The directory is unchanged.',
  refused: 'Refused: the directory is unchanged.',
};

/** What a file was counted in. */
const UNITS = { line: 'lines', entry: 'entries', 'legal entity': 'structures' } as const;

/** The report in lines for a reader. */
export function describeReport(report: ImportReport): string {
  const read = report.files.length > 0 ? [` ${grouped(report.lines)} lines in ${report.seconds} s`, '\n'] : [''];
  const lines = [`${OUTCOMES[report.outcome]}${read.join('')}`];
  for (const file of report.files) {
    const edition = file.edition === undefined ? '' : `, edition ${file.edition}`;
    const leftOut = file.leftOut > 0 ? `, ${grouped(file.leftOut)} left out` : '';
    const unit = UNITS[file.unit ?? 'line'];
    const compared = file.comparedWith ? `, as ${file.comparedWith.join(', ')} states` : '';
    lines.push(`  ${file.name}\n    ${file.kind}${edition}: ${grouped(file.lines)} ${unit}${leftOut}${compared}`);
  }
  if (report.files.length > 0) lines.push('', ...RESOURCE_TYPES.map((type) => resourceLine(report, type)));
  lines.push('', ...describeJudgement(report.judgement).map((line) => `  ${line}`));
  if (report.linkedAccounts) lines.push(...linkedAccountsLines(report.linkedAccounts));
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
  return lines.join('\n');
}

function resourceLine({ resources, changes }: ImportReport, type: ResourceType): string {
  const change = changes?.[type];
  const against = change
    ? ` (${grouped(change.added)} added, ${grouped(change.changed)} changed, ${grouped(change.removed)} removed)`
    : '';
  return `  ${type.padEnd(16)} ${grouped(resources[type])}${against}`;
}
