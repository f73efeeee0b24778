// The metrics of this process: the usual ones of Node.js, and those of the table in `metric-definitions.ts`. Some are counted or measured
// when something happens, others are read when Prometheus asks for them. The library behind them, prom-client, is loaded only if metrics
// are on.

import { createRequire } from 'node:module';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { OTHER } from './label-values.ts';
import { type Across, definitionOf, METRICS, type MetricName, type NamesOf, PREFIX } from './metric-definitions.ts';

export type Labels = Readonly<Record<string, string>>;
/** Metrics in prom-client's JSON form, in which processes exchange them. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

export interface Metrics {
  count(name: NamesOf<'counter'>, labels?: Labels, by?: number): void;
  /** Adds a time to a histogram. */
  observe(name: NamesOf<'histogram'>, labels: Labels, seconds: number): void;
  /** Sets a gauge. A gauge without a value is not shown. */
  set(name: NamesOf<'gauge'>, labels: Labels, value: number | undefined): void;
  /**
   * Adds a function that is called before each reading of the metrics. The reading waits for the function's promise, which must not reject.
   */
  addSource(source: () => void | Promise<void>): void;
  /** Calls all functions that `addSource` got, and returns the values of all metrics. */
  read(): Promise<MetricValues>;
}

/**
 * A counter with at most this number of series starts all of them at 0, because Prometheus does not see the first event of a new series as
 * an increase.
 */
const MOST_PREPARED = 100;

type Instrument = Counter | Gauge | Histogram;

export function createMetrics(): Metrics {
  const registry = new Registry();
  collectNodeMetrics(registry);
  const instruments = new Map<MetricName, Instrument>();
  for (const name of Object.keys(METRICS) as MetricName[]) instruments.set(name, instrumentOf(name, registry));
  const sources: (() => void | Promise<void>)[] = [];
  return {
    count: (name, labels = {}, by = 1) => (instruments.get(name) as Counter).inc(known(name, labels), by),
    observe: (name, labels, seconds) => (instruments.get(name) as Histogram).observe(known(name, labels), seconds),
    set: (name, labels, value) => {
      const gauge = instruments.get(name) as Gauge;
      if (value === undefined) gauge.remove(known(name, labels));
      else gauge.set(known(name, labels), value);
    },
    addSource: (source) => void sources.push(source),
    read: async () => {
      await Promise.all(sources.map((source) => source()));
      return registry.getMetricsAsJSON();
    },
  };
}

function instrumentOf(name: MetricName, registry: Registry): Instrument {
  const { type, help, labels = {}, buckets = [], across = 'sum' } = definitionOf(name);
  const labelNames = Object.keys(labels);
  const common = { name: PREFIX + name, help, labelNames, registers: [registry] };
  if (type === 'histogram') return new Histogram({ ...common, buckets: [...buckets] });
  if (type === 'counter') {
    const counter = new Counter(common);
    const all = combinations(labels);
    if (all.length <= MOST_PREPARED) for (const series of all) counter.inc(series, 0);
    return counter;
  }
  const gauge = new Gauge({ ...common, aggregator: across });
  // prom-client shows 0 for a gauge that was never set. The 0 is removed, so that the gauge is shown only once it is set.
  gauge.remove({});
  return gauge;
}

function combinations(labels: Readonly<Record<string, readonly string[] | undefined>>): Labels[] {
  return Object.entries(labels).reduce<Labels[]>(
    (all, [label, values = []]) => all.flatMap((series) => values.map((value) => ({ ...series, [label]: value }))),
    [{}],
  );
}

/** Returns the labels of a series. A value that is not in the table becomes `other`. */
function known(name: MetricName, labels: Labels): Labels {
  const { labels: allowed = {} } = definitionOf(name);
  for (const label in labels) {
    const values = allowed[label];
    if (values && !values.includes(labels[label] ?? '')) return mended(labels, allowed);
  }
  return labels;
}

function mended(labels: Labels, allowed: Readonly<Record<string, readonly string[] | undefined>>): Labels {
  return Object.fromEntries(
    Object.entries(labels).map(([label, value]) => [label, (allowed[label]?.includes(value) ?? true) ? value : OTHER]),
  );
}

const require = createRequire(import.meta.url);

/**
 * Files of prom-client with the usual metrics of a Node.js process. Those of active handles, requests and resources are left out, because
 * they break the rules of promtool or repeat other metrics. `gc` is left out, because its observer of garbage collections takes up to 5 % of
 * the processor under load, and counts only the first of several collections at once. prom-client's `collectDefaultMetrics` has no choice.
 */
const NODE_METRICS = [
  'processCpuTotal',
  'processStartTime',
  'osMemoryHeap',
  'processOpenFileDescriptors',
  'processMaxFileDescriptors',
  'eventLoopLag',
  'heapSizeAndUsed',
  'heapSpacesSizeAndUsed',
  'version',
];

/** Rules for combining prom-client's metrics across processes, where prom-client's own rule would hide the important value. */
const ACROSS: Readonly<Record<string, Across>> = {
  process_start_time_seconds: 'min',
  // Each process has its own limit of open files. A sum over all processes would not show that one of them has reached its limit.
  process_open_fds: 'max',
  process_max_fds: 'min',
  nodejs_eventloop_lag_seconds: 'max',
  nodejs_eventloop_lag_mean_seconds: 'max',
  nodejs_eventloop_lag_stddev_seconds: 'max',
  nodejs_eventloop_lag_p50_seconds: 'max',
  nodejs_eventloop_lag_p90_seconds: 'max',
  nodejs_eventloop_lag_p99_seconds: 'max',
};

/** Adds the usual metrics of a Node.js process to a registry. */
function collectNodeMetrics(registry: Registry): void {
  for (const name of NODE_METRICS)
    require(`prom-client/lib/metrics/${name}`)(registry, { eventLoopMonitoringPrecision: 10 });
  for (const [name, across] of Object.entries(ACROSS))
    Object.assign(registry.getSingleMetric(name) ?? {}, { aggregator: across });
}
