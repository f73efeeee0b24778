// Health checks for load balancers and orchestrators.

import { Router } from 'express';

/**
 * `/health/live`: the process answers. `/health/ready`: so does everything it needs; 503 names what does not.
 * `checks` maps a name to a test that rejects while the thing is unavailable; each has two seconds.
 */
export function healthRouter(checks: Record<string, () => Promise<void>>): Router {
  const router = Router();
  router.get('/live', (_req, res) => {
    res.set('Cache-Control', 'no-store').json({ status: 'ok' });
  });
  router.get('/ready', async (_req, res) => {
    const results = await Promise.all(
      Object.entries(checks).map(
        async ([name, check]) => [name, (await answers(check)) ? 'ok' : 'unavailable'] as const,
      ),
    );
    const ready = results.every(([, state]) => state === 'ok');
    res
      .status(ready ? 200 : 503)
      .set('Cache-Control', 'no-store')
      .json({ status: ready ? 'ok' : 'unavailable', ...Object.fromEntries(results) });
  });
  return router;
}

async function answers(check: () => Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, 2000, false);
  });
  try {
    return await Promise.race([check().then(() => true as const), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
