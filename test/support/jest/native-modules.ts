// Loaded by `npm test` before Jest (`--import`): lets Node itself load what tests import, once for each process. Test files and
// their helpers are evaluated anew for each test file, since they hold state and hooks of their own.

import { flushCompileCache, type ResolveHookContext, registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import '#support/connections.ts';
import '#support/derive-once.ts';
import './checkout-guard.ts';

const TESTS = pathToFileURL(`${import.meta.dirname}/../../`).href;
const GLOBALS = new URL('./globals.ts', import.meta.url).href;
const THREAD = new URL('../../../src/search-index/threads/thread-handle.ts', import.meta.url).href;
const KEPT_THREADS = new URL('./kept-search-threads.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context: ResolveHookContext, nextResolve) {
    const run = runOf(context.parentURL);
    if (run === undefined) {
      const resolved = nextResolve(specifier, context);
      return resolved.url === THREAD && context.parentURL !== KEPT_THREADS
        ? { ...resolved, url: KEPT_THREADS }
        : resolved;
    }
    if (specifier === '@jest/globals')
      return { url: `${GLOBALS}${run}`, format: 'module-typescript', shortCircuit: true };
    const resolved = nextResolve(specifier, context);
    return resolved.url.startsWith(TESTS) && resolved.format !== 'commonjs'
      ? { ...resolved, url: `${resolved.url}${run}` }
      : resolved;
  },
});

/** The query that names the test file for which a module of the tests was loaded (`runtime.ts`). */
function runOf(url: string | undefined): string | undefined {
  return url?.startsWith(TESTS) ? /\?run=\d+$/.exec(url)?.[0] : undefined;
}

// A worker process of Jest ends with the run, also with one that was killed, and so does what its tests have started.
if (process.send) {
  const end = () => process.exit(1);
  process.on('disconnect', end).on('removeListener', (event) => {
    // Jest needs it no longer. A listener of `disconnect` would keep it alive.
    if (event !== 'message') return;
    process.off('disconnect', end);
    // Jest waits half a second for its end. Node takes longer on a busy machine to free the heaps of all threads.
    process.once('exit', () => {
      flushCompileCache();
      process.kill(process.pid, 'SIGKILL');
    });
  });
}
