// The usual metrics of a Node.js process, which prom-client measures by itself.

import { collectDefaultMetrics, type Registry } from 'prom-client';
import type { Across } from './metric-definitions.ts';

/** Metrics of prom-client that are left out, because they break the rules of promtool or repeat other metrics. */
const LEFT_OUT = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

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
export function collectNodeMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
  for (const name of LEFT_OUT) registry.removeSingleMetric(name);
  for (const [name, across] of Object.entries(ACROSS))
    Object.assign(registry.getSingleMetric(name) ?? {}, { aggregator: across });
}
