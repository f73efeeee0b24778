// Collects the metrics of all worker processes in one response, over the channel of node:cluster. When a worker dies, the last known values
// of its counters stay in the sum. If the sum fell, Prometheus would take that for a restart and count everything twice.

import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry } from 'prom-client';
import { oneAtATime, withinTime } from '#shared/promises.ts';
import type { Metrics, MetricValues } from './registry.ts';

/** Returns the text of all metrics, as Prometheus reads it. It takes a few seconds at most. */
export type Scrape = () => Promise<string>;

/** Messages to workers and from them. All have the member `metrics`, because other parts send messages over the same channel. */
type ToWorker = { metrics: 'read'; id: number } | { metrics: 'text'; id: number; text: string };
type FromWorker = { metrics: 'values'; id: number; values: MetricValues } | { metrics: 'scrape'; id: number };

/**
 * Milliseconds after which a worker that has not answered is reported as silent. The time is short, because a hanging worker must not delay
 * the metric that reports it.
 */
const ANSWERS_WITHIN = 2000;
/** Milliseconds after which a worker gives up waiting for the primary process. */
const ALL_WITHIN = 3 * ANSWERS_WITHIN;

/** Returns the text for Prometheus. Values of several processes are combined by the rules in `metric-definitions.ts`. */
async function textOf(parts: readonly MetricValues[]): Promise<string> {
  return AggregatorRegistry.aggregate([...parts]).metrics();
}

/** Asks questions to another process, and waits for the answers. */
function openQuestions<Answer>(withinMs: number) {
  const waiting = new Map<number, (answer: Answer) => void>();
  let ids = 0;
  return {
    /** Sends a question with a new id. Resolves with undefined if no answer comes in time. */
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

/**
 * Makes the scrape function of a service with a single process. Simultaneous requests share one reading, as with the other scrape functions
 * of this file.
 */
export function ownScrape(metrics: Metrics): Scrape {
  return oneAtATime(async () => {
    metrics.set('worker_processes', { state: 'answering' }, 1);
    return textOf([await metrics.read()]);
  });
}

/**
 * Makes the scrape function of the primary process, which asks all workers for their values. A worker that Prometheus has asked gets the
 * text of all metrics from here. `own` are the metrics of the primary process.
 */
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
      // The counters of workers that have ended are added to `retired`. If a worker ended only after it was asked, its values are already
      // in this response, so they are added to `retired` at the next one.
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

// If the worker has just ended, sending fails. This error is ignored, because it only means that no answer will come.
function send(worker: Worker, message: ToWorker): void {
  worker.send(message, (_error: Error | null) => {});
}

function countersOf(values: MetricValues): MetricValues {
  // prom-client declares `type` as a number, but its values are words.
  const kinds: readonly unknown[] = ['counter', 'histogram'];
  return values.filter(({ type }) => kinds.includes(type));
}

/** Makes the scrape function of a worker. It asks the primary process, which has the text of all processes. */
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
