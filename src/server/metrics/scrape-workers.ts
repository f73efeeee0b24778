// The metrics of all worker processes in one answer, over the channel of node:cluster. Counters of a worker that has died stay in the
// sum as they were read last, so that no sum goes back: Prometheus would take that for a restart and count everything twice.

import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import { oneAtATime, withinTime } from '#shared/promises.ts';
import type { Metrics, MetricValues } from './registry.ts';

/** The text of all metrics, as Prometheus reads it. Never takes longer than a few seconds. */
export type Scrape = () => Promise<string>;

/** Messages to workers and from them. Other messages use the same channel. */
type ToWorker = { metrics: 'read'; id: number } | { metrics: 'text'; id: number; text: string };
type FromWorker = { metrics: 'values'; id: number; values: MetricValues } | { metrics: 'scrape'; id: number };

/** Milliseconds after which a worker counts as silent. A hanging worker must not delay the metric that reports it. */
const ANSWERS_WITHIN = 2000;
/** Milliseconds in which the primary process has all answers. */
const ALL_WITHIN = 3 * ANSWERS_WITHIN;

/** Returns the text for Prometheus. Values of several processes become one as the definitions say. */
export async function textOf(parts: readonly MetricValues[]): Promise<string> {
  return AggregatorRegistry.aggregate([...parts]).metrics();
}

/** Questions to another process that wait for an answer. */
function openQuestions<Answer>(withinMs: number) {
  const waiting = new Map<number, (answer: Answer) => void>();
  let ids = 0;
  return {
    /** Sends a question with an id of its own. Resolves with undefined if no answer comes in time. */
    ask: async (send: (id: number) => void): Promise<Answer | undefined> => {
      ids += 1;
      const id = ids;
      const answer = new Promise<Answer>((resolve) => waiting.set(id, resolve));
      send(id);
      const given = await withinTime<Answer | undefined>(answer, withinMs, undefined);
      waiting.delete(id);
      return given;
    },
    answered: (id: number, answer: Answer) => waiting.get(id)?.(answer),
  };
}

/** The scrape of a service with a single process. Many requests at the same time cost no more than one, in all scrapes here. */
export function ownScrape(metrics: Metrics): Scrape {
  return oneAtATime(async () => {
    metrics.set('worker_processes', { state: 'answering' }, 1);
    return textOf([await metrics.read()]);
  });
}

/** The scrape of the primary process, which asks all workers. It also answers workers that were asked. `own` are its own metrics. */
export function scrapeWorkers(own: Metrics): { scrape: Scrape; close(): void } {
  const last = new Map<number, MetricValues>();
  const questions = openQuestions<MetricValues>(ANSWERS_WITHIN);
  const ask = (worker: Worker) => questions.ask((id) => send(worker, { metrics: 'read', id }));
  let retired: MetricValues = [];
  const collect = async (): Promise<string> => {
    const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected()) as Worker[];
    const answers = await Promise.all(workers.map(async (worker) => ({ worker, values: await ask(worker) })));
    const parts: MetricValues[] = [];
    let answering = 0;
    for (const { worker, values } of answers) {
      if (values) {
        answering += 1;
        last.set(worker.id, values);
      }
      parts.push(values ?? countersOf(last.get(worker.id) ?? []));
    }
    for (const [id, values] of last) {
      // A worker that ended while it was asked is among the parts of this response.
      if (cluster.workers?.[id] || workers.some((worker) => worker.id === id)) continue;
      last.delete(id);
      retired = await AggregatorRegistry.aggregate([retired, countersOf(values)]).getMetricsAsJSON();
    }
    own.set('worker_processes', { state: 'answering' }, answering);
    own.set('worker_processes', { state: 'silent' }, workers.length - answering);
    return textOf([await own.read(), ...parts, retired]);
  };
  const scrape = oneAtATime(collect);
  const receive = (worker: Worker, message: FromWorker | undefined) => {
    if (message?.metrics === 'values') questions.answered(message.id, message.values);
    else if (message?.metrics === 'scrape') {
      const { id } = message;
      scrape().then(
        (text) => send(worker, { metrics: 'text', id, text }),
        () => {},
      );
    }
  };
  cluster.on('message', receive);
  return { scrape, close: () => void cluster.off('message', receive) };
}

// The worker may have just ended. Then no answer comes.
function send(worker: Worker, message: ToWorker): void {
  worker.send(message, (_error: Error | null) => {});
}

function countersOf(values: MetricValues): MetricValues {
  // prom-client's declaration has a number there, its values are these words.
  const kinds: readonly unknown[] = ['counter', 'histogram'];
  return values.filter(({ type }) => kinds.includes(type));
}

/** The scrape of a worker. It asks the primary process for the text of all and returns it. */
export function scrapeFromWorker(own: Metrics): Scrape {
  const questions = openQuestions<string>(ALL_WITHIN);
  const tell = (message: FromWorker) => void process.send?.(message, undefined, undefined, () => {});
  process.on('message', async (message: ToWorker | undefined) => {
    if (message?.metrics === 'text') questions.answered(message.id, message.text);
    else if (message?.metrics === 'read') tell({ metrics: 'values', id: message.id, values: await own.read() });
  });
  return async () => {
    const text = await questions.ask((id) => tell({ metrics: 'scrape', id }));
    if (text === undefined) throw new Error('the primary process does not answer for the metrics of the others');
    return text;
  };
}
