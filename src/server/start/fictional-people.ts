// Recognises the fictional people of the demonstration in a directory. Production refuses them.

import type { Settings } from '#config/settings.ts';
import type { ImportOptions } from '#import/import-options.ts';
import type { Snapshot } from '#search-index/index.ts';
import { DEMO_ACCOUNTS } from '#seeds/demo-accounts.ts';
import type { SecondFactors } from '#store/accounts/factors/second-factors.ts';
import type { Consents } from '#store/oidc/consents.ts';
import { readSnapshot } from '#store/snapshots/folder.ts';
import type { SnapshotEntry } from '#store/snapshots/registry.ts';

/** Checks whether fictional people are refused. Production refuses them, unless it is a sandbox, which has no other people. */
export function refusesFictionalPeople({ mode, sandbox }: Pick<Settings, 'mode' | 'sandbox'>): boolean {
  return mode === 'production' && !sandbox;
}

/** Makes a function that recognises accounts that everybody shares, by id or login. They are the fictional people of a sandbox. */
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

/** Returns options by which an import refuses fictional people in production. The next start would refuse them, too. */
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

// The people themselves are looked for, because nobody else has their numbers. That works for every release of the shipped edition, for
// every namespace, and for an import of fictional and real files together.
async function isFictional(snapshot: Snapshot): Promise<boolean> {
  const ids = DEMO_ACCOUNTS.flatMap(({ practitioners }) => practitioners ?? []);
  const read = await Promise.all(ids.map((id) => snapshot.read('Practitioner', id)));
  return read.some((practitioner) => practitioner !== undefined);
}
