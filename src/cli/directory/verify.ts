// `directory verify`: checks a snapshot (`search-index/verify.ts`), and prints each fault with its remedy.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { action } from '#cli/support/command.ts';
import { JSON_OPTION, json } from '#cli/support/output.ts';
import { grouped, withProgress } from '#cli/support/progress.ts';
import {
  byType,
  type FindingKind,
  RESOURCE_TYPES,
  type VerifyReport,
  verifySnapshotFile,
} from '#search-index/index.ts';
import { withCurrentDatabase } from '#server/open-database.ts';
import { lowerPriority } from '#server/process/resources.ts';
import { hygie, Refusal } from '#shared/operator-messages.ts';
import type { Database } from '#store/database/connection.ts';
import { hasOtherLayout, lacksFile, snapshotFolder } from '#store/snapshots/folder.ts';
import {
  findSnapshot,
  listSnapshots,
  readPointer,
  recordVerification,
  type SnapshotEntry,
} from '#store/snapshots/registry.ts';
import { fetchFile, storeFile } from './distributed-file.ts';

/** The meaning of each kind of finding, as it is printed after the number of findings. */
const MEANINGS: Readonly<Record<FindingKind, string>> = {
  file: 'errors of the file itself',
  counts: 'counts that differ from those of the import',
  reference: 'references to records that are not in the directory',
};

export const verifyAction = action({
  summary: 'Checks the file of a snapshot for damage',
  args: { '[SNAPSHOT]': 'Id of a snapshot. Default: the current one.' },
  options: { json: JSON_OPTION },
  text: `
Checks the checksum of the file, its structure by SQLite, the counts, and whether references lead to records. Changes nothing, except that it marks a damaged snapshot: the next import then reads its files again instead of skipping them. If snapshots reach other instances through the database, the command compares a sound snapshot with its parts there, and stores missing or damaged parts again. Takes some minutes for a country, at the lowest priority.`,
  run: verify,
});

/** Verifies a snapshot. Throws a `Refusal` that names the faults and their remedy. */
async function verify(values: { json?: boolean | undefined }, [id]: readonly string[]): Promise<void> {
  return withCurrentDatabase(async (database, settings) => {
    const entry = await entryFor(database, id);
    const file = join(snapshotFolder(settings.dataFolder), entry.file);
    if (lacksFile(entry, settings.dataFolder)) await fetchFile(database, settings, entry);
    if (hasOtherLayout(entry, settings.dataFolder)) throw otherLayout(entry, values.json === true);
    const started = performance.now();
    const report = existsSync(file)
      ? await verified(file, entry)
      : { ...NOTHING_READ, findings: [{ kind: 'file' as const, count: 1, examples: [`${file} is missing`] }] };
    const seconds = Math.round((performance.now() - started) / 100) / 10;
    // A reference to a missing record does not mean that the file is damaged: the sources have that fault, and another import of the same
    // edition would bring it again.
    const damaged = report.findings.some(({ kind }) => kind !== 'reference');
    await recordVerification(database, entry.id, { damaged });
    const stored = damaged ? undefined : await storeFile(database, settings, entry);
    const { dataFolder } = settings;
    const remedy = report.findings.length > 0 ? await remedyFor(database, entry, { damaged, dataFolder }) : undefined;
    if (values.json) {
      process.stdout.write(
        json({ snapshot: entry.id, sound: report.findings.length === 0, ...report, seconds, stored, remedy }),
      );
    } else if (report.findings.length === 0)
      process.stdout.write(`${sound(entry, report, seconds)}${storedAnew(stored)}\n`);
    if (report.findings.length > 0) throw new Refusal([...described(entry, report), `Remedy: ${remedy}`]);
  });
}

const NOTHING_READ: VerifyReport = {
  findings: [],
  resources: byType(() => 0),
  complete: false,
};

async function entryFor(database: Database, requested: string | undefined): Promise<SnapshotEntry> {
  const id = requested ?? (await readPointer(database)).current;
  if (id === undefined) throw new Refusal('The directory is empty: there is nothing to verify.');
  const entry = await findSnapshot(database, id);
  if (entry) return entry;
  const known = (await listSnapshots(database)).map((one) => one.id);
  throw new Refusal(`There is no snapshot ${id}. Known are ${known.join(', ')}: see ${hygie('directory status')}.`);
}

function verified(file: string, entry: SnapshotEntry): Promise<VerifyReport> {
  // The service may run on the same machine. Its searches come first, so this command runs at a lower priority.
  lowerPriority();
  return withProgress((show) =>
    verifySnapshotFile({
      file,
      expected: entry,
      onProgress: ({ phase, done, resources }) => show({ name: phase, done, count: resources, unit: 'resources' }),
    }),
  );
}

function sound(entry: SnapshotEntry, { resources }: VerifyReport, seconds: number): string {
  const counts = RESOURCE_TYPES.map((type) => `${grouped(resources[type])} ${type}`).join(', ');
  return `Sound: ${entry.id} was read and checked in ${seconds} s: ${counts}.`;
}

function storedAnew(bytes = 0): string {
  return bytes === 0
    ? ''
    : `\nThe database lacked parts of it, or had damaged ones: ${grouped(bytes)} bytes were stored anew.`;
}

function described(entry: SnapshotEntry, { findings, complete }: VerifyReport): string[] {
  return [
    `The snapshot ${entry.id} is not sound.`,
    ...findings.flatMap(({ kind, count, examples }) => [
      `  ${grouped(count)} ${MEANINGS[kind]}`,
      ...examples.map((example) => `    ${example}`),
    ]),
    ...(complete ? [] : ['  The file is damaged: the rest was not looked at.']),
  ];
}

// Says that this release cannot read the snapshot. The snapshot is not damaged, because the release that wrote it can read it.
function otherLayout(entry: SnapshotEntry, asJson: boolean): Refusal {
  const remedy = 'import the edition again';
  if (asJson) {
    const { resources, complete } = NOTHING_READ;
    const report = { snapshot: entry.id, sound: false, otherLayout: true, findings: [], resources, complete, remedy };
    process.stdout.write(json(report));
  }
  return new Refusal([
    `The snapshot ${entry.id} is of another layout: ${remedy}.`,
    `Remedy: ${hygie('directory import PATH...')}`,
  ]);
}

async function remedyFor(
  database: Database,
  entry: SnapshotEntry,
  { damaged, dataFolder }: { damaged: boolean; dataFolder: string },
): Promise<string> {
  if (!damaged) return 'the sources refer to records that they do not hold: import an edition with these records.';
  const { current, previous } = await readPointer(database);
  if (entry.id !== current)
    return 'it is not served. Do not roll back to it. Later imports remove it; or restore its file from a backup.';
  const before = previous === undefined ? undefined : await findSnapshot(database, previous);
  const again = `import again: ${hygie('directory import PATH...')} imports the whole edition anew`;
  if (before === undefined || before.damagedAt !== undefined || hasOtherLayout(before, dataFolder))
    return `${again}. There is no sound snapshot before it.`;
  const check = `${hygie`directory verify ${before.id}`} checks it`;
  return `${hygie('directory rollback')} switches to ${before.id} at once (${check}); then ${again}.`;
}
