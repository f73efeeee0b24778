// Supervises the process that watches a folder for a service: replaces it when it dies, ends it with the service.

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Logger } from '../../shared/log/log.ts';

/** Milliseconds before the process is replaced: doubled with each that dies young, back to the first when one grew old. */
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 60_000;
const OLD_ENOUGH = 60_000;
/** Milliseconds that it may take to end: longer than it waits for an import itself. */
const ENDS_WITHIN = 12_000;
const PROCESS = fileURLToPath(new URL('./watch-process.ts', import.meta.url));

export interface ServiceWatch {
  /** Resolves when the process has ended. */
  stop(): Promise<void>;
}

/** Starts the process that watches `directory.watch`; it reads the settings itself. */
export function superviseWatch(log: Logger): ServiceWatch {
  let child: ChildProcess | undefined;
  let timer: NodeJS.Timeout | undefined;
  let pause = FIRST_PAUSE;
  let stopping = false;

  const start = () => {
    const born = Date.now();
    const started = fork(PROCESS, [], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    child = started;
    const gone = (code: number | null, signal: string | null, reason?: string) => {
      if (child === started) child = undefined;
      if (stopping) return;
      if (Date.now() - born >= OLD_ENOUGH) pause = FIRST_PAUSE;
      const entry = { watch: started.pid, code, signal, ...(reason && { reason }), replacedIn: pause };
      log.error(entry, 'the process that watches for new editions ended and is replaced');
      timer = setTimeout(start, pause);
      pause = Math.min(2 * pause, LONGEST_PAUSE);
    };
    started.once('exit', (code, signal) => gone(code, signal));
    // Without a process of its own there is no exit either: the machine could not start one.
    started.on('error', ({ message }) => started.pid === undefined && gone(null, null, message));
  };
  start();

  return {
    async stop() {
      stopping = true;
      clearTimeout(timer);
      const running = child;
      if (!running) return;
      const ended = new Promise<void>((resolve) => running.once('exit', () => resolve()));
      if (running.connected) running.disconnect();
      const late = setTimeout(() => {
        log.error({ watch: running.pid }, 'the process that watches for new editions does not end and is killed');
        running.kill('SIGKILL');
      }, ENDS_WITHIN);
      await ended;
      clearTimeout(late);
    },
  };
}
