// Says how much each series may grow, and judges it. The time after the restarts counts: the last two thirds.

import type { HeapPoint } from '#tools/soak/site/instances.ts';
import type { Series } from './sampler.ts';
import { type Judgement, judge, lowest, type Point, type Tolerance } from './slope.ts';

export interface Measured extends Partial<Judgement> {
  name: string;
  /** Values at the start of the window, in its middle, at its end. */
  values: [number, number, number];
  /** Why there is no judgement. */
  unjudged?: string;
}

const MEMORY: Tolerance = { share: 0.12, absolute: 24 };
const HEAP: Tolerance = { share: 0.1, absolute: 5 };
const HANDLES: Tolerance = { share: 0.1, absolute: 8 };
const ROWS: Tolerance = { share: 0.25, absolute: 40 };

/** Rules by the beginning of the name. A text is the reason why the series is shown and not judged. */
const RULES: readonly [beginning: string, rule: Tolerance | string][] = [
  ['memory of instance', MEMORY],
  ['heap of', HEAP],
  ['file descriptors', HANDLES],
  ['threads', HANDLES],
  ['connections', HANDLES],
  ['rows that should be gone', { share: 0, absolute: 0.5 }],
  ['rows of', ROWS],
  ['database', 'audit records are kept'],
  ['write-ahead log', 'PostgreSQL reuses it'],
  ['data folder', 'old snapshots are kept up to directory.keep'],
  ['memory of the soak', 'not the service'],
];

/** Fewest seconds that can be judged: for memory, which V8 first has to settle, and for all else. */
const WARM = 200;
const SETTLED = 60;
const TOO_SHORT = 'the run is too short for it';

/** Multiples of the longest lifetime that have to pass before as many rows end as are made. */
const STEADY_AFTER = 1.5;

/**
 * @param heaps with the second of the load at which each process began
 * @param from second from which on growth is judged
 * @param seconds of the load
 * @param longest seconds that the longest-lived record lasts
 */
export function measured(
  series: Series,
  heaps: readonly { name: string; begin: number; heap: ReadonlyMap<number, HeapPoint[]> }[],
  { from: judgedFrom, seconds, longest }: { from: number; seconds: number; longest: number },
): Measured[] {
  const all: [string, Point[]][] = [...series];
  for (const { name, begin, heap } of heaps) {
    for (const [pid, points] of heap) {
      const own = points.map(({ at, megabytes }) => ({ at: begin + at, value: megabytes }));
      all.push([`heap of ${name}, process ${pid}, after full collections (MB)`, own]);
    }
  }
  return all.map(([name, points]) => {
    const from = name.startsWith('rows of') ? Math.max(judgedFrom, longest * STEADY_AFTER) : judgedFrom;
    const window = points.filter(({ at }) => at >= from && at <= seconds);
    const value = (share: number) => window[Math.round((window.length - 1) * share)]?.value ?? Number.NaN;
    const row: Measured = { name, values: [value(0), value(0.5), value(1)] };
    const rule = RULES.find(([beginning]) => name.startsWith(beginning))?.[1] ?? 'not known';
    if (typeof rule === 'string') return { ...row, unjudged: rule };
    if (name === 'rows that should be gone') return { ...row, ...mostAllowed(window, rule.absolute) };
    const isMemory = /^(memory|heap)/.test(name);
    const span = (window.at(-1)?.at ?? 0) - (window[0]?.at ?? 0);
    if (span < (isMemory ? WARM : SETTLED)) return { ...row, unjudged: TOO_SHORT };
    const judgement = judge(isMemory ? lowest(window) : window, rule);
    return judgement ? { ...row, ...judgement } : { ...row, unjudged: TOO_SHORT };
  });
}

/** There must be none at any time, whatever the slope. */
function mostAllowed(points: readonly Point[], allowed: number): Judgement {
  const most = Math.max(0, ...points.map(({ value }) => value));
  return { perHour: 0, rise: most, allowed, flat: most <= allowed };
}
