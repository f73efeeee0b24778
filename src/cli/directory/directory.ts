// The commands `hygie directory import|status|rollback|verify|columns`.

import { importEdition } from '../../import/import.ts';
import { type ImportReport, WARNINGS } from '../../import/publish/report.ts';
import { RESOURCE_TYPES, type ResourceType } from '../../search-index/index.ts';
import { failedImportEvents, importEvents, recordByOperator } from '../../server/audit/operator-audit.ts';
import { runWatch } from '../../server/directory-watch/directory-watch.ts';
import { holdsFictionalPeople, onlyRealPeople } from '../../server/fictional-people.ts';
import { stepBack } from '../../server/low-priority.ts';
import { type Work, withCurrentDatabase } from '../../server/open-database.ts';
import { onStopSignals } from '../../server/stop-signals.ts';
import { Refusal, UsageError } from '../../shared/operator-errors.ts';
import type { Database } from '../../store/database/connection.ts';
import {
  findSnapshot,
  listSnapshots,
  readPointer,
  rollBack,
  type SnapshotEntry,
} from '../../store/snapshots/registry.ts';
import { type Command, parseOptions } from '../support/command.ts';
import { createProgress, grouped } from '../support/progress.ts';
import { runColumns } from './columns.ts';
import { runVerify } from './verify.ts';

const HELP = `
Loads, shows and switches the directory of professionals and structures.

Usage: hygie directory import PATH... [--dry-run] [--replace] [--json]
       hygie directory import --watch FOLDER [--settle 60s]
       hygie directory status [--json]
       hygie directory rollback [--json]
       hygie directory columns [--json]
       hygie directory verify [SNAPSHOT] [--full] [--json]

import    Reads one edition: files or folders, plain, gzip or zip, in any combination and order; each file is
          recognised by its content. Known are PS_LibreAcces_Personne_activite, PS_LibreAcces_Dipl_AutExerc,
          PS_LibreAcces_SavoirFaire, Extraction_Correspondance_MSSante, FINESS as text (etalab-cs1100501, 502, 507)
          and as JSON (finess-structures), and FHIR STU3 Practitioner, Organization and PractitionerRole as Bundle
          (JSON, of any type but history) or NDJSON. A FHIR resource replaces what registers say of the same id; of
          several with one id the latest by meta.lastUpdated is kept. The directory is switched at once when
          everything is loaded and every guard is satisfied (service.yaml, directory.guards); until then, and after
          a refusal, it is untouched.
          --dry-run  do everything but the switch
          --replace  other people are meant, as after a demonstration: skip the guards that compare with the
                     directory that is there
          --watch    run until stopped, and load every new edition that appears in the folder: the newest one of each
                     register, once the folder has not changed for --settle (60s; a number with s or m). Refused files are
                     tried again when the folder or service.yaml changes. What happens is in the log. The service
                     does the same by itself with directory.watch in service.yaml
status    Age, counts, registers and size of the snapshots: the current one is served, the previous one is what
          rollback switches to, others are kept.
rollback  Switches between the current and the previous snapshot: the previous one becomes current, the current one
          previous. A second rollback switches back. Production neither imports the fictional people of the
          demonstration nor goes back to them.
verify    Reads a snapshot again, the current one where none is named, and checks everything: the file against its
          checksum, every resource, references, search indexes, counts. Nothing is changed, except that the snapshot
          is noted as damaged: the next import then loads anew what it would otherwise skip or build upon. Some
          minutes for a country, at the lowest priority.
          --full  rebuild the indexes and compare them even where the checksum is that of the import
columns   What becomes of every column of the registers, as a page in Markdown (config/directory-columns.md).

--json    the report as JSON on standard output

Exit codes: 0 done, 1 refused (reasons on standard error), 2 wrong usage.
`;

export const directoryCommand: Command = {
  name: 'directory',
  summary: 'Loads, shows and switches the directory: import, status, rollback, verify',
  help: HELP,
  async run(args) {
    const [action, ...rest] = args;
    const run = action === undefined || !Object.hasOwn(ACTIONS, action) ? undefined : ACTIONS[action];
    if (!run)
      throw new UsageError(`directory does ${Object.keys(ACTIONS).join(', ')}${action ? `, not "${action}"` : ''}.`);
    return run(rest);
  },
};

