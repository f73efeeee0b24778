// The command `backup`: makes a backup while the service runs (`server/backup/make-backup.ts`), or verifies one (`verify-backup.ts` there).

import { resolve } from 'node:path';
import { loadSettings } from '#config/index.ts';
import type { Settings } from '#config/settings.ts';
import { recordByOperator } from '#server/audit/operator-audit.ts';
import { FORMATS, type Format } from '#server/backup/dump-database.ts';
import { secretNeeded, secretsOf } from '#server/backup/key-fingerprints.ts';
import { makeBackup } from '#server/backup/make-backup.ts';
import type { Manifest } from '#server/backup/manifest.ts';
import { type VerifiedBackup, verifyBackup } from '#server/backup/verify-backup.ts';
import { notifyOperator } from '#server/notify-operator.ts';
import { isAbsent, printDatabase, withDatabase } from '#server/open-database.ts';
import { onStopSignals } from '#server/process/process-end.ts';
import { lowerPriority } from '#server/process/resources.ts';
import { printNotice, Refusal, UsageError } from '#shared/operator-messages.ts';
import { migrationStatus } from '#store/database/migrate.ts';
import { openServiceKeys } from '#store/oidc/service-keys.ts';
import { action, type Command, flag, type Values } from './support/command.ts';
import { json } from './support/output.ts';
import { grouped, withProgress } from './support/progress.ts';

const OPTIONS = {
  'with-directory': flag(
    'Adds the files of the current and the previous snapshot of the directory (HYGIE_DATA). Without them, a restored directory cannot be searched before a `directory import`. The parts of snapshots in PostgreSQL are never in a backup: an instance that has the files stores them again.',
  ),
  'with-key': flag(
    'Adds the file key-secret of HYGIE_DATA. Anybody who has the backup can then sign tokens: protect it like a key. Otherwise keep that file, or HYGIE_KEY_SECRET, somewhere else: a restore needs it.',
  ),
  format: {
    type: 'string',
    value: FORMATS.join('|'),
    fits: [new RegExp(`^(${FORMATS.join('|')})$`), FORMATS.join(' or ')],
    text: 'For PostgreSQL. pg_dump must be installed, and not older than the server. copy writes the tables as JSON (database/TABLE.ndjson.gz), which any PostgreSQL can restore without further programs. Default: pg_dump if it can be used.',
  },
  verify: flag(
    'Checks the files, the database and the audit trail of a backup, and names each fault. If the current secret does not open the keys of the backup, it prints the fingerprint of the right one (`keys list`). Changes nothing, but records an event in the audit trail if the backup is sound. This needs the secret and the database of the service.',
  ),
  unsealed: flag(
    'With --verify: accepts a backup without a seal, which was made before there was a secret. By default this is a fault if a secret is set.',
  ),
  notify: flag('For a timer: sends the operator a mail (mail.operator) if the backup fails or has a fault.'),
  json: flag(
    'Prints the manifest as JSON. With --verify: { "sound": true, "faults": [], "notices": [], "manifest": ... }.',
  ),
} as const;

type BackupOptions = Values<typeof OPTIONS>;

export const backupCommand: Command = {
  name: 'backup',
  summary: 'Backs everything up into a new folder while the service runs, or checks a backup (--verify)',
  action: action({
    forms: [
      'DIR [--with-directory] [--with-key] [--format pg_dump|copy] [--notify] [--json]',
      '--verify DIR [--unsealed] [--notify] [--json]',
    ],
    args: { DIR: 'New or empty folder, preferably on another disk. Copy it to another machine.' },
    options: OPTIONS,
    text: `
Writes one state of the database, the configuration and a manifest with checksums. The folder gets its name only when it is complete and on the disk.
Set the same variables as for the service. To restore it, see \`restore --help\`.`,
    run: async (values, [folder = '']) => {
      const work = () => (values.verify ? verify(folder, values) : make(folder, values));
      return values.notify ? work().catch((error: unknown) => tellOperator(error, folder)) : work();
    },
  }),
  examples: [
    ['backup /backup/2026-11-23 --with-directory', 'all of it'],
    ['backup --verify /backup/2026-11-23', 'whether it could be restored'],
  ],
};

/** Queues a mail to the operator about the failed backup, in the database of the service. Then throws `error` again. */
async function tellOperator(error: unknown, folder: string): Promise<never> {
  const said = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError) throw error;
  const reasons = [`backup ${resolve(folder)}`, ...said.split('\n')];
  await withDatabase(async (database, settings) => {
    if (settings.mail?.operator === undefined)
      printNotice('No mail was sent: mail.operator is not set in service.yaml.');
    else await notifyOperator(database, settings, 'backup.failed', reasons);
  }).catch((failed: Error) => printNotice(`The operator could not be notified by mail: ${failed.message}`));
  throw error;
}

