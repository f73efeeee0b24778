// `directory import`: loads an edition, with progress and a report.

import { parseOptions } from '#cli/support/command.ts';
import { createProgress } from '#cli/support/progress.ts';
import { ImportAlreadyRunning, ImportError, MachineError } from '#import/collect/import-error.ts';
import type { Phase } from '#import/collect/progress.ts';
import { importEdition } from '#import/import.ts';
import { type ImportReport, unreadableReport } from '#import/judgement/import-report.ts';
import { failedImportEvents, importEvents, operator, recordByOperator } from '#server/audit/operator-audit.ts';
import { openLinkedAccounts } from '#server/linked-accounts/linked-accounts.ts';
import { type Work, withCurrentDatabase } from '#server/open-database.ts';
import { lowerPriority } from '#server/process/low-priority.ts';
import { onStopSignals } from '#server/process/stop-signals.ts';
import { onlyRealPeople } from '#server/start/fictional-people.ts';
import { Refusal, UsageError } from '#shared/operator-errors.ts';
import { parseAccept } from './accept-option.ts';
import { ifMeant } from './judgement-text.ts';
import { describeReport, folderOf, withoutFolder } from './report-text.ts';
import { runWatch } from './watch.ts';

const REFUSED = 'The import is refused; the directory is unchanged.';

export async function runImport(args: readonly string[]): Promise<number> {
  // Scripts of earlier releases give it; "unknown" would not say what they have to write.
  if (args.includes('--replace')) {
    throw new UsageError(
      '--replace is no option any more: --accept REASON[:REGISTER],... takes what a guard refused, and each refusal prints its own; ' +
        '--accept other-people compares with nothing, as after a demonstration.',
    );
  }
  const { values, positionals } = parseOptions(args, {
    json: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    accept: { type: 'string', multiple: true },
    watch: { type: 'boolean' },
    settle: { type: 'string' },
  });
  if (values.watch) return runWatch(positionals, values);
  if (values.settle !== undefined) throw new UsageError('--settle belongs to --watch.');
  if (positionals.length === 0) throw new UsageError('directory import needs at least one file or folder.');
  const dryRun = values['dry-run'] === true;
  const accept = parseAccept(values.accept);
  let printed = false;
  const run: Work<number> = async (database, settings) => {
    // The service may run on the same machine: its searches come first. Threads started from here on inherit it.
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
        if (!dryRun) await recordByOperator(database, settings.keys, failedImportEvents(error));
        throw error;
      })
      .finally(() => {
        progress.end();
        interruption.end();
      });
    if (!dryRun) await recordByOperator(database, settings.keys, await importEvents(database, report));
    print(report, values.json);
    printed = true;
    if (report.outcome !== 'refused') return 0;
    const { reasons, acceptedBy } = report.judgement;
    const given = positionals.map((path) => (/^[\w./:,+-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`));
    throw new Refusal([
      REFUSED,
      ...withoutFolder(reasons, folderOf(report)),
      ...(acceptedBy === undefined ? [] : [ifMeant(acceptedBy, given.join(' '))]),
    ]);
  };
  return withCurrentDatabase(run, { creates: true, writes: !dryRun, dryRun }).catch((error: Error) => {
    // In every ending there is a judgement to read.
    if (!printed) print(unreadableReport(error), values.json);
    const ofFiles = error instanceof ImportError && !(error instanceof MachineError);
    throw ofFiles && !(error instanceof ImportAlreadyRunning) ? new Refusal([REFUSED, error.message]) : error;
  });
}

function print(report: ImportReport, json: boolean | undefined): void {
  // On a terminal, the reasons of a refusal would stand there twice.
  const reasonsFollow = report.outcome === 'refused' && process.stdout.isTTY && process.stderr.isTTY;
  process.stdout.write(`${json ? JSON.stringify(report, null, 2) : describeReport(report, reasonsFollow)}\n`);
}

// Ctrl-C and other stop signals during an import.

const INTERRUPTED = 'Interrupted: the directory is unchanged.';

/**
 * A stop signal ends an import at its next step, so that it clears up; while it only waits, and at a second signal, at once:
 * `last` is what is done before. Once the directory is switched, it is not stopped any more.
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
    // No progress is reported until the index is finished.
    if (phase === 'indexing') stop();
  }, stop);
  return {
    /** Throws a `Refusal` after a signal. */
    check(now: Phase): void {
      if (interrupted) throw new Refusal(INTERRUPTED);
      phase = now;
    },
    end,
  };
}
