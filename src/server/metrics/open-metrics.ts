// Opens the metrics if the settings want them: those of this process, and a function that returns those of all processes as text.

import cluster from 'node:cluster';
import type { Settings } from '#config/settings.ts';
import type { Metrics } from './registry.ts';
import type { Scrape } from './scrape-workers.ts';

export interface OpenMetrics {
  metrics: Metrics;
  /** Returns the metrics of all processes of this instance as text. */
  scrape: Scrape;
  close(): void;
}

/**
 * Opens the metrics. Returns undefined if the settings want none, and then does not load prom-client. `primary` means that this is the
 * primary process of several.
 */
export async function openMetrics(
  { metrics: { port, token } }: Pick<Settings, 'metrics'>,
  primary = false,
): Promise<OpenMetrics | undefined> {
  if (port === undefined && token === undefined) return undefined;
  const { createMetrics } = await import('./registry.ts');
  const { ownScrape, scrapeFromWorker, scrapeWorkers } = await import('./scrape-workers.ts');
  const metrics = createMetrics();
  if (primary) return { metrics, ...scrapeWorkers(metrics) };
  return { metrics, scrape: cluster.isWorker ? scrapeFromWorker(metrics) : ownScrape(metrics), close: () => {} };
}
