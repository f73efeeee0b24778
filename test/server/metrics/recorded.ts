// Metrics that keep what they are told, for tests of what is counted and observed.

import type { Metrics } from '#server/metrics/registry.ts';

export type Told = [name: string, labels: Record<string, string>, value?: number];

export function recorded() {
  const told: Told[] = [];
  const sources: (() => unknown)[] = [];
  const tell = (...one: Told) => void told.push(one);
  const metrics = { count: tell, observe: tell, set: tell, addSource: (one: () => unknown) => void sources.push(one) };
  /** What the sources tell, and whatever was told since the last reading. */
  const read = async () => {
    for (const source of sources) await source();
    return told.splice(0);
  };
  return { metrics: metrics as unknown as Metrics, told, read };
}
