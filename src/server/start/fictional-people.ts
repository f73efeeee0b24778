// Recognises the fictional people of the demonstration, and keeps them and real people apart: production refuses the data of a
// demonstration, and a sandbox refuses everybody else.

import type { Settings } from '#config/settings.ts';
import type { ImportOptions } from '#import/import-options.ts';
import type { Snapshot } from '#search-index/index.ts';
import { DEMO_ACCOUNTS } from '#seeds/demo-accounts.ts';
import { counted, hygie, Refusal } from '#shared/operator-messages.ts';
import { loginOf } from '#store/accounts/account-row.ts';
import { openAccounts } from '#store/accounts/accounts.ts';
import type { SecondFactors } from '#store/accounts/factors/second-factors.ts';
import { countRows, type Database } from '#store/database/connection.ts';
import { isSandbox, markSandbox } from '#store/database/sandbox-mark.ts';
import type { Consents } from '#store/oidc/consents.ts';
import { readSnapshot } from '#store/snapshots/folder.ts';
import { findCurrentSnapshot, type SnapshotEntry } from '#store/snapshots/registry.ts';

/** Checks whether fictional people are refused. Production refuses them, but a sandbox does not, because it has no other people. */
export function refusesFictionalPeople({ mode, sandbox }: Pick<Settings, 'mode' | 'sandbox'>): boolean {
  return mode === 'production' && !sandbox;
}

/**
 * Makes a function that recognises shared accounts by id or login. They are the fictional people of a sandbox, as whom everybody may sign
 * in.
 */
export function sharedPeople({ sandbox }: Pick<Settings, 'sandbox'>): (idOrLogin: string) => boolean {
  const shared = new Set(sandbox ? DEMO_ACCOUNTS.flatMap(({ id, email }) => [id, email]) : []);
  return (idOrLogin) => shared.has(idOrLogin.trim().toLowerCase());
}

/** Prevents a second factor for a shared person, which would lock out all other visitors. */
export function keepFactors<Factors extends Pick<SecondFactors, 'setUp'>>(
  factors: Factors,
  isShared: (accountId: string) => boolean,
): Factors {
  const setUp: SecondFactors['setUp'] = async (accountId, ...more) =>
    isShared(accountId) ? undefined : factors.setUp(accountId, ...more);
  return { ...factors, setUp };
}

/** Limits consents of shared people to one session, so that a visitor neither finds nor revokes the consents of others. */
export function keepConsents(consents: Consents, isShared: (accountId: string) => boolean): Consents {
  return {
    ...consents,
    find: async (accountId, ...more) => (isShared(accountId) ? [] : consents.find(accountId, ...more)),
    give: async (accountId, ...more) => (isShared(accountId) ? undefined : consents.give(accountId, ...more)),
  };
}

/** Returns options by which an import in production refuses fictional people, because the next start would refuse them anyway. */
export function onlyRealPeople(settings: Pick<Settings, 'mode' | 'sandbox'>): Pick<ImportOptions, 'checkPeople'> {
  if (!refusesFictionalPeople(settings)) return {};
  return {
    checkPeople: async (snapshot) =>
      (await isFictional(snapshot))
        ? 'these are the fictional people of the demonstration, which production refuses. Remedy: import the registers.'
        : undefined,
  };
}

/**
 * Checks whether a registered snapshot holds the fictional people. Returns false for a snapshot that cannot be read, because nobody can
 * serve it.
 */
export async function holdsFictionalPeople(
  entry: SnapshotEntry | undefined,
  { dataFolder }: Pick<Settings, 'dataFolder'>,
): Promise<boolean> {
  return (await readSnapshot(entry, dataFolder, isFictional)) ?? false;
}

// Fictional people are recognised by the ids of their records, because nobody else has these ids. They are the same in every release of the
// demonstration's directory, and whatever `namespace` the settings have. This also works if fictional and real files were imported
// together.
async function isFictional(snapshot: Snapshot): Promise<boolean> {
  const ids = DEMO_ACCOUNTS.flatMap(({ practitioners }) => practitioners ?? []);
  const read = await Promise.all(ids.map((id) => snapshot.read('Practitioner', id)));
  return read.some((practitioner) => practitioner !== undefined);
}

const START_AFRESH =
  'Or start afresh: with an empty folder in HYGIE_DATA and, if DATABASE_URL is set, an empty database.';

const OF_A_SANDBOX = [
  'The database is that of a sandbox: everybody in it is fictional.',
  '  Remedy: set HYGIE_SANDBOX=1, or DATABASE_URL and HYGIE_DATA to those of production.',
];

/**
 * Throws a `Refusal` with every reason if production finds demo people, or a sandbox finds real ones. Production refuses demo people,
 * because their password is published, and nobody in their directory exists. A sandbox refuses real people, because everybody may sign in
 * as anybody. A sandbox marks the database that it accepts. Needs a migrated database.
 */
export async function keepSandboxApart(database: Database, settings: Settings): Promise<void> {
  if (settings.sandbox) return markAsSandbox(database, settings);
  if (settings.mode !== 'production') return;
  // If the database has the mark of a sandbox, no other reason is reported, because the remedies for other reasons would not help.
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
  if (others > 0) found.push(counted(others, 'account'));
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
