// Watches a folder for new editions, imports them, and logs the outcomes. `directory import --watch` and `directory.watch` use it.

import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Settings } from '#config/settings.ts';
import type { ImportReport } from '#import/judgement/import-report.ts';
import { IMPLAUSIBLE, type LoadOutcome, watchFolder } from '#import/watch/watch.ts';
import { failedImportEvents, recordAs } from '#server/audit/operator-audit.ts';
import { notifyOperator } from '#server/notify-operator.ts';
import { withCurrentDatabase } from '#server/open-database.ts';
import type { Logger } from '#shared/log/log.ts';
import { hygie } from '#shared/operator-messages.ts';
import { type FoundFiles, importInChildProcess } from './import-in-child-process.ts';

/** Maximum number of files that one line of the log names. */
const LISTED = 20;
const REFUSED =
  'the import is refused; the directory is unchanged, and the files are tried again when the folder or service.yaml changes';

/** Starts a watch. `folder` is absolute. Files are taken to be complete after `settle` seconds without a change. */
export function startDirectoryWatch(
  { folder, settle }: { folder: string; settle: number },
  { configFolder }: Pick<Settings, 'configFolder'>,
  log: Logger,
) {
  const ended = new AbortController();
  const watched = watchFolder({
    folder,
    settleMs: settle * 1000,
    load: (paths, signal) => load({ paths, folder }, log, signal),
    limitsVersion: async () => {
      const file = await stat(join(configFolder, 'service.yaml')).catch(() => undefined);
      return `${file?.mtimeMs} ${file?.size}`;
    },
    log,
    signal: ended.signal,
  });
  return {
    /** Ends the watch. A running import is abandoned, and the directory remains unchanged. */
    async stop(): Promise<void> {
      ended.abort();
      await watched;
      log.info('the watch has ended');
    },
  };
}

async function load({ paths, folder }: FoundFiles, log: Logger, signal: AbortSignal): Promise<LoadOutcome> {
  const files = paths.length > LISTED ? [...paths.slice(0, LISTED), `and ${paths.length - LISTED} more`] : paths;
  log.info({ files }, 'an import begins');
  const result = await importInChildProcess({ paths, folder }, signal);
  if ('report' in result) {
    const { notRecorded: reason } = result;
    if (reason !== undefined) log.error({ reason }, 'the audit trail has no record of the import');
    if (result.report.outcome === 'refused') await tellOperator(result.report.judgement.reasons, log);
    return logReport(result.report, folder, log);
  }
  const { cause, message } = result;
  if (signal.aborted) {
    log.info('the import is abandoned; the directory is unchanged');
    return { kind: 'failed' };
  }
  if (cause === 'busy') return { kind: 'busy', holder: message };
  // The failure is recorded here and not in the child process, because the child process may have crashed.
  await withCurrentDatabase((database, { keys }) =>
    recordAs('service', database, keys, failedImportEvents(message)),
  ).catch((err: unknown) => log.error({ err }, 'the audit trail has no record of the import that failed'));
  const reasons = message.split('\n');
  if (cause === 'files') await tellOperator(reasons, log);
  log.error({ reasons }, cause === 'files' ? REFUSED : 'the import failed; the directory is unchanged');
  return { kind: cause === 'files' ? 'refused' : 'failed' };
}

/** Mails the operator that an edition was refused. The same reasons are mailed only once a day, however often the files are tried again. */
async function tellOperator(reasons: readonly string[], log: Logger): Promise<void> {
  await withCurrentDatabase((database, settings) =>
    notifyOperator(database, settings, 'directory.refused', reasons),
  ).catch((err: unknown) => log.error({ err }, 'the operator could not be notified by mail of the refused edition'));
}

function logReport(report: ImportReport, folder: string, log: Logger): LoadOutcome {
  const { outcome, snapshot, resources, changes, seconds, judgement } = report;
  const implausible = report.warnings.find(({ kind }) => kind === 'implausible-date');
  if (implausible) log.warn({ files: implausible.examples }, IMPLAUSIBLE);
  if (outcome === 'refused') {
    const { reasons, acceptedBy } = judgement;
    const remedy = acceptedBy !== undefined && { ifMeant: hygie`directory import ${acceptedBy.split(' ')} ${folder}` };
    log.error({ reasons, ...remedy }, REFUSED);
    return { kind: 'refused' };
  }
  if (outcome === 'unchanged') {
    log.info({ seconds }, 'the directory holds this edition already');
  } else {
    const warnings = Object.fromEntries(report.warnings.map(({ kind, count }) => [kind, count]));
    const leftOut = report.linesLeftOut.count;
    const { linkedAccounts } = report;
    const { verdict, reasons } = judgement;
    log[reasons.length > 0 ? 'warn' : 'info'](
      {
        snapshot,
        verdict,
        ...(reasons.length > 0 && { reasons }),
        resources,
        changes,
        linkedAccounts,
        warnings,
        leftOut,
        seconds,
      },
      'imported: the directory was switched',
    );
  }
  return { kind: 'done' };
}
