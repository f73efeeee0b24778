// `directory import`: imports an edition (`import/locked-import.ts`, then `load-edition.ts`), and prints progress and a report.

import { resolve } from 'node:path';
import { action, flag, option, type Values } from '#cli/support/command.ts';
import { json } from '#cli/support/output.ts';
import { createProgress } from '#cli/support/progress.ts';
import { loadSettings, watchedFolderIssue } from '#config/index.ts';
import { OTHER_PEOPLE } from '#config/service/guard-table.ts';
import { ImportAlreadyRunning, ImportError, MachineError } from '#import/collect/import-error.ts';
import type { Phase } from '#import/collect/progress.ts';
import type { Acceptance } from '#import/guards/acceptances.ts';
import { type ImportReport, unreadableReport } from '#import/judgement/import-report.ts';
import { importEdition } from '#import/locked-import.ts';
import { failedImportEvents, importEvents, operator, recordByOperator } from '#server/audit/operator-audit.ts';
import { startDirectoryWatch } from '#server/directory-watch/directory-watch.ts';
import { openLinkedAccounts } from '#server/linked-accounts/linked-accounts.ts';
import { type Work, withCurrentDatabase } from '#server/open-database.ts';
import { onStopSignals } from '#server/process/process-end.ts';
import { lowerPriority } from '#server/process/resources.ts';
import { onlyRealPeople } from '#server/start/fictional-people.ts';
import { createLog } from '#shared/log/log.ts';
import { printNotice, Refusal, UsageError } from '#shared/operator-messages.ts';
import { parseAccept } from './acceptances.ts';
import { describedCorrections, mendedText } from './corrections.ts';
import { describeReport, folderOf, ifMeant, withoutFolder } from './report-text.ts';

const REFUSED = 'The import is refused; the directory is unchanged.';

const OPTIONS = {
  'dry-run': flag('Checks everything, but does not switch the directory.'),
  accept: option(
    'REASON[:REGISTER],...',
    `Accepts the edition although this guard refuses it, for one register or for all. This is only valid for this edition, and is written to the audit trail. ${OTHER_PEOPLE} judges the edition like a first import, for example after a demonstration. A refusal prints the option to write; docs/directory-guards.md explains all reasons.`,
    { multiple: true },
  ),
  watch: flag(
    'Runs until it is stopped, and imports every new edition in the folder once nothing has changed there for --settle. It tries refused files again when the folder or service.yaml changes, and logs what it does. With directory.watch in service.yaml, the service does the same by itself.',
  ),
  settle: option('60s', 'With --watch: time without any change in the folder, a number with s or m. Default: 60s.', {
    fits: [/^(?=.*[1-9])\d{1,6}(?:\.\d{1,3})?[sm]?$/, 'a time such as 60s or 5m'],
  }),
  json: flag('Prints the report as JSON.'),
} as const;

export const importAction = action({
  summary: 'Reads one edition and switches the directory to it, unless a guard refuses it',
  args: {
    'PATH...': 'Files or folders, plain, gzip or zip, in any order. Each file is recognised by its content.',
  },
  forms: ['PATH... [--dry-run] [--accept REASON[:REGISTER],...] [--json]', '--watch FOLDER [--settle 60s]'],
  options: OPTIONS,
  text: `
The command knows PS_LibreAcces_Personne_activite, PS_LibreAcces_Dipl_AutExerc, PS_LibreAcces_SavoirFaire, Extraction_Correspondance_MSSante, FINESS as text (etalab-cs1100501, 502, 507) and as JSON (finess-structures), and FHIR STU3 Practitioner, Organization and PractitionerRole as Bundle (JSON, of any type but history) or NDJSON. A FHIR resource replaces the record of a register with the same id. Of several resources with one id, the one with the latest meta.lastUpdated is kept. From a folder or archive, the newest edition of each register is read, according to the dates in contents and names. Files that you name must belong to one edition.
The directory is switched when everything is imported and no guard refuses it (directory.guards in service.yaml). Until then, and after a refusal, it stays as it is.`,
  run: async (values, paths) => {
    if (values.watch) return watch(paths, values);
    if (values.settle !== undefined) throw new UsageError('--settle belongs to --watch.');
    return importFiles(paths, values, parseAccept(values.accept));
  },
  // With `--json`, even wrong usage is printed as a report, so that a calling program can always read one, however the command ends.
  wrongUsage: unreadableReport,
});

type ImportOptions = Values<typeof OPTIONS>;

