// Guard on pairs of values that belong together, such as a mail address and the name of its owner. It judges the whole register, and also
// finds runs of lines in which a column is shifted, so that its values stand in the wrong lines. In such a run, the two values of a pair
// fit each other no better than values of strangers, that is, of two different people or structures. The limit stands in
// `config/service/guard-table.ts`.

import type { Collector } from '#import/collect/collector.ts';
import { PAIRS, type PairKey, type PairRow, type PairTally, WINDOW_BITS } from '#import/collect/pairs.ts';
import { titleOf } from '#import/registers/register-kinds.ts';
import type { EditionStatistics, PairFigures } from '#store/snapshots/judgements.ts';
import { sinceAccepted } from './drift.ts';
import type { EditionToJudge } from './measured-edition.ts';
import { hasSpread, LEAST_CASES, LEAST_OF_FIRST_IMPORT, percent, type Verdict, verdict } from './verdict.ts';

const UNITS = { line: 'lines', entry: 'entries', 'legal entity': 'legal entities' } as const;
/** Maximum number of shifted runs that are searched for in one file. */
const MOST_RUNS = 8;
const EXAMPLES = 3;
/**
 * Minimum difference between the share of odd cases among strangers and the share in the pair itself. If the difference is smaller, the two
 * values are hardly related, so the pair shows nothing about the file.
 */
const LEAST_GAP = 0.2;
/** A rise in the share of odd cases is a fault only if `fit` (see `PairFigures`) also falls by more than this number. */
const FALL = 0.1;
/**
 * Stricter limits for a pair that always fitted before, with a share of odd cases of at most `odd`. For such a pair, `limit` replaces
 * `FALL`. `limit` also replaces the configured limit if the configured limit is higher.
 */
const FIRM = { odd: 0.01, limit: 0.02 };
/**
 * Maximum differences with which a run of this edition is taken for the same run as in the edition before. The excess may differ by the
 * share `excess` of the earlier excess. The first line may differ by `lines` plus the share `place` of the earlier line number.
 */
const SAME_RUN = { excess: 0.2, place: 0.02, lines: 128 };
/**
 * Minimum figures of a run for which an edition is refused. `weight` is a logarithm: it says how much better a shifted column explains the
 * run than chance does. In a file of 2.3 million lines (72,000 windows), a run of weight h comes by chance with a probability of 72,000 /
 * e^h: 7e-9 for 30, and 1e-4 for 20. The weight alone is not enough, because neighbours in a file may be alike. So a run must also have at
 * least `excess` odd cases more than expected.
 */
const REFUSED = { weight: 30, excess: 40 };
const WARNED = { weight: 20, excess: 15 };

/** A run of neighbouring lines in which the two values of a pair do not fit each other. */
export interface Run {
  file: number;
  from: number;
  to: number;
  checked: number;
  odd: number;
  /** Share (0-1) of odd cases in the lines of the file outside the run. */
  elsewhere: number;
  /** Number of odd cases in the run beyond the number that the share `elsewhere` predicts. */
  excess: number;
  weight: number;
  examples: string[];
}

/** The figures of one pair of which at least one case was checked. */
interface MeasuredPair extends PairFigures {
  key: PairKey;
  checked: number;
  oddCases: number;
  /** Share (0-1) of odd cases when each value is compared with the values of strangers. Absent if there were too few comparisons. */
  strangers?: number;
  runs: Run[];
  examples: string[];
}

/** Measures for each pair how well its two values fit each other. */
export function measurePairs(collector: Collector): MeasuredPair[] {
  const tallies = collector.pairs.all().filter(({ checked }) => checked > 0);
  return [...Map.groupBy(tallies, ({ key }) => key)].map(([key, files]) => {
    const [checked, oddCases] = [sum(files, 'checked'), sum(files, 'odd')];
    const [mixedChecked, mixedOdd] = [sum(files, 'mixedChecked'), sum(files, 'mixedOdd')];
    const odd = oddCases / checked;
    const strangers = mixedChecked < LEAST_CASES ? undefined : mixedOdd / mixedChecked;
    return {
      key,
      checked,
      oddCases,
      odd,
      ...(strangers !== undefined && { strangers }),
      fit: fitOf(odd, strangers),
      gap: strangers === undefined ? 0 : strangers - odd,
      runs: strangers === undefined ? [] : files.flatMap((tally) => runsIn(tally, strangers)),
      examples: examplesIn(files, () => true),
    };
  });
}

/** Returns how well the values fit (`PairFigures`): 1 if no case is odd, and 0 if there is nothing to compare the odd cases with. */
function fitOf(odd: number, strangers: number | undefined): number {
  if (odd === 0) return 1;
  return strangers ? 1 - odd / strangers : 0;
}

