// Issue, item "Metrics": a worker process that ends while the others are asked is counted once, in that answer and in all later ones.

import cluster, { type Worker } from 'node:cluster';
import { expect, it } from '@jest/globals';
import { createMetrics } from '#server/metrics/registry.ts';
import { scrapeWorkers } from '#server/metrics/worker-metrics.ts';
import { scraped } from '#support/metrics/scrape.ts';

it('what a worker counted stays in the sum once, also when it ends in the middle of an answer', async () => {
  const own = { ...Object.getOwnPropertyDescriptor(cluster, 'workers') };
  const workers: Record<number, Worker> = {};
  Object.defineProperty(cluster, 'workers', { value: workers, configurable: true });
  const answering = (id: number, counted: number, before: () => void = () => {}) => {
    const metrics = createMetrics();
    metrics.count('cleanup_removed_rows_total', {}, counted);
    workers[id] = {
      id,
      isConnected: () => true,
      send: async (message: { id: number }) => {
        before();
        const values = await metrics.read();
        cluster.emit('message', workers[id], { metrics: 'values', id: message.id, values });
      },
    } as unknown as Worker;
  };
  const { scrape, close } = scrapeWorkers(createMetrics());
  const sum = async () => scraped(await scrape()).value('hygie_cleanup_removed_rows_total');
  try {
    answering(1, 10);
    let dies = false;
    answering(2, 5, () => {
      if (dies) delete workers[1];
    });
    expect(await sum()).toBe(15);
    dies = true;
    expect([await sum(), await sum(), await sum()]).toEqual([15, 15, 15]);
  } finally {
    close();
    Object.defineProperty(cluster, 'workers', own);
  }
});