async function make(folder: string, options: BackupOptions): Promise<void> {
  if (options.unsealed) throw new UsageError('--unsealed goes with --verify.');
  const { database: place } = await loadSettings(process.env);
  if (isAbsent(place)) {
    throw new Refusal(['There is no database here.', 'Remedy: set HYGIE_DATA (or DATABASE_URL) as for the service.']);
  }
  return withDatabase(async (database, settings) => {
    printDatabase(settings);
    const { pending } = await migrationStatus(database);
    // The service may run on the same machine. Its requests come first, so this command runs at a lower priority.
    lowerPriority();
    // A stop signal ends the process. Unfinished files are removed when the process exits.
    const listening = onStopSignals(() => process.exit(130));
    const wanted = { withDirectory: options['with-directory'] === true, withKey: options['with-key'] === true };
    const format = options.format as Format | undefined;
    const manifest = await withProgress((onProgress, say) =>
      makeBackup({ database, settings, folder, ...wanted, format, onProgress, say }),
    ).finally(listening);
    const details = { folder: resolve(folder), head: manifest.auditHead, directory: manifest.directory.included };
    // While migrations are pending, the backup is not recorded in the audit trail, because the table for the record may be missing.
    // Migrations are pending if a new release makes a backup before it migrates the database.
    if (pending.length === 0) await recordByOperator(database, settings.keys, [{ event: 'backup.made', details }]);
    process.stdout.write(options.json ? json(manifest) : `${summary(folder, manifest)}\n`);
    for (const notice of notices(manifest, settings.dataFolder)) printNotice(notice);
  });
}

function summary(folder: string, { database, files, directory, auditHead, created }: Manifest): string {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  const rows = Object.values(database.tables).reduce((sum, count) => sum + count, 0);
  const kinds = { sqlite: 'SQLite file', pg_dump: 'pg_dump of PostgreSQL', copy: 'copy of the tables of PostgreSQL' };
  return [
    `Backup: ${resolve(folder)}, made ${created}`,
    `  ${kinds[database.kind]}, ${grouped(rows)} rows; ${files.length} files, ${grouped(Math.ceil(bytes / 1024))} KiB`,
    `  directory: ${directory.included ? `with the files of ${directory.current?.id ?? 'no snapshot'}` : 'without its files'}`,
    ...(auditHead ? [`  head of the audit trail: ${auditHead}`] : []),
  ].join('\n');
}

function notices({ keys, directory }: Manifest, dataFolder: string): string[] {
  const all: string[] = [];
  if (keys.encrypted && keys.secrets.length === 0) {
    all.push(
      'The secret that is set here does not open the keys of the database: a restore cannot tell whether it has the right one.',
    );
  }
  if (keys.fileIncluded)
    all.push('The backup holds key-secret: whoever has it can sign tokens. Protect it like a key.');
  else if (keys.encrypted) {
    const kept = process.env['HYGIE_KEY_SECRET']
      ? 'HYGIE_KEY_SECRET'
      : process.env['HYGIE_KEY_SECRET_FILE'] && 'the file that HYGIE_KEY_SECRET_FILE names';
    all.push(
      `NOT in the backup: the secret of the keys, without which it cannot be restored (fingerprint ${keys.secrets.join(', ') || 'unknown'}). Keep ${kept || `${dataFolder}/key-secret`} somewhere else, as long as this backup.`,
    );
  }
  if (!directory.included && directory.current) all.push('NOT in the backup: the directory (--with-directory).');
  return all;
}

async function verify(folder: string, options: BackupOptions): Promise<void> {
  if (options['with-directory'] || options['with-key'] || options.format !== undefined) {
    throw new UsageError('--verify takes no other options than --unsealed, --notify and --json.');
  }
  const settings = await loadSettings(process.env);
  const unsealed = options.unsealed === true;
  const found = await withProgress((onProgress) => verifyBackup(folder, settings, onProgress, { unsealed }));
  const needed = await secretNeeded(found.manifest, settings.keys.secrets);
  // A machine that only keeps copies of backups has no secret, and cannot tell whether the backup can be decrypted. So the missing secret
  // is only a notice there. Elsewhere it is a fault.
  if (needed !== undefined) (settings.keys.secrets.length > 0 ? found.faults : found.notices).push(needed);
  if (options.json) {
    const { faults, notices: unsure, manifest } = found;
    process.stdout.write(json({ sound: faults.length === 0, faults, notices: unsure, manifest }));
  }
  report(folder, found, options.json === true);
  await recordVerified(folder, settings);
}

/**
 * Records the verification in the database of the service, so that the service can report how long ago the last one was. Does nothing on a
 * machine that only keeps copies of backups, because it has no such database.
 */
async function recordVerified(folder: string, { database: place }: Settings): Promise<void> {
  if (isAbsent(place)) return;
  await withDatabase(async (database, { keys }) => {
    const { applied, pending } = await migrationStatus(database);
    if (applied.length === 0 || pending.length > 0) return;
    // The record must be sealed with the secret of the service, because another secret would break the seals of the trail. If that secret
    // is not set here, nothing is recorded.
    const sealing = await secretsOf(await openServiceKeys(database).list(), keys.secrets.slice(0, 1));
    if (sealing.secrets.length === 0) return;
    await recordByOperator(database, keys, [{ event: 'backup.verified', details: { folder: resolve(folder) } }]);
  }).catch((failed: Error) => printNotice(`The audit trail has no record of it: ${failed.message}`));
}

function report(folder: string, { faults, notices: unsure, manifest }: VerifiedBackup, asJson: boolean): void {
  if (faults.length > 0)
    throw new Refusal([`The backup ${folder} is not sound.`, ...faults.map((fault) => `  ${fault}`)]);
  if (!asJson) process.stdout.write(`The backup is sound.\n${summary(folder, manifest)}\n`);
  for (const notice of unsure) printNotice(notice);
}
