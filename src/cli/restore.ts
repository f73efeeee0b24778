// The command `restore`: restores a backup into an empty folder and database (`server/backup/restore-backup.ts`).

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadSettings } from '#config/index.ts';
import type { Settings } from '#config/settings.ts';
import { CONFIGURATION } from '#server/backup/make-backup.ts';
import { type RestoreReport, restoreBackup } from '#server/backup/restore-backup.ts';
import { printDatabase } from '#server/open-database.ts';
import { counted, hygie, printNotice } from '#shared/operator-messages.ts';
import { action, type Command, flag, type Values } from './support/command.ts';
import { JSON_OPTION, json } from './support/output.ts';
import { withProgress } from './support/progress.ts';

const OPTIONS = {
  'end-sessions': flag(
    'Ends all sessions and tokens of people, and links in mails (invitations, new passwords). By default all of them are valid again as at the time of the backup, even if they were ended or used since. Use this option after an incident, or if in doubt.',
  ),
  'lost-secret': flag(
    'For a lost secret of the keys. The start makes new keys, everybody has to sign in again, and second factors must be removed (`keys list` names them). Needs a new HYGIE_KEY_SECRET or key-secret.',
  ),
  unsealed: flag(
    'Accepts a backup without a seal by the current secret: it was made elsewhere, or before there was a secret. Anybody with write access may have changed it, including passwords and passkeys.',
  ),
  json: JSON_OPTION,
} as const;

export const restoreCommand: Command = {
  name: 'restore',
  summary: 'Restores a backup into an empty place',
  action: action({
    args: { DIR: 'Folder that `backup` has made.' },
    options: OPTIONS,
    text: `
Verifies a backup and restores it into a place without a database file or tables, and without directory snapshots. It restores everything or nothing, and refuses a backup of a newer release. If the command is interrupted, run it again: until then the service does not start there.
Set the variables of the service first: HYGIE_DATA (a new folder), DATABASE_URL (an empty database, for a backup of PostgreSQL; a backup of SQLite can be restored there, too), and HYGIE_KEY_SECRET, or put the file key-secret into HYGIE_DATA. The configuration is not touched: copy ${CONFIGURATION}/ of the backup where it belongs.`,
    run: restore,
  }),
  examples: [
    ['restore /backup/2026-11-23', 'as it was then'],
    ['restore /backup/2026-11-23 --end-sessions', 'after an incident: everybody signs in anew'],
  ],
};

async function restore(values: Values<typeof OPTIONS>, [folder = '']: readonly string[]): Promise<void> {
  const settings = await loadSettings(process.env);
  printDatabase(settings);
  const { 'end-sessions': endSessions = false, 'lost-secret': lostSecret = false } = values;
  const unsealed = values.unsealed === true || lostSecret;
  const report = await withProgress((onProgress, say) =>
    restoreBackup({ folder, settings, endSessions, lostSecret, unsealed, onProgress, say }),
  );
  const { manifest, migrations, endedSessions } = report;
  process.stdout.write(
    values.json
      ? json({ restored: true, migrations, endedSessions, manifest })
      : `Restored: ${folder}, made ${manifest.created}\n${lines(report).join('\n')}\n`,
  );
  for (const notice of [...report.notices, ...(await notices(folder, report, settings))]) printNotice(notice);
}

function lines({ manifest, migrations, endedSessions }: RestoreReport): string[] {
  const { auditHead, directory } = manifest;
  return [
    ...(migrations.length > 0 ? [`  migrated: ${counted(migrations.length, 'migration')}`] : []),
    `  sessions: ${endedSessions === undefined ? 'as they were' : `${endedSessions} ended, with all tokens`}`,
    `  directory: ${directory.included ? (directory.current?.id ?? 'none was imported') : 'without its files'}`,
    ...(auditHead ? [`  check the audit trail: ${hygie`audit verify --head ${auditHead}`}`] : []),
  ];
}

async function notices(
  folder: string,
  { manifest, endedSessions }: RestoreReport,
  settings: Settings,
): Promise<string[]> {
  const all: string[] = [];
  if (manifest.keys.encrypted && manifest.keys.secrets.length === 0) {
    all.push('It is not known whether the secret of the keys is the right one. If it is not, the start says so.');
  }
  if (!manifest.directory.included && manifest.directory.current) {
    all.push(`The directory cannot be searched before its edition is imported: ${hygie('directory import PATH...')}`);
  }
  if (endedSessions === undefined) {
    all.push(
      'Sessions, tokens and accounts are as they were then: what was ended, disabled or deleted since is back (--end-sessions).',
    );
  }
  if (manifest.directory.current) {
    all.push(`What was hidden in the directory since the backup is shown again: ${hygie('directory corrections')}`);
  }
  if (manifest.issuer !== settings.issuer) {
    all.push(
      `The backup is of ${manifest.issuer}, but issuer is ${settings.issuer} here: its tokens and passkeys are not valid here.`,
    );
  }
  const differ: string[] = [];
  for (const { path } of manifest.files.filter((file) => file.path.startsWith(`${CONFIGURATION}/`))) {
    const own = join(settings.configFolder, path.slice(CONFIGURATION.length + 1));
    const [then, now] = await Promise.all(
      [join(folder, path), own].map((file) => readFile(file, 'utf8').catch(() => undefined)),
    );
    if (then !== now) differ.push(own);
  }
  if (differ.length > 0)
    all.push(
      `Files that differ from the backup (${folder}/${CONFIGURATION}): ${differ.join(', ')}. They were not touched.`,
    );
  return all;
}