/** Returns the figures of all pairs. They are stored, because the next editions are compared with them. */
export function pairFigures(collector: Collector): NonNullable<EditionStatistics['pairs']> {
  const rounded = (share: number) => Math.round(share * 1e5) / 1e5;
  return Object.fromEntries(
    measurePairs(collector).map(({ key, fit, odd, gap, runs }) => {
      const places = runs.map(({ from, excess }) => ({ from, excess: Math.round(excess) }));
      return [key, { fit: rounded(fit), odd: rounded(odd), gap: rounded(gap), runs: places }];
    }),
  );
}

/**
 * Compares the fit of each pair with its best fit in the editions of the last 30 days. At a first import, the usual fit of the pair takes
 * the place of the best. Runs of lines are judged as well.
 */
export function guardPairs({ collector, before, history, sources, limits }: EditionToJudge): Verdict[] {
  const placeOf = ({ file, from, to }: Run) => {
    const report = sources.find((source) => source.file === file)?.report;
    return `${UNITS[report?.unit ?? 'line']} ${from} to ${to} of ${report?.name}`;
  };
  const editions = [before, ...sinceAccepted(history, 'pairs')];
  const judged = measurePairs(collector).map((pair) => {
    const { whole, what, register } = PAIRS[pair.key];
    const figures = editions.flatMap((edition) => edition?.statistics?.pairs?.[pair.key] ?? []);
    const best = figures.reduce<PairFigures | undefined>((a, b) => (a && a.fit >= b.fit ? a : b), undefined);
    const runs = withoutKnown(pair.runs, before?.statistics?.pairs?.[pair.key]?.runs);
    const runText = (run: Run) =>
      `${run.odd} of ${run.checked} ${whole} ${what} in ${placeOf(run)} (${percent(run.odd / run.checked)}, ${percent(run.elsewhere)} elsewhere)${such(run.examples)}`;
    const fault = wholeFault(pair, best, limits.pairs);
    const wholeText = `${pair.oddCases} of ${pair.checked} ${whole} ${what} (${fault})${such(pair.examples)}`;
    const failed = runs.filter((run) => isBeyond(run, REFUSED)).map(runText);
    const warned = runs.filter((run) => !isBeyond(run, REFUSED)).map(runText);
    if (hasMoreMailboxes(pair, before?.statistics?.pairs?.[pair.key]))
      warned.push(`${pair.oddCases} of ${pair.checked} ${whole} ${what}, more than before${such(pair.examples)}`);
    return { register, failed: fault === undefined ? failed : [wholeText, ...failed], warned };
  });
  return [...Map.groupBy(judged, ({ register }) => register)].map(([register, pairs]) => {
    const [failed, warned] = [pairs.flatMap((pair) => pair.failed), pairs.flatMap((pair) => pair.warned)];
    const listed = failed.length > 0 ? failed : warned;
    const fitting = `what belongs together stands together (${pairs.length} compared)`;
    return verdict('pairs', {
      register,
      passed: failed.length === 0,
      ...(failed.length === 0 && warned.length > 0 && { notable: true }),
      figures: `${titleOf(register)}: ${listed.length > 0 ? listed.join('; ') : fitting}`,
      remedy: 'Is a column shifted against the others? Take the file as published',
    });
  });
}

/**
 * If the share of mailboxes with another person's name has risen by more than this since the edition before, the guard's verdict is marked
 * as notable.
 */
const MORE_MAILBOXES = 0.002;

function hasMoreMailboxes({ key, oddCases, checked }: MeasuredPair, before: PairFigures | undefined): boolean {
  return key === 'mailboxRuns' && before !== undefined && hasSpread(oddCases, checked, before.odd, MORE_MAILBOXES);
}

/** Returns the figures of a pair, with the limit, if its values fit too badly in the whole register. Undefined if the values fit. */
function wholeFault(pair: MeasuredPair, earlier: PairFigures | undefined, limit: number): string | undefined {
  const { checked, oddCases, odd, fit, gap, strangers } = pair;
  const { usualFit, onlyRuns }: PairRow = PAIRS[pair.key];
  if (strangers === undefined || onlyRuns) return undefined;
  const figures = `${percent(odd)}, ${percent(strangers)} beside a stranger's`;
  if (!earlier) {
    if (usualFit === undefined || checked < LEAST_OF_FIRST_IMPORT || strangers < LEAST_GAP || fit >= usualFit)
      return undefined;
    return `${figures}; at most ${percent((1 - usualFit) * strangers)} are usual`;
  }
  const isFirm = earlier.odd <= FIRM.odd;
  const most = isFirm ? Math.min(limit, FIRM.limit) : limit;
  const hasRisen = hasSpread(oddCases, checked, earlier.odd, most) && fit < earlier.fit - (isFirm ? FIRM.limit : FALL);
  const isUnrelated = checked >= LEAST_OF_FIRST_IMPORT && gap < LEAST_GAP && earlier.gap > LEAST_GAP + FALL;
  return hasRisen || isUnrelated
    ? `${figures}; before ${percent(earlier.odd)} and ${percent(earlier.odd + earlier.gap)}, limit ${percent(most)} more`
    : undefined;
}

