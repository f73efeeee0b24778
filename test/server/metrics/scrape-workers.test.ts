// Metrics of several workers: a worker that is read asks the primary process for the text of all, and answers when it is asked itself.
// The channel of node:cluster is `process.send` and the event `message`, which stand for the primary process here.

import { afterEach, describe, expect, it } from '@jest/globals';
import { PREFIX } from '#server/metrics/metric-definitions.ts';
import { createMetrics } from '#server/metrics/registry.ts';
import { scrapeFromWorker } from '#server/metrics/scrape-workers.ts';

type Message = { metrics: string; id: number; text?: string };

describe('the scrape of a worker process', () => {
  const { send } = process;
  const listeners = process.listeners('message');
  afterEach(() => {
    if (send) process.send = send;
    for (const one of process.listeners('message')) if (!listeners.includes(one)) process.off('message', one);
  });

  /** What the worker tells; `answer` is what the primary process sends back. */
  function channel(answer: (message: Message) => Message | undefined): Message[] {
    const told: Message[] = [];
    process.send = (message: Message) => {
      told.push(message);
      const back = answer(message);
      if (back) process.emit('message', back, undefined);
      return true;
    };
    return told;
  }

  it('is the text that the primary process answers, for each of two readers its own', async () => {
    const asked: Message[] = [];
    const told = channel((message) => {
      asked.push(message);
      return undefined;
    });
    const scrape = scrapeFromWorker(createMetrics());
    const both = [scrape(), scrape()];
    for (const { id } of asked.toReversed())
      process.emit('message', { metrics: 'text', id, text: `all of ${id}` }, undefined);
    expect(await Promise.all(both)).toEqual(told.map(({ id }) => `all of ${id}`));
    expect(told).toEqual(told.map(({ id }) => ({ metrics: 'scrape', id })));
    expect(new Set(told.map(({ id }) => id)).size).toBe(2);
  });

  it('a worker that is asked tells what it counts', async () => {
    const metrics = createMetrics();
    metrics.count('worker_deaths_total');
    let tell: (message: Message) => void;
    const values = new Promise<Message>((resolve) => {
      tell = resolve;
    });
    channel((message) => void tell(message));
    scrapeFromWorker(metrics);
    process.emit('message', { metrics: 'read', id: 7 }, undefined);
    expect(await values).toMatchObject({
      metrics: 'values',
      id: 7,
      values: expect.arrayContaining([
        expect.objectContaining({
          name: `${PREFIX}worker_deaths_total`,
          values: [expect.objectContaining({ value: 1 })],
        }),
      ]),
    });
  });

  it('other messages of the channel are left alone', () => {
    const told = channel(() => undefined);
    scrapeFromWorker(createMetrics());
    for (const message of [undefined, 'stop', { metrics: 'text', id: 99, text: 'late' }])
      process.emit('message', message, undefined);
    expect(told).toEqual([]);
  });
});
