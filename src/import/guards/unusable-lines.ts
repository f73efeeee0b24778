// Guards on the lines of which no resource can be made. Their limits stand in `config/service/guard-table.ts`.

import { REGISTERS } from '#import/registers/register-kinds.ts';
import type { EditionToJudge } from './measured-edition.ts';
import { limitText, type Verdict, verdict } from './verdict.ts';

/**
 * Checks the share of unusable lines in each file by itself. Otherwise the faults of a small file would go unnoticed among the lines of a
 * large one.
 */
export function guardUnusableLines({ sources, limits, collector }: EditionToJudge): Verdict[] {
  return sources.map(({ report }) => {
    const { name, kind, lines, leftOut, unit } = report;
    const [first] = collector.reasonsFor(report);
    const example = first ? `; ${first.unit ?? 'line'} ${first.line}: ${first.reason}` : '';
    const figures = `${name}: ${leftOut} of ${lines} lines ${limitText(leftOut, lines, limits.unusableLines)}${example}`;
    return verdict('unusableLines', {
      register: kind,
      passed: lines > 0 && leftOut / lines <= limits.unusableLines,
      figures: lines === 0 ? `${name}: not a single ${unit ?? 'line behind the header'}` : figures,
      remedy: `Take ${REGISTERS[kind].title} as published`,
    });
  });
}

/** Checks the number of unusable lines in all files together, because even a small share of a whole country is many people. */
export function guardUnusableLinesInAll({ sources, limits }: EditionToJudge): Verdict[] {
  const leftOut = sources.reduce((sum, { report }) => sum + report.leftOut, 0);
  const passed = leftOut <= limits.unusableLinesInAll;
  return [verdict('unusableLinesInAll', { passed, figures: `${leftOut} (limit ${limits.unusableLinesInAll})` })];
}
