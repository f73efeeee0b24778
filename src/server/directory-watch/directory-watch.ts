// `hygie directory import --watch` and `directory.watch`: watches a folder and runs each import in a child process.

import { fork } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSettings, watchedFolderIssue } from '../../config/index.ts';
import type { Settings } from '../../config/settings.ts';
import type { ImportReport } from '../../import/publish/report.ts';
import { type LoadOutcome, watchFolder } from '../../import/watch/watch.ts';
import { createLog, type Logger } from '../../shared/log/log.ts';
import { Refusal, UsageError } from '../../shared/operator-errors.ts';
import { failedImportEvents, recordAs } from '../audit/operator-audit.ts';
import { withCurrentDatabase } from '../open-database.ts';
import { onStopSignals } from '../stop-signals.ts';
import type { FromImport, ToImport } from './import-process.ts';

/** Milliseconds that an abandoned import may take to clear up before it is killed; the next one clears up then. */
const ABANDONED_WITHIN = 10_000;
/** Characters of what a process said before it died. */
const LAST_WORDS = 2000;
/** Files named in one line of the log. */
const LISTED = 20;
const IMPORT = fileURLToPath(new URL('./import-process.ts', import.meta.url));

/** Runs the command until SIGINT or SIGTERM; a second one ends it at once. Resolves with the exit code. */
export async function runWatch(folders: readonly string[], options: Record<string, unknown>): Promise<number> {
  const other = ['json', 'dry-run', 'replace'].find((name) => options[name]);
  if (other) throw new UsageError(`--${other} does not go with --watch.`);
  const [folder] = folders;
  if (folder === undefined || folders.length > 1) throw new UsageError('directory import --watch needs one folder.');
  const settle = readSettle(options['settle'] ?? '60s');
  const settings = await loadSettings(process.env);
  const watched = { folder: resolve(folder), settle };
  const fault = await watchedFolderIssue(watched.folder, settings.dataFolder);
  if (fault) throw new Refusal(`${watched.folder}: ${fault.problem} ${fault.remedy}`);
  // Said now rather than at the first import.
  await withCurrentDatabase(async () => {}, { writes: true });
  const ended = new AbortController();
  onStopSignals(() => ended.abort());
  await watchDirectory(watched, settings, createLog(settings.log), ended.signal);
  return 0;
}

/** Seconds. */
function readSettle(text: unknown): number {
  const [, number, unit] = /^(\d{1,6}(?:\.\d{1,3})?)([sm]?)$/.exec(String(text)) ?? [];
  const value = Number(number) * (unit === 'm' ? 60 : 1);
  if (!(value > 0)) throw new UsageError('--settle needs a time such as 60s or 5m.');
  return value;
}

/** Watches until the signal. `folder`: absolute; `settle`: seconds. An import under way is abandoned then, and the directory stays as it was. */
export async function watchDirectory(
  { folder, settle }: { folder: string; settle: number },
  settings: Pick<Settings, 'configFolder'>,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  await watchFolder({
    folder,
    settleMs: settle * 1000,
    load: (paths, stop) => load(paths, log, stop),
    mark: async () => {
      const file = await stat(join(settings.configFolder, 'service.yaml')).catch(() => undefined);
      return `${file?.mtimeMs} ${file?.size}`;
    },
    log,
    signal,
  });
  log.info('the watch has ended');
}

async function load(paths: readonly string[], log: Logger, signal: AbortSignal): Promise<LoadOutcome> {
  const files = paths.length > LISTED ? [...paths.slice(0, LISTED), `and ${paths.length - LISTED} more`] : paths;
  log.info({ files }, 'an import begins');
  const answer = await importInProcess(paths, signal);
  if (signal.aborted && !('report' in answer)) {
    log.info('the import is abandoned; the directory is unchanged');
    return { kind: 'failed' };
  }
  if ('report' in answer) return told(answer.report, log);
  if (answer.fault === 'busy') return { kind: 'busy', holder: answer.text };
  await tellTrail(answer.text, log);
  const message =
    answer.fault === 'files'
      ? 'the import is refused; the directory is unchanged, and these files are not tried again'
      : 'the import failed; the directory is unchanged';
  log.error({ reasons: answer.text.split('\n') }, message);
  return { kind: answer.fault === 'files' ? 'refused' : 'failed' };
}

// Here rather than in the process of the import, which may have crashed.
async function tellTrail(text: string, log: Logger): Promise<void> {
  await withCurrentDatabase((database) => recordAs('service', database, failedImportEvents(text))).catch(
    (err: unknown) => log.error({ err }, 'the audit trail is not told of the import that failed'),
  );
}

function told(report: ImportReport, log: Logger): LoadOutcome {
  const { outcome, snapshot, resources, changes, seconds } = report;
  if (outcome === 'refused') {
    const reasons = report.guards.filter(({ passed }) => !passed).map(({ name, figures }) => `${name}: ${figures}`);
    log.error({ reasons }, 'the import is refused; the directory is unchanged, and these files are not tried again');
    return { kind: 'refused' };
  }
  if (outcome === 'unchanged') {
    log.info({ seconds }, 'the directory holds this edition already');
  } else {
    const warnings = Object.fromEntries(report.warnings.map(({ kind, count }) => [kind, count]));
    const leftOut = report.linesLeftOut.count;
    log.info({ snapshot, resources, changes, warnings, leftOut, seconds }, 'imported: the directory was switched');
  }
  return { kind: 'done' };
}

/** Runs one import in a process of its own. Never rejects. */
function importInProcess(paths: readonly string[], signal: AbortSignal): Promise<FromImport> {
  return new Promise((resolve) => {
    const child = fork(IMPORT, [], { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    let answer: FromImport | undefined;
    let lastWords = '';
    let late: NodeJS.Timeout | undefined;
    const tell = (message: ToImport) => {
      if (child.connected) child.send(message, () => {});
    };
    const abandon = () => {
      tell('abandon');
      late = setTimeout(() => child.kill('SIGKILL'), ABANDONED_WITHIN);
    };
    const end = (instead: string) => {
      clearTimeout(late);
      signal.removeEventListener('abort', abandon);
      resolve(answer ?? { fault: 'machine', text: `${instead}${lastWords === '' ? '' : `\n${lastWords.trim()}`}` });
    };
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      lastWords = (lastWords + text).slice(-LAST_WORDS);
    });
    child.on('message', (message: FromImport) => {
      answer = message;
    });
    // Without a process of its own there is no end of it either: the machine could not start one.
    child.on('error', ({ message }) => child.pid === undefined && end(message));
    child.on('close', (code, killed) =>
      end(`the process of the import ended early (${killed ?? `exit code ${code}`})`),
    );
    tell({ paths });
    if (signal.aborted) abandon();
    else signal.addEventListener('abort', abandon);
  });
}
