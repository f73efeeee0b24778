// Lines whose values belong together, drawn by a seed, and their judgement.

import { type Collector, createCollector } from '#import/collect/collector.ts';
import type { PairKey } from '#import/collect/pairs.ts';
import type { EditionToJudge } from '#import/guards/measured-edition.ts';
import { guardPairs } from '#import/guards/pairs.ts';
import type { Verdict } from '#import/guards/verdict.ts';
import type { PairFigures } from '#store/snapshots/judgements.ts';
import { DEFAULT_LIMITS } from '#support/config/guards.ts';
import { createDraw, type Draw } from '#support/draw.ts';

/** Odd shares of judged cases: of a stranger, and of the lines of a file by their number. */
export interface Shares {
  lines: number;
  stranger?: number;
  odd: (line: number) => number;
}

function chance({ between }: Draw, share: number): boolean {
  return between(1, 10_000) <= share * 10_000;
}

/** The numbers of so many lines after a header, in the order of a hash, as the mappers read them. */
function hashOrder(lines: number, { between }: Draw): number[] {
  const order = Array.from({ length: lines }, (_, index) => index + 2);
  for (let index = lines - 1; index > 0; index--) {
    const other = between(0, index);
    [order[index], order[other]] = [order[other] as number, order[index] as number];
  }
  return order;
}

/** Counts judged cases, and one stranger for sixteen of them. */
export function countJudged(
  seed: number,
  { lines, stranger = 0.98, odd }: Shares,
  { key = 'mailboxRuns' as PairKey, file = 0 } = {},
): Collector {
  const draw = createDraw(seed);
  const collector = createCollector();
  const pair = collector.pairs.of(key);
  for (const [at, line] of hashOrder(lines, draw).entries()) {
    pair.judged(file, line, chance(draw, odd(line)), () => `"a.b" beside "C ${line}"`);
    if (at % 16 === 0) pair.mixed(file, chance(draw, stranger));
  }
  return collector;
}

/** The verdicts on the pairs, beside the figures of an edition before, and of those before it (the newest first). */
export function judgedPairs(
  collector: Collector,
  before?: Record<string, PairFigures>,
  history: readonly { accepted: string[]; pairs: Record<string, PairFigures> }[] = [],
): Verdict[] {
  const sources = [0, 1].map((file) => ({ file, report: { name: `file-${file}.txt` } }));
  const statistics = { columns: {}, values: {}, departments: {}, ...(before && { pairs: before }) };
  return guardPairs({
    collector,
    sources,
    limits: DEFAULT_LIMITS,
    ...(before && { before: { statistics } }),
    history: history.map(({ accepted, pairs }) => ({ accepted, statistics: { pairs } })),
  } as unknown as EditionToJudge);
}
