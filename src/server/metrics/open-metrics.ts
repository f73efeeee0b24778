// If the settings want metrics, opens the metrics of this process, and makes the function that returns the metrics of all processes as
// text.

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
 * Opens the metrics. If the settings want none, returns undefined and does not load prom-client. `primary` is true for the primary process
 * of a service with several processes.
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