const ACTIONS: Readonly<Record<string, (args: readonly string[]) => Promise<number>>> = {
  import: runImport,
  status: runStatus,
  rollback: runRollback,
  columns: runColumns,
  verify: runVerify,
};

async function runImport(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions(args, {
    json: { type: 'boolean' },
    'dry-run': { type: 'boolean' },
    replace: { type: 'boolean' },
    watch: { type: 'boolean' },
    settle: { type: 'string' },
  });
  if (values.watch) return runWatch(positionals, values);
  if (values.settle !== undefined) throw new UsageError('--settle belongs to --watch.');
  if (positionals.length === 0) throw new UsageError('directory import needs at least one file or folder.');
  const dryRun = values['dry-run'] === true;
  const run: Work<number> = async (database, settings) => {
    // The service may run on the same machine: its searches come first. Threads started from here on inherit it.
    stepBack();
    const progress = createProgress();
    const interruption = listenForInterruption();
    const report = await importEdition({
      paths: positionals,
      settings,
      database,
      dryRun,
      replace: values.replace === true,
      ...onlyRealPeople(settings),
      onProgress: ({ phase, done, lines, resources }) => {
        interruption.check(phase === 'indexing');
        progress.show({
          name: phase,
          ...(done !== undefined && { done }),
          count: phase === 'reading' ? lines : resources,
          unit: phase === 'reading' ? 'lines' : 'resources',
        });
      },
    })
      .catch(async (error: unknown) => {
        if (!dryRun) await recordByOperator(database, failedImportEvents(error));
        throw error;
      })
      .finally(() => {
        progress.end();
        interruption.end();
      });
    if (!dryRun) await recordByOperator(database, importEvents(report));
    process.stdout.write(values.json ? `${JSON.stringify(report, null, 2)}\n` : `${describeReport(report)}\n`);
    if (report.outcome !== 'refused') return 0;
    throw new Refusal([
      'The import is refused; the directory is unchanged.',
      ...report.guards.filter((guard) => !guard.passed).map((guard) => `${guard.name}: ${guard.figures}`),
    ]);
  };
  return withCurrentDatabase(run, { writes: !dryRun });
}

/** Ctrl-C and SIGTERM end an import at its next step, so that it clears up; while it only waits, at once. */
function listenForInterruption() {
  let interrupted = false;
  let waiting = false;
  const end = onStopSignals(() => {
    if (waiting) process.exit(130);
    interrupted = true;
  });
  return {
    /** `lastStep`: no further step will be told. */
    check(lastStep: boolean): void {
      waiting = lastStep;
      if (interrupted) throw new Refusal('Interrupted: the directory is unchanged.');
    },
    end,
  };
}

async function runStatus(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions(args, { json: { type: 'boolean' } });
  if (positionals.length > 0) throw new UsageError('directory status takes no further words.');
  return withCurrentDatabase(async (database) => {
    const { current, previous, changedAt } = await readPointer(database);
    const snapshots = (await listSnapshots(database)).map((entry) => ({
      ...entry,
      state: (entry.id === current ? 'current' : entry.id === previous ? 'previous' : 'kept') as State,
      ageSeconds: Math.max(0, Math.round((Date.now() - entry.createdAt.getTime()) / 1000)),
    }));
    const lines = STATES.flatMap((state) => snapshots.filter((one) => one.state === state)).map(describeSnapshot);
    const text =
      lines.length > 0
        ? lines.join('\n')
        : 'The directory is empty. Load it: npm run -s hygie -- directory import PATH...';
    const json = { current: current ?? null, previous: previous ?? null, changedAt: changedAt ?? null, snapshots };
    process.stdout.write(values.json ? `${JSON.stringify(json, null, 2)}\n` : `${text}\n`);
    return 0;
  });
}

async function runRollback(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseOptions(args, { json: { type: 'boolean' } });
  if (positionals.length > 0) throw new UsageError('directory rollback takes no further words.');
  const run: Work<number> = async (database, settings) => {
    const before = await readPointer(database);
    if (before.previous === undefined) throw new Refusal('There is no directory before the current one to return to.');
    const target = await findSnapshot(database, before.previous);
    if (target?.damagedAt)
      throw new Refusal(
        `The snapshot before, ${before.previous}, was found damaged: import again, or verify it once it is restored.`,
      );
    if (settings.mode === 'production' && (await holdsFictionalPeople(target, settings)))
      throw new Refusal([
        `The snapshot before, ${before.previous}, holds the fictional people of the demonstration, which production refuses.`,
        'Remedy: import the registers of the day that is meant: npm run -s hygie -- directory import PATH...',
      ]);
    const { current, previous } = await rollBack(database);
    await recordByOperator(database, [{ event: 'directory.rolled-back', details: { current, previous } }]);
    const text = [
      `Switched: ${await named(database, current)} is current now, ${await named(database, previous)} is previous.`,
      'A second rollback switches back.',
    ].join('\n');
    process.stdout.write(values.json ? `${JSON.stringify({ current, previous })}\n` : `${text}\n`);
    return 0;
  };
  return withCurrentDatabase(run, { writes: true });
}

