// Jest's environment of a test file: the process as Node made it, instead of a global object for each file. What a file changes of
// the process is set back after it.

import { getPriority, setPriority } from 'node:os';
import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';
import { beginFile, endFile } from './after-file.ts';
import { openedOfCheckout } from './checkout-guard.ts';

/** Where Jest's test framework keeps the listeners of a run: it expects a global object for each file. */
const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');

/** Of a stack: enough to find a test and what it called. */
const FRAMES = 20;

export default class ProcessEnvironment {
  global = globalThis;
  fakeTimers = null;
  fakeTimersModern: ModernFakeTimers;
  moduleMocker = new ModuleMocker(globalThis);
  readonly #before = {
    console: globalThis.console,
    env: { ...process.env },
    exit: process.exit,
    folder: process.cwd(),
    priority: getPriority(),
    umask: process.umask(),
  };

  constructor({ projectConfig }: { projectConfig: ConstructorParameters<typeof ModernFakeTimers>[0]['config'] }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  async setup(): Promise<void> {
    // Jest has just set 100. Each error that a library throws and catches costs by the frame, and Node's own cryptography does so.
    Error.stackTraceLimit = FRAMES;
    beginFile();
  }

  async teardown(): Promise<void> {
    const opened = openedOfCheckout();
    const { console, env, exit, folder, priority, umask } = this.#before;
    this.moduleMocker.restoreAllMocks();
    endFile();
    this.fakeTimersModern.dispose();
    Reflect.deleteProperty(globalThis, EVENT_HANDLERS);
    globalThis.console = console;
    process.env = env;
    process.exit = exit;
    process.chdir(folder);
    process.umask(umask);
    // Nobody but root may be quicker again: the files that follow are slower then.
    if (getPriority() > priority && process.getuid?.() === 0) setPriority(priority);
    if (opened.length > 0) throw new Error(`tests opened what is the operator's: ${opened.join(', ')}`);
  }

  exportConditions(): string[] {
    return ['node', 'node-addons'];
  }

  getVmContext(): null {
    return null;
  }
}
