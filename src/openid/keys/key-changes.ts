// Creates, rotates, activates, removes and encrypts the keys in the database that all instances share. `key-plan.ts` decides how long each
// kind of key waits, signs and stays published.

import type { Encryption } from '#shared/crypto/encryption.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { KEY_KINDS, type KeyKind, type ServiceKey, type ServiceKeys } from '#store/oidc/service-keys.ts';
import { type KeyTimes, newKey, type PlannedKey, planKeys, usableFrom } from './key-plan.ts';

export interface KeyVault {
  keys: ServiceKeys;
  encryption: Encryption;
  times: KeyTimes;
}

/**
 * Maximum seconds from the usual activation time (`usableFrom`) to the activation time of a key. If the activation is later, the clock was
 * wrong when the key was made.
 */
const FAR_AHEAD = 86_400;
/**
 * Seconds within which all running instances publish a new key. Each instance reads the stored keys every second. The other two seconds are
 * for readings that take long.
 */
const PUBLISHED_WITHIN = 3;

/** A change of one key. */
export interface KeyChange {
  what: 'created' | 'waits' | 'active' | 'removed' | 'encrypted';
  kind: KeyKind;
  id: string;
  /** Time from which the new key is used, in seconds since 1970. */
  activeAt?: number;
}

/** Returns each key with its present state. The material of a key is returned as it is stored, so it may be encrypted. */
export async function currentPlan({ keys, times }: KeyVault): Promise<PlannedKey[]> {
  return planKeys(await keys.list(), epochSeconds(), times);
}

/**
 * Makes a first key of each kind that has none. Such a key is used at once, because no older key could be used until relying parties know
 * the new one. All kinds exist from the first start, so that an operator can change the algorithm of a client and need not wait until
 * relying parties have read a new key. Throws `DecryptionError` if another instance has made keys with another secret, because no instance
 * could then read all keys.
 */
export async function createMissingKeys(vault: KeyVault): Promise<KeyChange[]> {
  const present = new Set((await vault.keys.list()).map(({ kind }) => kind));
  const changes: KeyChange[] = [];
  for (const kind of KEY_KINDS) {
    if (present.has(kind)) continue;
    const change = await addKey(vault, kind, undefined, epochSeconds(), (stored) => decryptAll(vault, stored));
    if (change) changes.push({ ...change, what: 'created' });
  }
  return changes;
}

/**
 * Publishes a new key of each given kind. A new key is used as soon as every relying party can know it. A kind gets no further key while
 * its newest key is still waiting. With `now`, the new or waiting key of each kind is used as soon as all instances publish it.
 */
export async function rotateKeys(vault: KeyVault, kinds: readonly KeyKind[], now = false): Promise<KeyChange[]> {
  const changes: KeyChange[] = [];
  const plan = await currentPlan(vault);
  for (const kind of kinds) {
    const newest = plan.find((key) => key.kind === kind);
    const soonest = epochSeconds() + PUBLISHED_WITHIN;
    if (newest?.state === 'waiting') {
      const { id } = newest;
      const hastened = now && newest.activeAt > soonest;
      if (hastened) await vault.keys.activate(id, soonest);
      changes.push({ what: hastened ? 'active' : 'waits', kind, id, activeAt: hastened ? soonest : newest.activeAt });
      continue;
    }
    // The first key of a kind is used at once, because no older key could be used until relying parties know the new one.
    const usual = newest === undefined ? epochSeconds() : usableFrom(epochSeconds(), vault.times);
    const change = await addKey(vault, kind, newest?.id, now ? Math.min(soonest, usual) : usual);
    if (change) changes.push(change);
  }
  return changes;
}

/**
 * Corrects activation times that are more than a day later than usual. They were set by a clock that was ahead and has been corrected
 * since. Without this correction, such a key would wait for years, and so would every key after it.
 */
export async function correctActivationTimes(vault: KeyVault, plan: readonly PlannedKey[]): Promise<KeyChange[]> {
  const now = epochSeconds();
  const soon = usableFrom(now, vault.times);
  const changes: KeyChange[] = [];
  for (const { id, kind, state, activeAt } of plan) {
    if (activeAt <= soon + FAR_AHEAD) continue;
    // If such a key is not waiting, it is in use already, because its kind has no other key. So its activation time becomes now.
    const at = state === 'waiting' ? soon : now;
    await vault.keys.activate(id, at);
    changes.push({ what: 'waits', kind, id, activeAt: at });
  }
  return changes;
}

/** Removes the keys that are `done`, because nothing that they signed is valid any more. */
export async function pruneKeys(vault: KeyVault): Promise<KeyChange[]> {
  return removeKeys(
    vault,
    (await currentPlan(vault)).filter(({ state }) => state === 'done'),
  );
}

/** Removes the given keys, even if something that they signed is still valid. */
export async function removeKeys({ keys }: KeyVault, gone: readonly PlannedKey[]): Promise<KeyChange[]> {
  const changes: KeyChange[] = [];
  for (const { id, kind } of gone) if ((await keys.remove([id])) > 0) changes.push({ what: 'removed', kind, id });
  return changes;
}

/**
 * Encrypts with the present secret each key that is not encrypted with it yet. If a key cannot be decrypted, throws `DecryptionError` and
 * changes nothing.
 */
export async function encryptKeys({ keys, encryption }: KeyVault): Promise<KeyChange[]> {
  const opened: { key: ServiceKey; material: string }[] = [];
  for (const key of await keys.list()) {
    const material = await encryption.decrypt(key.material, encryptionContext(key));
    if (!(await encryption.isCurrent(key.material, encryptionContext(key)))) opened.push({ key, material });
  }
  const changes: KeyChange[] = [];
  for (const { key, material } of opened) {
    const rewritten = await keys.rewrite(key, await encryption.encrypt(material, encryptionContext(key)));
    if (rewritten) changes.push({ what: 'encrypted', kind: key.kind, id: key.id });
  }
  return changes;
}

/**
 * Returns the context to which the encryption of a key is bound. So an encrypted key cannot be decrypted if somebody stores it in the place
 * of another key.
 */
export function encryptionContext({ kind, id }: Pick<ServiceKey, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

async function addKey(
  { keys, encryption }: KeyVault,
  kind: KeyKind,
  after: string | undefined,
  activeAt: number,
  check?: (stored: ServiceKey[]) => Promise<void>,
): Promise<KeyChange | undefined> {
  const made = await newKey(kind);
  const material = await encryption.encrypt(made.material, encryptionContext(made));
  const added = await keys.add({ ...made, material, activeAt }, after, check);
  return added ? { what: 'created', kind, id: made.id, activeAt } : undefined;
}

async function decryptAll({ encryption }: KeyVault, stored: readonly ServiceKey[]): Promise<void> {
  await Promise.all(stored.map((key) => encryption.decrypt(key.material, encryptionContext(key))));
}
