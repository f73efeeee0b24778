// Health checks for load balancers and orchestrators: `/health/live`, and `/health/ready` with what is missing.

import { Router } from 'express';
import type { Settings } from '#config/settings.ts';
import { withinTime } from '#shared/within-time.ts';
import type { LifeCycle } from './process/life-cycle.ts';

/** The halves of the service. */
export type Half = NonNullable<Settings['readiness']>[number];

/** Something that a half of the service needs. Its names are known to operators. */
export interface ReadinessCheck {
  name: string;
  half: Half;
  /** Resolves while it is there; rejects, best with `NotReady`, or takes more than two seconds, while it is not. */
  test(): Promise<void>;
  /** Whether its failure keeps the service from being ready, where `service.yaml` has no `readiness`. By default it does. */
  isNeeded?(): Promise<boolean>;
}

/** Why a check fails, and what an operator can do. Anybody may read it: no name of a host or a file belongs in it. */
export class NotReady extends Error {
  readonly remedy: string;

  constructor(reason: string, remedy: string) {
    super(reason);
    this.remedy = remedy;
  }
}

/** The reason of a check that fails without one of its own. */
const NO_ANSWER = new NotReady('does not answer', 'the log of the service has the cause');
const STOPPING = new NotReady('the service is stopping', 'send requests to another instance');

/** Milliseconds. */
const LATE = 2000;

export interface HealthOptions {
  checks: readonly ReadinessCheck[];
  /** The halves that count; without it, a check says itself whether it does. */
  readiness?: readonly Half[] | undefined;
  lifeCycle: Readonly<LifeCycle>;
}

/**
 * `/health/live`: the process answers. `/health/ready`: so does everything that it waits for, and the process is not stopping; 503
 * otherwise. Its JSON has a state for each check, and for each that fails reason and remedy, also where it does not count.
 */
export function healthRouter({ checks, readiness, lifeCycle }: HealthOptions): Router {
  const router = Router();
  router.get('/live', (_req, res) => {
    res.set('Cache-Control', 'no-store').json({ status: 'ok' });
  });
  router.get('/ready', async (_req, res) => {
    const results = await Promise.all(
      checks.map(async (check) => {
        const failure = await failureOf(check);
        const needed = failure !== undefined && (readiness?.includes(check.half) ?? (await isNeeded(check)));
        return { ...check, failure, needed };
      }),
    );
    const missing = results.flatMap(({ name, half, failure, needed }) =>
      failure ? [{ half, name, needed, ...shown(failure) }] : [],
    );
    const stopping = lifeCycle.stopping ? [{ name: 'process', needed: true, ...shown(STOPPING) }] : [];
    const isReady = !lifeCycle.stopping && !missing.some(({ needed }) => needed);
    res
      .status(isReady ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json({
        status: isReady ? 'ok' : 'unavailable',
        ...Object.fromEntries(results.map(({ name, failure }) => [name, failure ? 'unavailable' : 'ok'])),
        ...(missing.length + stopping.length > 0 && { missing: [...stopping, ...missing] }),
      });
  });
  return router;
}

function shown({ message, remedy }: NotReady) {
  return { reason: message, remedy };
}

/** Why the check fails now; undefined where it does not. */
function failureOf({ test }: ReadinessCheck): Promise<NotReady | undefined> {
  return withinTime(
    test().then(
      () => undefined,
      (error: unknown) => (error instanceof NotReady ? error : NO_ANSWER),
    ),
    LATE,
    NO_ANSWER,
  );
}

/** Whether the check counts. If that cannot be found out, it does, and the service is not ready. */
function isNeeded({ isNeeded }: ReadinessCheck): Promise<boolean> {
  return withinTime(isNeeded?.().catch(() => true) ?? Promise.resolve(true), LATE, true);
}
