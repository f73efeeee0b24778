// Adds the metrics about the process itself: database connections, audit trail, directory, searches, build. `across` in
// `metric-definitions.ts` says how the numbers of several worker processes become one.

import type { Settings } from '#config/settings.ts';
import type { SearchThreads } from '#search-index/index.ts';
import { onLimitReached } from '#shared/limits-reached.ts';
import { VERSION } from '#shared/version.ts';
import type { Database } from '#store/database/connection.ts';
import { onAcquired, onQueryError, poolState } from '#store/database/pool-state.ts';
import type { CurrentSnapshot } from '#store/snapshots/current-snapshot.ts';
import type { Metrics } from './registry.ts';

interface Parts {
  database: Database;
  settings: Pick<Settings, 'database'>;
  trail: { backlog(): { waiting: number; dropped: number } };
}

/** Adds the metrics that every process has. Returns a function that stops the counting of refused requests (`rate_limited_total`). */
export function addProcessState(metrics: Metrics, { database, settings, trail }: Parts): () => void {
  const { engine } = settings.database;
  onQueryError(database, (kind) => metrics.count('database_errors_total', { kind }));
  if (engine === 'postgresql') {
    onAcquired(database, (seconds) => metrics.observe('database_acquire_duration_seconds', {}, seconds));
  }
  metrics.set('build_info', { version: VERSION, node: process.version, engine }, 1);
  metrics.addSource(() => {
    const { used, free, pending } = poolState(database);
    metrics.set('database_connections', { state: 'used' }, used);
    metrics.set('database_connections', { state: 'free' }, free);
    metrics.set('database_pending_acquires', {}, pending);
    const { waiting, dropped } = trail.backlog();
    metrics.set('audit_waiting_records', {}, waiting);
    metrics.set('audit_dropped_records', {}, dropped);
  });
  return onLimitReached((limit) => metrics.count('rate_limited_total', { limit }));
}

interface DirectoryParts {
  snapshots: Pick<CurrentSnapshot, 'current' | 'isReadAhead' | 'behind' | 'createdAt'>;
  load: SearchThreads['load'];
}

/** Adds the metrics of a process that serves the directory. */
export function addDirectoryState(metrics: Metrics, { snapshots, load }: DirectoryParts): void {
  let refusedBefore = 0;
  metrics.addSource(() => {
    const current = snapshots.current();
    const created = current && snapshots.createdAt(current.id);
    metrics.set('directory_serving', {}, current && snapshots.isReadAhead() ? 1 : 0);
    metrics.set('directory_behind_seconds', {}, snapshots.behind() / 1000);
    metrics.set(
      'directory_served_timestamp_seconds',
      {},
      created === undefined ? undefined : Date.parse(created) / 1000,
    );
    const { waiting, running, refused } = load();
    metrics.set('search_calls', { state: 'waiting' }, waiting);
    metrics.set('search_calls', { state: 'running' }, running);
    metrics.count('rate_limited_total', { limit: 'searches' }, refused - refusedBefore);
    refusedBefore = refused;
  });
}

/** Counts one pass of the clean-up. */
export function countCleanup(metrics: Metrics, { removed, failures }: { removed: number; failures: number }): void {
  metrics.count('cleanup_removed_rows_total', {}, removed);
  metrics.count('cleanup_failures_total', {}, failures);
  if (failures === 0) metrics.set('cleanup_last_success_timestamp_seconds', {}, Math.floor(Date.now() / 1000));
}
