// The child process of one import of a watched folder: its memory is given back, and its crash ends nothing else.

import { importEdition } from '../../import/import.ts';
import { ImportAlreadyRunning, ImportError, MachineError } from '../../import/import-error.ts';
import type { ImportReport } from '../../import/publish/report.ts';
import { redactText } from '../../shared/log/redaction.ts';
import { Refusal } from '../../shared/operator-errors.ts';
import { importEvents, recordAs } from '../audit/operator-audit.ts';
import { onlyRealPeople } from '../fictional-people.ts';
import { stepBack } from '../low-priority.ts';
import { withCurrentDatabase } from '../open-database.ts';

/** What the watch sends. */
export type ToImport = { paths: readonly string[] } | 'abandon';

/** What comes back. `kind` of a failure: by whom it is to be mended. */
export type FromImport = { report: ImportReport } | { fault: 'busy' | 'files' | 'machine'; text: string };

let abandoned = false;
/** No step is told any more that could end the import. */
let lastStep = false;

function abandon(): void {
  abandoned = true;
  if (lastStep) process.exit(1);
}

// The watch says when to end; the terminal's Ctrl-C comes to both.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
process.on('disconnect', abandon);
process.on('message', (message: ToImport) => {
  if (message === 'abandon') abandon();
  else run(message.paths).then(answer);
});

async function run(paths: readonly string[]): Promise<FromImport> {
  // The service beside it answers first.
  stepBack();
  try {
    const report = await withCurrentDatabase(async (database, settings) => {
      const done = await importEdition({
        paths,
        settings,
        database,
        unattended: true,
        ...onlyRealPeople(settings),
        onProgress: ({ phase }) => {
          lastStep = phase === 'indexing';
          if (abandoned) throw new Refusal('The import is abandoned.');
        },
      });
      await recordAs('service', database, importEvents(done));
      return done;
    });
    return { report };
  } catch (error) {
    if (error instanceof ImportAlreadyRunning) return { fault: 'busy', text: error.holder };
    const { message } = error instanceof Error ? error : new Error(String(error));
    const ofFiles = error instanceof ImportError && !(error instanceof MachineError);
    return { fault: ofFiles ? 'files' : 'machine', text: redactText(message) };
  }
}

function answer(message: FromImport): void {
  process.off('disconnect', abandon);
  const end = () => process.disconnect?.();
  if (process.connected) process.send?.(message, undefined, undefined, end);
}
