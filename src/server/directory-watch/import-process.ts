// The child process that `import-in-child-process.ts` starts for one import, or to rebuild an index.

import { ImportAlreadyRunning, ImportError, MachineError } from '#import/collect/import-error.ts';
import type { ImportOptions } from '#import/import-options.ts';
import { importEdition } from '#import/locked-import.ts';
import { rebuildDirectory } from '#import/rebuild.ts';
import { importEvents, recordAs } from '#server/audit/operator-audit.ts';
import { compareAroundSwitch, openLinkedAccounts } from '#server/linked-accounts/linked-accounts.ts';
import { type Work, withCurrentDatabase } from '#server/open-database.ts';
import { lowerPriority } from '#server/process/resources.ts';
import { onlyRealPeople } from '#server/start/fictional-people.ts';
import { traceCommand } from '#server/tracing/open-tracing.ts';
import { redactText } from '#shared/log/redaction.ts';
import { printNotice, Refusal } from '#shared/operator-messages.ts';
import type {
  FoundFiles,
  ImportFailure,
  ImportRequest,
  ImportResult,
  RebuildResult,
} from './import-in-child-process.ts';

// Stop signals are ignored here, because the parent process ends this process. Ctrl-C in a terminal sends a signal to both.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
serveParent();

/**
 * Does what the parent process asks for: an import, or a rebuild of the index. Ends early if the parent process abandons it or ends itself.
 */
function serveParent(): void {
  /**
   * `indexing` is true while the index is being finished. No progress is reported in that time, so an abandoned import could not end at its
   * next report. Instead, `abandon` ends the process at once.
   */
  const state = { abandoned: false, indexing: false };
  const abandon = () => {
    state.abandoned = true;
    if (state.indexing) process.exit(1);
  };
  const onProgress: NonNullable<ImportOptions['onProgress']> = ({ phase }) => {
    state.indexing = phase === 'indexing';
    if (state.abandoned) throw new Refusal('The import is abandoned.');
  };
  process.on('disconnect', abandon);
  process.on('message', async (request: ImportRequest) => {
    if (request === 'abandon') return abandon();
    const result = await (request === 'rebuild'
      ? rebuild(() => onProgress({ phase: 'people', lines: 0, resources: 0 }))
      : traced(() => importFiles(request, onProgress)));
    process.off('disconnect', abandon);
    if (process.connected) process.send?.(result, undefined, undefined, () => process.disconnect?.());
  });
}

/** Runs the import as a trace if tracing is on. */
async function traced(work: () => Promise<ImportResult>): Promise<ImportResult> {
  let result: ImportResult | undefined;
  await traceCommand('import of a watched folder', process.env, printNotice, async () => {
    result = await work();
    return 'report' in result ? 0 : 1;
  });
  return result as unknown as ImportResult;
}

function importFiles(
  { paths, folder }: FoundFiles,
  onProgress: NonNullable<ImportOptions['onProgress']>,
): Promise<ImportResult> {
  return run(async (database, settings) => {
    const report = await importEdition({
      paths,
      settings,
      database,
      foundIn: folder,
      ...onlyRealPeople(settings),
      linkedAccounts: openLinkedAccounts(database, settings, 'service'),
      onProgress,
    });
    // The import is done. If only its record fails, the import has not failed.
    const notRecorded = await importEvents(database, report)
      .then((events) => recordAs('service', database, settings.keys, events))
      .catch(({ message }: Error) => redactText(message));
    return { report, ...(notRecorded !== undefined && { notRecorded }) };
  });
}

function rebuild(onProgress: () => void): Promise<RebuildResult> {
  return run(async (database, settings) => {
    const rebuilt = await rebuildDirectory({
      database,
      settings,
      onProgress,
      around: (from, to, change) => compareAroundSwitch(database, settings, 'service', { from, to }, change),
    });
    return { rebuilt: rebuilt ?? null };
  });
}

/** Runs `work`. Resolves with its result, or with the reason why it failed. */
async function run<Result>(work: Work<Result>): Promise<Result | ImportFailure> {
  // The work gets a lower priority, because the service runs on the same machine.
  lowerPriority();
  try {
    return await withCurrentDatabase(work);
  } catch (error) {
    if (error instanceof ImportAlreadyRunning) return { cause: 'busy', message: error.holder };
    const { message } = error instanceof Error ? error : new Error(String(error));
    const ofFiles = error instanceof ImportError && !(error instanceof MachineError);
    return { cause: ofFiles ? 'files' : 'machine', message: redactText(message) };
  }
}