async function importFiles(
  positionals: readonly string[],
  values: ImportOptions,
  accept: readonly Acceptance[],
): Promise<void> {
  const dryRun = values['dry-run'] === true;
  let printed = false;
  const run: Work<void> = async (database, settings) => {
    // The service may run on the same machine, and its searches come first. So this process gets a lower priority. Threads that are started
    // later inherit it.
    lowerPriority();
    const progress = createProgress();
    const interruption = listenForInterruption(() => {
      progress.end();
      print(unreadableReport(new Refusal(INTERRUPTED)), values.json);
      process.stderr.write(`${INTERRUPTED}\n`);
    });
    const report = await importEdition({
      paths: positionals,
      settings,
      database,
      dryRun,
      accept,
      ...onlyRealPeople(settings),
      linkedAccounts: openLinkedAccounts(database, settings, operator()),
      onProgress: ({ phase, done, lines, resources }) => {
        interruption.check(phase);
        if (phase === 'switching') return;
        progress.show({
          name: phase,
          ...(done !== undefined && { done }),
          count: phase === 'reading' ? lines : resources,
          unit: phase === 'reading' ? 'lines' : 'resources',
        });
      },
    })
      .catch(async (error: unknown) => {
        if (!dryRun) await recordFailure(database, settings, error);
        throw error;
      })
      .finally(() => {
        progress.end();
        interruption.end();
      });
    // The report is printed before the audit trail is written, so that it is not lost if the audit trail cannot be written.
    print(report, values.json);
    printed = true;
    if (!dryRun) await recordByOperator(database, settings.keys, await importEvents(database, report));
    if (report.outcome === 'imported') {
      process.stderr.write(mendedText(await describedCorrections(database, settings)));
    }
    if (report.outcome !== 'refused') return;
    const { reasons, acceptedBy } = report.judgement;
    throw new Refusal([
      REFUSED,
      ...withoutFolder(reasons, folderOf(report)),
      ...(acceptedBy === undefined ? [] : [ifMeant(acceptedBy, positionals)]),
    ]);
  };
  return withCurrentDatabase(run, { creates: true, waits: true, writes: true, dryRun }).catch((error: Error) => {
    // With `--json`, a report is printed however the import ends.
    if (!printed) print(unreadableReport(error), values.json);
    const ofFiles = error instanceof ImportError && !(error instanceof MachineError);
    throw ofFiles && !(error instanceof ImportAlreadyRunning) ? new Refusal([REFUSED, error.message]) : error;
  });
}

/**
 * Records in the audit trail that the import has failed. If the record cannot be stored, only a notice is printed, so that the caller still
 * throws the error of the import.
 */
async function recordFailure(...[database, { keys }, error]: [...Parameters<Work<unknown>>, unknown]): Promise<void> {
  await recordByOperator(database, keys, failedImportEvents(error)).catch(() =>
    printNotice('The audit trail has no record of this failure: the database did not take it.'),
  );
}

function print(report: ImportReport, asJson: boolean | undefined): void {
  // If standard output and standard error are both a terminal, the reasons of a refusal follow on standard error. The report leaves them
  // out, so that they do not appear twice. A report of no files would have nothing else.
  const reasonsFollow = report.outcome === 'refused' && process.stdout.isTTY && process.stderr.isTTY;
  if (asJson) process.stdout.write(json(report));
  else if (report.files.length > 0 || !reasonsFollow) {
    process.stdout.write(`${describeReport(report, reasonsFollow)}${reasonsFollow ? '\n\n' : '\n'}`);
  }
}

const INTERRUPTED = 'Interrupted: the directory is unchanged.';

/**
 * Handles stop signals during an import. The first signal ends the import at its next step, so that it can clean up. A second signal, or
 * any signal while the index is being finished, calls `last` and ends the process at once. Signals are ignored while the new snapshot
 * becomes the current one.
 */
export function listenForInterruption(last: () => void, exit: (code: number) => void = process.exit) {
  let interrupted = false;
  let phase: Phase = 'reading';
  const stop = () => {
    if (phase === 'switching') return;
    last();
    exit(130);
  };
  const end = onStopSignals(() => {
    interrupted = true;
    // In the phase `indexing`, `check` is called at most once a second, and not at all while this thread is busy with the index. A stop
    // signal would have to wait too long for the next call, so the process ends here.
    if (phase === 'indexing') stop();
  }, stop);
  return {
    /** Notes the phase of the import. Throws a `Refusal` if a stop signal has come. */
    check(now: Phase): void {
      if (interrupted) throw new Refusal(INTERRUPTED);
      phase = now;
    },
    end,
  };
}

/** Watches the folder until SIGINT or SIGTERM. A second signal ends the process at once. */
async function watch(folders: readonly string[], options: ImportOptions): Promise<void> {
  const other = (['json', 'dry-run', 'accept'] as const).find((name) => options[name]);
  if (other) throw new UsageError(`--${other} does not go with --watch.`);
  if (folders[0] === undefined || folders.length > 1)
    throw new UsageError('directory import --watch needs one folder.');
  const { settle: time = '60s' } = options;
  const settle = Number.parseFloat(time) * (time.endsWith('m') ? 60 : 1);
  const settings = await loadSettings(process.env);
  const folder = resolve(folders[0]);
  const issue = await watchedFolderIssue(folder, settings.dataFolder);
  if (issue) throw new Refusal(`${folder}: ${issue.problem} ${issue.remedy}`);
  // Opens the database before watching begins, and creates it if it is missing. So an unusable database is reported now, and not at the
  // first import.
  await withCurrentDatabase(async () => {}, { creates: true, waits: true, writes: true });
  const stopAsked = new Promise<void>((asked) => onStopSignals(() => asked()));
  const watching = startDirectoryWatch({ folder, settle }, settings, createLog(settings.log));
  await stopAsked;
  await watching.stop();
}
