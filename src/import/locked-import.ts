// Runs an import under its lock: lists the files, takes the lock, cleans up at the end. `load-edition.ts` does everything in between.

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
 * Imports an edition. Resolves with the report, even of a refused edition. Throws an `ImportError` for input that cannot be read. A refused
 * or unreadable edition leaves the directory as it is, and the next import removes files that are left.
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
    // A report that cannot be stored must not hide why the import failed.
    if (!options.dryRun) await outlastFailOver(database, () => keepUnreadable(database, known)).catch(() => {});
    throw known;
  } finally {
    await importFolder?.close();
  }
}

/** Records that the files could not be read. Faults of the machine are not recorded. */
async function keepUnreadable(database: Database, error: unknown): Promise<void> {
  if (!(error instanceof ImportError) || error instanceof MachineError || error instanceof ImportAlreadyRunning) return;
  const report = unreadableReport(error);
  const counts = report.resources;
  const statistics = noStatistics();
  const kept = { counts, editions: {}, statistics, report: JSON.stringify(report), accepted: [], removed: counts };
  await keepJudgement(database, kept);
}