async function named(database: Database, id: string | undefined): Promise<string> {
  const entry = id === undefined ? undefined : await findSnapshot(database, id);
  return entry ? `${entry.id} (loaded ${entry.createdAt.toISOString()})` : 'none';
}

const OUTCOMES: Readonly<Record<ImportReport['outcome'], string>> = {
  imported: 'Imported: the directory was switched.',
  unchanged: 'Nothing to do: the directory holds this edition already.',
  checked: 'Dry run: nothing speaks against this edition. The directory is unchanged.',
  refused: 'Refused: the directory is unchanged.',
};

/** What a file was counted in. */
const UNITS = { line: 'lines', entry: 'entries', 'legal entity': 'structures' } as const;

/** The report in lines for a reader. */
export function describeReport(report: ImportReport): string {
  const lines = [`${OUTCOMES[report.outcome]} ${grouped(report.lines)} lines in ${report.seconds} s`, ''];
  for (const file of report.files) {
    const edition = file.edition === undefined ? '' : `, edition ${file.edition}`;
    const leftOut = file.leftOut > 0 ? `, ${grouped(file.leftOut)} left out` : '';
    const unit = UNITS[file.unit ?? 'line'];
    lines.push(`  ${file.name}\n    ${file.kind}${edition}: ${grouped(file.lines)} ${unit}${leftOut}`);
  }
  if (report.outcome !== 'unchanged') {
    lines.push('', ...RESOURCE_TYPES.map((type) => resourceLine(report, type)));
  }
  for (const { kind, count, examples } of report.warnings) {
    lines.push('', `  Warning: ${grouped(count)} ${WARNINGS[kind]}`, ...examples.map((example) => `    ${example}`));
  }
  const { count, examples } = report.linesLeftOut;
  if (count > 0) {
    lines.push('', `  ${grouped(count)} lines left out`);
    lines.push(
      ...examples
        .slice(0, 20)
        .map(({ file, unit = 'line', line, reason }) => `    ${file}, ${unit} ${line}: ${reason}`),
    );
  }
  return lines.join('\n');
}

function resourceLine({ resources, changes }: ImportReport, type: ResourceType): string {
  const change = changes?.[type];
  const against = change
    ? ` (${grouped(change.added)} added, ${grouped(change.changed)} changed, ${grouped(change.removed)} removed)`
    : '';
  return `  ${type.padEnd(16)} ${grouped(resources[type])}${against}`;
}

/** In the order in which they are shown. */
const STATES = ['current', 'previous', 'kept'] as const;
type State = (typeof STATES)[number];
const MEANING: Readonly<Record<State, string>> = {
  current: 'served, ',
  previous: 'rollback switches to it, ',
  kept: '',
};

function describeSnapshot(snapshot: SnapshotEntry & { state: State; ageSeconds: number }): string {
  const counts = RESOURCE_TYPES.map((type) => `${grouped(snapshot.counts[type])} ${type}`).join('; ');
  const registers = Object.entries(snapshot.editions).map(
    ([register, { lines, date }]) => `${register}${date === undefined ? '' : ` ${date}`} (${grouped(lines)} lines)`,
  );
  const hours = Math.round(snapshot.ageSeconds / 3600);
  return [
    `${snapshot.state.padEnd(9)}${snapshot.id}  ${MEANING[snapshot.state]}loaded ${snapshot.createdAt.toISOString()} (${hours} h ago), ${grouped(Math.round(snapshot.bytes / 1e6))} MB`,
    `         ${counts}`,
    `         registers: ${registers.join(', ')}`,
    ...(snapshot.damagedAt
      ? [`         DAMAGED, found ${snapshot.damagedAt.toISOString()}: see directory verify`]
      : []),
  ].join('\n');
}
