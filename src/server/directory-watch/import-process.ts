// The child process that `import-in-child-process.ts` starts for one import.

import { ImportAlreadyRunning, ImportError, MachineError } from '#import/collect/import-error.ts';
import { importEdition } from '#import/import.ts';
import { importEvents, recordAs } from '#server/audit/operator-audit.ts';
import { openLinkedAccounts } from '#server/linked-accounts/linked-accounts.ts';
import { withCurrentDatabase } from '#server/open-database.ts';
import { lowerPriority } from '#server/process/low-priority.ts';
import { onlyRealPeople } from '#server/start/fictional-people.ts';
import { traceCommand } from '#server/tracing/trace-command.ts';
import { redactText } from '#shared/log/redaction.ts';
import { Refusal } from '#shared/operator-errors.ts';
import { printNotice } from '#shared/print-notice.ts';
import type { FoundFiles, ImportRequest, ImportResult } from './import-in-child-process.ts';

let abandoned = false;
/** While the index is finished, no progress is reported at which the import could end. */
let indexing = false;

function abandon(): void {
  abandoned = true;
  if (indexing) process.exit(1);
}

// The parent process ends this one; Ctrl-C in a terminal goes to both.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.on('disconnect', abandon);
process.on('message', async (request: ImportRequest) => {
  if (request === 'abandon') return abandon();
  const result = await traced(request);
  process.off('disconnect', abandon);
  if (process.connected) process.send?.(result, undefined, undefined, () => process.disconnect?.());
});

/** As a trace where traces are asked for. */
async function traced(files: FoundFiles): Promise<ImportResult> {
  let result: ImportResult | undefined;
  await traceCommand('import of a watched folder', process.env, printNotice, async () => {
    result = await run(files);
    return 'report' in result ? 0 : 1;
  });
  return result as unknown as ImportResult;
}

async function run({ paths, folder }: FoundFiles): Promise<ImportResult> {
  // The service beside it answers first.
  lowerPriority();
  try {
    const report = await withCurrentDatabase(async (database, settings) => {
      const done = await importEdition({
        paths,
        settings,
        database,
        foundIn: folder,
        ...onlyRealPeople(settings),
        linkedAccounts: openLinkedAccounts(database, settings, 'service'),
        onProgress: ({ phase }) => {
          indexing = phase === 'indexing';
          if (abandoned) throw new Refusal('The import is abandoned.');
        },
      });
      await recordAs('service', database, settings.keys, await importEvents(database, done));
      return done;
    });
    return { report };
  } catch (error) {
    if (error instanceof ImportAlreadyRunning) return { cause: 'busy', message: error.holder };
    const { message } = error instanceof Error ? error : new Error(String(error));
    const ofFiles = error instanceof ImportError && !(error instanceof MachineError);
    return { cause: ofFiles ? 'files' : 'machine', message: redactText(message) };
  }
}
