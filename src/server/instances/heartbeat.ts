// Says every few seconds that this process serves, with its release, its settings and its edition of the directory.

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Settings } from '#config/settings.ts';
import type { Logger } from '#shared/log/log.ts';
import { sparingly } from '#shared/log/sparingly.ts';
import { VERSION } from '#shared/version.ts';
import type { Database } from '#store/database/connection.ts';
import { openInstances } from '#store/instances.ts';
import type { CurrentSnapshot } from '#store/snapshots/current-snapshot.ts';
import { settingsDigest } from './settings-digest.ts';

/** Milliseconds. */
const EVERY = 10_000;

interface HeartbeatOptions {
  database: Database;
  settings: Settings;
  snapshots: Pick<CurrentSnapshot, 'current' | 'pointer'>;
  log: Logger;
}

/** Begins at once. `stop` resolves when nobody sees the process any more. */
export function startHeartbeat({ database, settings, snapshots, log }: HeartbeatOptions): { stop(): Promise<void> } {
  const instances = openInstances(database);
  const id = randomUUID();
  const common = {
    id,
    name: `${hostname()}:${settings.listen.port}`,
    release: VERSION,
    settings: settingsDigest(settings),
  };
  const report = sparingly((err) => log.warn({ err }, 'this instance cannot tell others that it is there'));
  let beating = Promise.resolve();
  const beat = () => {
    const [edition, pointer] = [snapshots.current()?.id, snapshots.pointer()];
    const seen = { ...common, ...(edition !== undefined && { edition }), ...(pointer !== undefined && { pointer }) };
    beating = beating.then(() => instances.seen(seen)).catch(report);
  };
  beat();
  const timer = setInterval(beat, EVERY).unref();
  return {
    async stop() {
      clearInterval(timer);
      await beating;
      await instances.remove(id).catch(report);
    },
  };
}
