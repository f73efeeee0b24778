// Completes a restored database of either engine: migrates it to the newest schema, ends sessions, and adds the record to the audit trail.

import type { Settings } from '#config/settings.ts';
import { recordByOperator } from '#server/audit/operator-audit.ts';
import { endAllSessions, openAccounts } from '#store/accounts/accounts.ts';
import type { Database } from '#store/database/connection.ts';
import { migrate } from '#store/database/migrate.ts';
import { openServiceKeys } from '#store/oidc/service-keys.ts';
import type { Manifest } from './manifest.ts';

export interface Completed {
  /** Names of the migrations that the backup lacked. */
  migrations: string[];
  /** Number of ended sessions; absent if sessions continue. */
  endedSessions?: number;
}

interface CompleteOptions {
  settings: Pick<Settings, 'keys'>;
  endSessions: boolean;
  lostSecret: boolean;
}

export async function completeRestore(
  database: Database,
  { settings, endSessions, lostSecret }: CompleteOptions,
  { created, hygie, auditHead }: Manifest,
): Promise<Completed> {
  const migrations = await migrate(database);
  const ended = endSessions ? (await endAllSessions(openAccounts(database))).sessions : undefined;
  // If nobody can decrypt the keys, they are removed, as `keys list` advises. The service makes new keys at its next start.
  if (lostSecret) {
    const keys = openServiceKeys(database);
    await keys.remove((await keys.list()).map(({ id }) => id));
  }
  const details = {
    made: created,
    version: hygie,
    head: auditHead,
    sessionsEnded: ended,
    ...(lostSecret && { lostSecret }),
  };
  await recordByOperator(database, settings.keys, [{ event: 'restore.done', details }]);
  return { migrations, ...(ended !== undefined && { endedSessions: ended }) };
}
