// Heaps of a serving process: what lives decides about their size, new objects are young, an object of nextTick is kept, and threads
// keep their own bounds.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { inherited } from '#support/cli/hygie.ts';
import { filledInstallation, serve } from '#support/cli/serving.ts';

const MB = 2 ** 20;
const ROOT = join(import.meta.dirname, '../../..');

describe('operating, tuning: memory of a serving process', () => {
  it('an old generation is collected before it is 2.4 times what lives', async () => {
    const { live, reached } = await run<{ live: number; reached: number }>(`
      const kept = Array.from({ length: 400_000 }, (_, number) => ({ number, also: [number] }));
      gc();
      const live = getHeapStatistics().used_heap_size;
      let reached = 0;
      let collected = false;
      const { constants, PerformanceObserver } = await import('node:perf_hooks');
      new PerformanceObserver((list) => {
        collected ||= list.getEntries().some(({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR);
      }).observe({ entryTypes: ['gc'] });
      for (let more = []; !collected && reached < 20 * live; ) {
        for (let count = 0; count < 2000; count++) more.push({ count, also: [count] });
        if (more.length > 100_000) more = [];
        reached = Math.max(reached, getHeapStatistics().used_heap_size);
        await new Promise(setImmediate);
      }
      console.log(JSON.stringify({ live, reached, kept: kept.length }));`);
    expect(live).toBeGreaterThan(10 * MB);
    expect(reached).toBeLessThan(2.4 * live);
  });

  it('what requests leave behind is young, though earlier requests lived longer', async () => {
    const { young } = await run<{ young: number }>(`
      const { EventEmitter } = await import('node:events');
      // Node keeps two listeners of one event in an array.
      const request = () => new EventEmitter().on('close', () => {}).on('close', () => {});
      const running = [];
      for (let count = 0; count < 1_000_000; count++) running[count % 40_000] = request();
      const after = Array.from({ length: 100 }, request);
      console.log(JSON.stringify({ young: after.filter(({ _events }) => %InYoungGeneration(_events.close)).length }));`);
    expect(young).toBe(100);
  });

  it('an answered request is collected cheaply, though it took several turns of the event loop', async () => {
    const { share } = await run<{ share: number }>(`
      const { Session } = await import('node:inspector/promises');
      const { duplexPair } = await import('node:stream');
      const { withGracefulEnd } = await import('#server/process/end-http-server.ts');
      const { createHttpServer } = await import('#server/process/http-server.ts');
      const listen = { maxConnections: 100, connectionsPerNetwork: 100, keepAlive: 5 };
      const held = () => new Array(1000).fill(0);
      const app = (_req, res) => {
        res.held = held();
        number += 1;
        // What the server has itself is old from then on.
        if (number === 100) gc();
        if (number % 40 === 0) gc({ type: 'minor' });
        setTimeout(() => res.end(), 1 + (number % 5));
      };
      let number = 0;
      const { server } = withGracefulEnd(app, (app) => createHttpServer(app, { proxies: 0, listen }, console), console);
      const EACH = 400;
      const askOften = async () => {
        const [client, socket] = duplexPair();
        server.emit('connection', socket);
        for (let count = 0; count < EACH; count++) {
          client.write('GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n');
          await new Promise((resolve) => client.once('data', resolve));
        }
      };
      const session = new Session();
      session.connect();
      // Counts what is alive, and what only full collections have found dead.
      await session.post('HeapProfiler.startSampling', { samplingInterval: 4096, includeObjectsCollectedByMajorGC: true });
      await Promise.all(Array.from({ length: 8 }, askOften));
      const { profile } = await session.post('HeapProfiler.stopSampling');
      const outlived = (node) =>
        node.children.reduce((sum, child) => sum + outlived(child), node.callFrame.functionName === 'held' ? node.selfSize : 0);
      console.log(JSON.stringify({ share: outlived(profile.head) / (8 * EACH * 8000) }));
      process.exit();`);
    expect(share).toBeLessThan(0.04);
  });

  it('an object of nextTick survives collections until it is let go', async () => {
    const found = await run<{ kept: number; later: number }>(`
      const { createHook } = await import('node:async_hooks');
      const ticks = [];
      const init = (_id, type, _trigger, resource) => void (type === 'TickObject' && ticks.push(new WeakRef(resource)));
      createHook({ init }).enable();
      const letGo = await keepTickObject();
      const alive = async () => {
        // A WeakRef keeps its object until the present job has ended.
        for (let turns = 0; turns < 2; turns++) await new Promise(setImmediate);
        gc();
        return ticks.filter((tick) => tick.deref()).length;
      };
      const kept = await alive();
      letGo();
      console.log(JSON.stringify({ kept, later: await alive() }));`);
    expect(found).toEqual({ kept: 1, later: 0 });
  });

  it('a thread has the young generation that it was given, not that of the main thread', async () => {
    const { main, thread } = await run<{ main: number; thread: number }>(`
      const { Worker } = await import('node:worker_threads');
      const source = "import v8 from 'node:v8'; import { parentPort } from 'node:worker_threads'; parentPort.postMessage(v8.getHeapStatistics().heap_size_limit)";
      const worker = new Worker(source, { eval: true, resourceLimits: { maxYoungGenerationSizeMb: 12 } });
      worker.on('message', (thread) => console.log(JSON.stringify({ main: getHeapStatistics().heap_size_limit, thread })));`);
    // Three semi-spaces of 32 MB.
    expect(main - thread).toBeGreaterThanOrEqual(3 * 32 * MB - 24 * MB);
  });

  it('what the start has left behind is collected, and given back to the system', async () => {
    const trace = encodeURIComponent("import v8 from 'node:v8'; v8.setFlagsFromString('--trace-gc');");
    const service = await serve(filledInstallation(), { NODE_OPTIONS: `--import=data:text/javascript,${trace}` });
    await service.outputMatching(/answers at/);
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
    // V8 calls a collection that was asked for a test, and says `reduce` where it gives memory back.
    expect(service.output()).toMatch(/Mark-Compact \(reduce\) .* testing;/);
  });
});

/** Runs the code in a process with these bounds, started as the service is. Resolves with what it prints. */
async function run<Result>(code: string): Promise<Result> {
  const source = `
    import { keepTickObject, setHeapFlags } from '#server/process/resources.ts';
    import { getHeapStatistics } from 'node:v8';
    setHeapFlags();
    ${code}`;
  const args = [
    '--max-semi-space-size=32',
    '--expose-gc',
    '--allow-natives-syntax',
    '--input-type=module',
    '--eval',
    source,
  ];
  const child = spawn(process.execPath, args, { cwd: ROOT, env: inherited(), stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return JSON.parse(printed) as Result;
}
