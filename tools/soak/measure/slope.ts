// Says whether a series of measurements is flat: a straight line by least squares, and how much it rises within the window.

export interface Point {
  /** Seconds. */
  at: number;
  value: number;
}

export interface Tolerance {
  /** Most that the line may rise within the window: the larger of both. */
  share: number;
  absolute: number;
}

export interface Judgement {
  /** The slope of the line, per hour. */
  perHour: number;
  /** The rise of the line from the first to the last point. */
  rise: number;
  allowed: number;
  flat: boolean;
}

/** Fewer points say nothing. */
const FEWEST = 5;

/** The verdict on the points; `undefined` where they are too few. */
export function judge(points: readonly Point[], { share, absolute }: Tolerance): Judgement | undefined {
  const first = points[0];
  const last = points.at(-1);
  if (!first || !last || points.length < FEWEST || last.at === first.at) return undefined;
  const mean = (of: (point: Point) => number) => points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [atMean, valueMean] = [mean(({ at }) => at), mean(({ value }) => value)];
  const slope = mean(({ at, value }) => (at - atMean) * (value - valueMean)) / mean(({ at }) => (at - atMean) ** 2);
  const rise = slope * (last.at - first.at);
  const allowed = Math.max(absolute, share * valueMean);
  return { perHour: slope * 3600, rise, allowed, flat: rise <= allowed };
}

/**
 * The lowest point of each of `parts` equal spans of time: what is left after collections of garbage, for saw-toothed series.
 */
export function lowest(points: readonly Point[], parts = 12): Point[] {
  const first = points[0]?.at ?? 0;
  const span = ((points.at(-1)?.at ?? 0) - first) / parts || 1;
  const byPart = Map.groupBy(points, ({ at }) => Math.min(parts - 1, Math.floor((at - first) / span)));
  return [...byPart.values()].map((part) => part.reduce((low, one) => (one.value < low.value ? one : low)));
}
