// Runs an import under its lock: lists the files, takes the lock, calls `load-edition.ts` for the import itself, and cleans up at the end.

import type { Database } from '#store/database/connection.ts';
import { outlastFailOver } from '#store/database/outlast-fail-over.ts';
import { keepJudgement } from '#store/snapshots/judgements.ts';
import { beginImport, type ImportFolder } from './begin-import.ts';
import { createCollector } from './collect/collector.ts';
import { ImportAlreadyRunning, ImportError, MachineError, toMachineError } from './collect/import-error.ts';
import { startPhaseClock } from './collect/progress.ts';
import type { ImportOptions } from './import-options.ts';
import { type ImportReport, unreadableReport } from './judgement/import-report.ts';
import { noStatistics } from './judgement/statistics.ts';
import { loadEdition } from './load-edition.ts';
import { listInputs } from './sources/inputs.ts';

/**
 * Imports an edition. Resolves with the report, even if the edition is refused. Throws an `ImportError` if the files cannot be read. If the
 * edition is refused or unreadable, the directory stays as it is. The next import removes temporary files that this one could not remove.
 */
export async function importEdition(options: ImportOptions): Promise<ImportReport> {
  const clock = startPhaseClock();
  const collector = createCollector();
  const { database, settings, foundIn } = options;
  const incoming: string[] = [];
  let importFolder: ImportFolder | undefined;
  try {
    const inputs = await listInputs(options.paths, {
      warn: collector.warn,
      onIncoming: (name) => incoming.push(name),
      ...(foundIn !== undefined && { foundIn }),
    });
    importFolder = await outlastFailOver(database, () => beginImport(settings.dataFolder, database));
    const onProgress = options.onProgress ?? (() => {});
    return await loadEdition({ ...options, inputs, incoming, collector, importFolder, clock, onProgress });
  } catch (error) {
    const known = toMachineError(error, settings.dataFolder);
    // An error while storing this report is ignored, because the operator must see why the import itself failed.
    if (!options.dryRun) await outlastFailOver(database, () => keepUnreadable(database, known)).catch(() => {});
    throw known;
  } finally {
    await importFolder?.close();
  }
}

/**
 * Stores a report which says that the files could not be read. Nothing is stored if the files are not at fault: if the machine failed,
 * another import is running, or the error is unexpected.
 */
async function keepUnreadable(database: Database, error: unknown): Promise<void> {
  if (!(error instanceof ImportError) || error instanceof MachineError || error instanceof ImportAlreadyRunning) return;
  const report = unreadableReport(error);
  const counts = report.resources;
  const statistics = noStatistics();
  const kept = { counts, editions: {}, statistics, report: JSON.stringify(report), accepted: [], removed: counts };
  await keepJudgement(database, kept);
}
