// Guards on single files: lines that cannot be used, and values that do not look like their columns.

import { REGISTERS } from '../sources/register-kinds.ts';
import type { MappedEdition } from './measured-edition.ts';
import { percent, type Verdict, verdict } from './verdict.ts';

/** Share of unusable lines, file by file: rubbish in a small file must not drown in the lines of a large one. */
export function guardUnusableLines({ sources, limits, collector }: MappedEdition): Verdict[] {
  return sources.map(({ report }) => {
    const { name, kind, lines, leftOut, unit } = report;
    const share = leftOut / Math.max(1, lines);
    const [first] = collector.reasonsFor(report);
    const example = first ? `; ${first.unit ?? 'line'} ${first.line}: ${first.reason}` : '';
    const figures = `${name}: ${leftOut} of ${lines} lines (${percent(share)}, limit ${percent(limits.unusableLines)})${example}`;
    return verdict('unusableLines', {
      register: kind,
      passed: lines > 0 && share <= limits.unusableLines,
      figures: lines === 0 ? `${name}: not a single ${unit ?? 'line behind the header'}` : figures,
      remedy: `Take ${REGISTERS[kind].title} as published`,
    });
  });
}

/** Lines that cannot be used in all files: a share of a country is many people. */
export function guardUnusableLinesInAll({ sources, limits }: MappedEdition): Verdict[] {
  const leftOut = sources.reduce((sum, { report }) => sum + report.leftOut, 0);
  const passed = leftOut <= limits.unusableLinesInAll;
  return [verdict('unusableLinesInAll', { passed, figures: `${leftOut} (limit ${limits.unusableLinesInAll})` })];
}

/** Columns whose values look like those of another one. */
export function guardColumns({ collector, sources }: MappedEdition): Verdict[] {
  const odd = collector.columns.odd();
  if (odd.length === 0) return [verdict('columns', { passed: true, figures: 'values look like their columns' })];
  return odd.map(({ file, column, seen, odd: count, example }) => {
    const register = sources.find(({ report }) => report.name === file)?.report.kind;
    return verdict('columns', {
      ...(register !== undefined && { register }),
      passed: false,
      figures: `${file}, column "${column}": ${count} of ${seen} values looked at do not belong there, such as "${example}"; are columns swapped?`,
    });
  });
}
