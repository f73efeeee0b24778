// Health checks for load balancers and orchestrators. `/health/live` shows that the process responds, and `/health/ready` which
// dependencies are missing.

import { Router } from 'express';
import type { Settings } from '#config/settings.ts';
import { withinTime } from '#shared/promises.ts';
import type { LifeCycle } from './process/process-end.ts';

/** One half of the service: signing in, or the directory. */
export type Half = NonNullable<Settings['readiness']>[number];

/** A dependency of one half of the service. Its name is part of the response, where operators read it. */
export interface ReadinessCheck {
  name: string;
  half: Half;
  /**
   * Resolves if the dependency is available. Otherwise it rejects, best with `NotReady`. The check also fails if this takes longer than two
   * seconds.
   */
  test(): Promise<void>;
  /**
   * Decides whether a failure of this check makes the service unready. Without this function, every failure does. It is not called if
   * `service.yaml` has `readiness`.
   */
  isNeeded?(): Promise<boolean>;
}

/** The reason why a check fails, with a remedy. Anybody may read it, so it must not name a host or a file. */
export class NotReady extends Error {
  readonly remedy: string;

  constructor(reason: string, remedy: string) {
    super(reason);
    this.remedy = remedy;
  }
}

/** The reason that is shown for a check that gives no reason itself. */
const NO_ANSWER = new NotReady('does not answer', 'the log of the service has the cause');
const STOPPING = new NotReady('the service is stopping', 'send requests to another instance');

/** Milliseconds after which a check without an answer has failed. */
const LATE = 2000;

export interface HealthOptions {
  checks: readonly ReadinessCheck[];
  /** The halves that must be available (`readiness` in service.yaml). If it is absent, each check decides by its `isNeeded`. */
  readiness?: readonly Half[] | undefined;
  lifeCycle: Readonly<LifeCycle>;
}

/**
 * Makes the routes of the health checks. `/health/live` answers 200 as long as the process responds. `/health/ready` answers 503 if a
 * needed dependency is missing or the process is stopping, otherwise 200. Its JSON has a state for each check. For each failed check it
 * also has a reason and a remedy, even if the dependency is not needed.
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

/** Returns the reason why the check fails now; undefined if it passes. */
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

/** Decides whether the service needs the check to pass. If this cannot be decided, returns true. */
function isNeeded({ isNeeded }: ReadinessCheck): Promise<boolean> {
  return withinTime(isNeeded?.().catch(() => true) ?? Promise.resolve(true), LATE, true);
}
