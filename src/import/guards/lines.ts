// Guards on single files: lines that cannot be used.

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
