// Notices the end of npm, where npm has started the service: npm that is killed, or that a closed terminal ends, hands no signal on,
// and the service would keep its port with nobody left to stop it.

/** Milliseconds between two looks. */
const LOOK_EVERY = 1000;

/** Calls `ended` once when the npm that started this process has ended; never where the process was started otherwise. */
export function onNpmEnd(ended: () => void, env: NodeJS.ProcessEnv = process.env): void {
  const parent = process.ppid;
  if (env['npm_lifecycle_event'] === undefined || parent <= 1) return;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    ended();
  }, LOOK_EVERY);
  timer.unref();
}
