// Imports the files of a watched folder, or rebuilds an index, in a child process. When the child process ends, all its memory is free
// again. If it crashes, the service goes on.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ImportReport } from '#import/judgement/import-report.ts';

/** Message to the child process: the files to import, `rebuild` to rebuild the index, or `abandon` to end either. */
export type ImportRequest = FoundFiles | 'rebuild' | 'abandon';

export interface FoundFiles {
  paths: readonly string[];
  folder: string;
}

/** `cause` names what is at fault: the files, the machine, or another import in progress (`busy`). */
export interface ImportFailure {
  cause: 'busy' | 'files' | 'machine';
  message: string;
}

/** The child process's answer to an import. `notRecorded` says why the audit trail has no record of the import. */
export type ImportResult = { report: ImportReport; notRecorded?: string } | ImportFailure;
/** The child process's answer to `rebuild`: the id of the new snapshot, or null if there was nothing to do. */
export type RebuildResult = { rebuilt: string | null } | ImportFailure;

const CHILD = fileURLToPath(new URL('./import-process.ts', import.meta.url));
/** Milliseconds that an abandoned import may take to clean up. After this time the process is killed, and the next import cleans up. */
const ABANDONED_WITHIN = 10_000;
/** Maximum characters of the child process's standard error that are kept: the last ones. */
const STDERR_KEPT = 2000;

/** Imports the files. Never rejects. `signal` abandons the import. */
export function importInChildProcess(files: FoundFiles, signal: AbortSignal): Promise<ImportResult> {
  return inChildProcess<ImportResult>(files, signal);
}

/** Rebuilds the index of the edition in force (`rebuildDirectory`). Never rejects. `signal` abandons the rebuild. */
export function rebuildInChildProcess(signal: AbortSignal): Promise<RebuildResult> {
  return inChildProcess<RebuildResult>('rebuild', signal);
}

function inChildProcess<Result>(request: ImportRequest, signal: AbortSignal): Promise<Result | ImportFailure> {
  return new Promise((resolve) => {
    const child = fork(CHILD, [], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    let result: Result | undefined;
    let stderr = '';
    let kill: NodeJS.Timeout | undefined;
    const send = (request: ImportRequest) => {
      if (child.connected) child.send(request, () => {});
    };
    const abandon = () => {
      send('abandon');
      kill = setTimeout(() => child.kill('SIGKILL'), ABANDONED_WITHIN);
    };
    const end = (failure: string) => {
      clearTimeout(kill);
      signal.removeEventListener('abort', abandon);
      resolve(result ?? { cause: 'machine', message: `${failure}\n${stderr}`.trim() });
    };
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      stderr = (stderr + text).slice(-STDERR_KEPT);
    });
    child.on('message', (message: Result) => {
      result = message;
    });
    // If the process cannot be started, `error` comes first and has the reason. `close` follows with the number of the error only, and then
    // changes nothing. Other errors, such as a process that cannot be killed, do not end the import.
    child.on('error', ({ message }) => child.pid === undefined && end(message));
    child.on('close', (code, killed) =>
      end(`the process of the import ended early (${killed ?? `exit code ${code}`})`),
    );
    send(request);
    if (signal.aborted) abandon();
    else signal.addEventListener('abort', abandon);
  });
}
