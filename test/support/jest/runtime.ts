// Jest's loader of modules for a test file: Node's own. So libraries and the service are loaded, and compiled by V8, once for each
// process instead of once for each file: the suite takes two thirds of the time.

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type ProcessEnvironment from './environment.ts';

const require = createRequire(import.meta.url);

let runs = 0;

export default class NodeRuntime {
  readonly #environment: ProcessEnvironment;
  readonly #run: number;

  constructor(_config: unknown, environment: ProcessEnvironment) {
    this.#environment = environment;
    runs += 1;
    this.#run = runs;
  }

  unstable_shouldLoadAsEsm(): boolean {
    return true;
  }

  async unstable_importModule(path: string): Promise<void> {
    await import(`${pathToFileURL(path).href}?run=${this.#run}`);
  }

  /** The test framework, anew for each file: it keeps the state of one run. */
  requireInternalModule(path: string): unknown {
    delete require.cache[path];
    return require(path);
  }

  requireModule(path: string): unknown {
    return require(path);
  }

  setGlobalsForRuntime(globals: object): void {
    Object.assign(globalThis, globals, { jest: this.#jest() });
  }

  #jest(): object {
    const { moduleMocker, fakeTimersModern } = this.#environment;
    return {
      fn: moduleMocker.fn.bind(moduleMocker),
      spyOn: moduleMocker.spyOn.bind(moduleMocker),
      restoreAllMocks: () => moduleMocker.restoreAllMocks(),
      useFakeTimers: (options: Parameters<typeof fakeTimersModern.useFakeTimers>[0]) =>
        fakeTimersModern.useFakeTimers(options),
      useRealTimers: () => fakeTimersModern.useRealTimers(),
      setSystemTime: (now: number | Date) => fakeTimersModern.setSystemTime(now),
      advanceTimersByTime: (milliseconds: number) => fakeTimersModern.advanceTimersByTime(milliseconds),
      advanceTimersByTimeAsync: (milliseconds: number) => fakeTimersModern.advanceTimersByTimeAsync(milliseconds),
      getTimerCount: () => fakeTimersModern.getTimerCount(),
    };
  }

  enterTestCode(): void {}
  leaveTestCode(): void {}
  getSourceMaps(): null {
    return null;
  }
  getAllCoverageInfoCopy(): undefined {
    return undefined;
  }
  teardown(): void {}
}
