// `directory import --watch`: checks the arguments and watches a folder until a signal.

import { resolve } from 'node:path';
import { loadSettings, watchedFolderIssue } from '#config/index.ts';
import { startDirectoryWatch } from '#server/directory-watch/directory-watch.ts';
import { withCurrentDatabase } from '#server/open-database.ts';
import { onStopSignals } from '#server/process/stop-signals.ts';
import { createLog } from '#shared/log/log.ts';
import { Refusal, UsageError } from '#shared/operator-errors.ts';

/** Runs until SIGINT or SIGTERM; a second one ends the process at once. Resolves with the exit code. */
export async function runWatch(folders: readonly string[], options: Record<string, unknown>): Promise<number> {
  const other = ['json', 'dry-run', 'accept'].find((name) => options[name]);
  if (other) throw new UsageError(`--${other} does not go with --watch.`);
  if (folders[0] === undefined || folders.length > 1)
    throw new UsageError('directory import --watch needs one folder.');
  const settle = readSettle(options['settle'] ?? '60s');
  const settings = await loadSettings(process.env);
  const folder = resolve(folders[0]);
  const issue = await watchedFolderIssue(folder, settings.dataFolder);
  if (issue) throw new Refusal(`${folder}: ${issue.problem} ${issue.remedy}`);
  // A database that cannot be used is reported now, and a new one made, rather than at the first import.
  await withCurrentDatabase(async () => {}, { creates: true, writes: true });
  const stopAsked = new Promise<void>((asked) => onStopSignals(() => asked()));
  const watch = startDirectoryWatch({ folder, settle }, settings, createLog(settings.log));
  await stopAsked;
  await watch.stop();
  return 0;
}

/** Seconds. */
function readSettle(text: unknown): number {
  const [, number, unit] = /^(\d{1,6}(?:\.\d{1,3})?)([sm]?)$/.exec(String(text)) ?? [];
  const value = Number(number) * (unit === 'm' ? 60 : 1);
  if (!(value > 0)) throw new UsageError('--settle needs a time such as 60s or 5m.');
  return value;
}
