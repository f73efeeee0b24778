// Keeps fictional and real people apart: production refuses the data of a demonstration, and a sandbox refuses everybody else.

import type { Settings } from '#config/settings.ts';
import { DEMO_ACCOUNTS } from '#seeds/demo-accounts.ts';
import { hygie, Refusal } from '#shared/operator-messages.ts';
import { loginOf } from '#store/accounts/account-row.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import { countRows, type Database } from '#store/database/connection.ts';
import { isSandbox, markSandbox } from '#store/database/sandbox-mark.ts';
import { findCurrentSnapshot } from '#store/snapshots/registry.ts';
import { holdsFictionalPeople } from './fictional-people.ts';

const START_AFRESH =
  'Or start afresh: with an empty folder in HYGIE_DATA and, if DATABASE_URL is set, an empty database.';

const OF_A_SANDBOX = [
  'The database is that of a sandbox: everybody in it is fictional.',
  '  Remedy: set HYGIE_SANDBOX=1, or DATABASE_URL and HYGIE_DATA to those of production.',
];

/**
 * Throws a `Refusal` with every reason. Production refuses demo people, because their password is published, and nobody in their directory
 * exists. A sandbox refuses real people, because everybody may sign in as anybody. Needs a migrated database. A sandbox marks the database
 * that it may use.
 */
export async function keepSandboxApart(database: Database, settings: Settings): Promise<void> {
  if (settings.sandbox) return markAsSandbox(database, settings);
  if (settings.mode !== 'production') return;
  // The mark alone is reported, because the remedies for the other reasons would not help.
  if (await isSandbox(database)) throw new Refusal([...OF_A_SANDBOX, START_AFRESH]);
  const reasons: string[] = [];
  const accounts = openAccounts(database);
  const found = await Promise.all(DEMO_ACCOUNTS.map(({ id }) => accounts.find(id)));
  const people = found.flatMap((account) => (account?.status === 'active' ? [loginOf(account)] : []));
  if (people.length > 0) {
    reasons.push(
      `Demo accounts can sign in here, with a password that everybody knows: ${people.join(', ')}`,
      `  Remedy: run \`${hygie('accounts disable EMAIL')}\` for each of them.`,
    );
  }
  if (await holdsFictionalPeople(await findCurrentSnapshot(database), settings)) {
    reasons.push(
      'The directory holds the fictional people of the demonstration.',
      `  Remedy: import the real registers with \`${hygie('directory import --accept other-people PATH...')}\`.`,
    );
  }
  if (reasons.length === 0) return;
  throw new Refusal(['Production refuses what a demonstration left in its data.', ...reasons, START_AFRESH]);
}

/**
 * Throws a `Refusal` if a command in production would write to the database of a sandbox, or a command in a sandbox to a database with
 * other data.
 */
export async function refuseForeignDatabase(database: Database, settings: Settings): Promise<void> {
  if (settings.sandbox) return markAsSandbox(database, settings);
  if (settings.mode === 'production' && (await isSandbox(database))) throw new Refusal(OF_A_SANDBOX);
}

async function markAsSandbox(database: Database, settings: Settings): Promise<void> {
  if (await isSandbox(database)) return;
  const fictional = DEMO_ACCOUNTS.map(({ id }) => id);
  const others = await countRows(database('accounts').whereNotIn('id', fictional));
  const current = await findCurrentSnapshot(database);
  const found: string[] = [];
  if (others > 0) found.push(`${others} ${others === 1 ? 'account' : 'accounts'}`);
  if (current !== undefined && !(await holdsFictionalPeople(current, settings))) found.push('a directory');
  if (found.length > 0) {
    throw new Refusal([
      `A sandbox refuses this database: it has ${found.join(' and ')} that a sandbox did not make, perhaps of real people.`,
      '  Remedy: remove HYGIE_SANDBOX, or give the sandbox data of its own.',
      START_AFRESH,
    ]);
  }
  await markSandbox(database);
}
