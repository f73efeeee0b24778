// Records in the database, every few seconds, that this process serves. The record has its release, its edition of the directory, and
// digests of its settings and clients. Also compares the clock of this machine with that of the database.

import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Settings } from '#config/settings.ts';
import type { Metrics } from '#server/metrics/registry.ts';
import type { Logger } from '#shared/log/log.ts';
import { present } from '#shared/present.ts';
import { repeat, sparingly } from '#shared/promises.ts';
import { VERSION } from '#shared/version.ts';
import type { Database } from '#store/database/connection.ts';
import { CLOCK_LIMITS, measureClock, openInstances } from '#store/instances.ts';
import type { CurrentSnapshot } from '#store/snapshots/current-snapshot.ts';
import { settingsDigest } from './digests.ts';

/** Milliseconds between two beats. */
const EVERY = 10_000;

interface HeartbeatOptions {
  database: Database;
  settings: Settings;
  snapshots: Pick<CurrentSnapshot, 'current' | 'pointer'>;
  /** Digest of the clients in force. */
  clients(): string;
  metrics: Metrics | undefined;
  log: Logger;
}

interface Heartbeat {
  /** Milliseconds by which the clock of this process was ahead of the database's when it was last compared; 0 before that. */
  clockAhead(): number;
  /** Stops the heartbeat. Resolves once the process is no longer listed. */
  stop(): Promise<void>;
}

/** Starts the heartbeat, with a first beat at once. */
export function startHeartbeat({ database, settings, snapshots, clients, metrics, log }: HeartbeatOptions): Heartbeat {
  const instances = openInstances(database);
  const id = randomUUID();
  const common = {
    id,
    name: `${hostname()}:${settings.listen.port}`,
    release: VERSION,
    settings: settingsDigest(settings),
  };
  const report = sparingly((err) => log.warn({ err }, 'this instance cannot tell others that it is there'));
  const tellClock = sparingly(({ message }) => log.error(message));
  let ahead: number | undefined;
  const compareClocks = async () => {
    ahead = (await measureClock(database)) ?? ahead;
    if (ahead === undefined) return;
    const seconds = Math.round(Math.abs(ahead) / 1000);
    metrics?.set('clock_ahead_seconds', {}, ahead / 1000);
    if (Math.abs(ahead) <= CLOCK_LIMITS.told) return;
    const difference = `the clock of this machine is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} the database's`;
    tellClock(
      new Error(`${difference}: set both by NTP; from ${CLOCK_LIMITS.ready / 1000} s on this instance is not ready`),
    );
  };
  const beat = async () => {
    await compareClocks();
    const [edition, pointer] = [snapshots.current()?.id, snapshots.pointer()];
    await instances.seen({ ...common, clients: clients(), ...present({ edition, pointer, clockAhead: ahead }) });
  };
  const beats = repeat(beat, EVERY, report);
  beats.now().catch(report);
  return {
    clockAhead: () => ahead ?? 0,
    async stop() {
      await beats.stop();
      await instances.remove(id).catch(report);
    },
  };
}