function isBeyond({ weight, excess }: Run, least: typeof REFUSED): boolean {
  return weight >= least.weight && excess >= least.excess;
}

/**
 * Leaves out runs that the edition before also had, with about the same place and size. Each run of the edition before can excuse only one
 * run.
 */
function withoutKnown(runs: readonly Run[], before: PairFigures['runs'] = []): Run[] {
  const known = [...before];
  return runs.filter(({ from, excess }) => {
    const at = known.findIndex(
      (earlier) =>
        Math.abs(excess - earlier.excess) <= SAME_RUN.excess * earlier.excess &&
        Math.abs(from - earlier.from) <= SAME_RUN.lines + SAME_RUN.place * earlier.from,
    );
    if (at >= 0) known.splice(at, 1);
    return at < 0;
  });
}

/**
 * Finds the runs of lines in which the share of odd cases is nearer to the share among strangers than to the share in the file. First finds
 * the heaviest run: the consecutive windows with the greatest sum of weights (Kadane's algorithm). Then searches the windows before and
 * after this run in the same way.
 */
function runsIn(tally: PairTally, strangers: number): Run[] {
  const { windows } = tally;
  const [odd, shifted] = [clamped(tally.odd / tally.checked), clamped(strangers)];
  if (shifted - odd < LEAST_GAP) return [];
  const [ofOdd, ofFitting] = [Math.log(shifted / odd), Math.log((1 - shifted) / (1 - odd))];
  const weights = Float64Array.from(windows.checked, (checked, window) => {
    const count = windows.odd[window] ?? 0;
    return count * ofOdd + (checked - count) * ofFitting;
  });
  const runs: Run[] = [];
  const ranges: [number, number][] = [[0, weights.length]];
  for (let range = ranges.pop(); range && runs.length < MOST_RUNS; range = ranges.pop()) {
    const found = heaviest(weights, range);
    if (found.weight < WARNED.weight) continue;
    const run = runOf(tally, found);
    if (isBeyond(run, WARNED) && run.odd / run.checked >= (odd + shifted) / 2) runs.push(run);
    ranges.push([range[0], found.start], [found.end, range[1]]);
  }
  return runs.sort((a, b) => a.from - b.from);
}

/** Returns the consecutive windows with the greatest sum of weights. `start` is the first window, and `end` is the one after the last. */
function heaviest(weights: Float64Array, [from, to]: readonly [number, number]) {
  const best = { start: from, end: from, weight: 0 };
  let [start, sum] = [from, 0];
  for (let window = from; window < to; window++) {
    if (sum <= 0) [start, sum] = [window, 0];
    sum += weights[window] ?? 0;
    if (sum > best.weight) Object.assign(best, { start, end: window + 1, weight: sum });
  }
  return best;
}

function runOf(tally: PairTally, { start, end, weight }: ReturnType<typeof heaviest>): Run {
  const { file, windows } = tally;
  const [checked, odd] = [total(windows.checked.subarray(start, end)), total(windows.odd.subarray(start, end))];
  const [allChecked, allOdd] = [total(windows.checked), total(windows.odd)];
  const elsewhere = (allOdd - odd) / Math.max(1, allChecked - checked);
  const [from, to] = [Math.max(1, start << WINDOW_BITS), (end << WINDOW_BITS) - 1];
  const excess = odd - elsewhere * checked;
  const examples = examplesIn([tally], (line) => line >= from && line <= to);
  return { file, from, to, checked, odd, elsewhere, excess, weight, examples };
}

/** Returns up to `EXAMPLES` odd cases as text, those with the lowest line numbers first. */
function examplesIn(tallies: readonly PairTally[], isWanted: (line: number) => boolean): string[] {
  const examples = tallies.flatMap((tally) => [...tally.examples.values()].filter(({ line }) => isWanted(line)));
  const first = examples.sort((a, b) => a.line - b.line).slice(0, EXAMPLES);
  return first.map(({ line, text }) => (line > 0 ? `${text} (line ${line})` : text));
}

function such(examples: readonly string[]): string {
  return examples.length > 0 ? `; such as ${examples.join(', ')}` : '';
}

function clamped(share: number): number {
  return Math.min(0.999, Math.max(0.001, share));
}

function total(counts: Uint16Array): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function sum(tallies: readonly PairTally[], key: 'checked' | 'odd' | 'mixedChecked' | 'mixedOdd'): number {
  return tallies.reduce((all, tally) => all + tally[key], 0);
}
