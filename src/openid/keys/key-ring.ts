// Holds the current keys while the service runs. It reads the stored keys every second. So it soon uses changes that other instances or
// commands have made, and keys that have reached their activation time. Once a minute, it rotates the keys that are due and removes those
// that are `done`.

import { DecryptionError, isEncrypted } from '#shared/crypto/encryption.ts';
import type { Logger } from '#shared/log/log.ts';
import { repeat, sparingly } from '#shared/promises.ts';
import { epochSeconds } from '#store/database/connection.ts';
import type { ServiceKey } from '#store/oidc/service-keys.ts';
import {
  correctActivationTimes,
  createMissingKeys,
  currentPlan,
  encryptionContext,
  encryptKeys,
  type KeyChange,
  type KeyVault,
  pruneKeys,
  rotateKeys,
} from './key-changes.ts';
import { dueForRotation, type PlannedKey, type ProviderKeys, planKeys, providerKeys } from './key-plan.ts';

export type KeyRing = Awaited<ReturnType<typeof openKeyRing>>;

interface KeyRingOptions {
  vault: KeyVault;
  /** Seconds after which a key is replaced (`keys.rotateAfter`). If it is 0, only a command replaces keys. */
  rotateAfter: number;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** Called with each change that the key ring itself makes. */
  changed?(change: KeyChange): void;
}

/** Milliseconds between two readings of the stored keys. */
const LOOK_EVERY = 1000;
/** Once in this number of readings, the keys that are due are rotated, and the keys that are `done` are removed. */
const SCHEDULE_EVERY = 60;

/** Opens the current keys. First creates a key of each kind that has none. Throws `DecryptionError` if a key cannot be read. */
export async function openKeyRing(options: KeyRingOptions) {
  const { vault, log } = options;
  const report = (changes: readonly KeyChange[]) => {
    for (const change of changes) {
      if (change.what !== 'waits') options.changed?.(change);
    }
  };
  report(await createMissingKeys(vault));
  const opened = new Map<string, string>();
  const unreadable = new Set<string>();
  const listeners: ((keys: ProviderKeys) => void)[] = [];

  const read = async (unreadableKey: (key: ServiceKey, error: DecryptionError) => void): Promise<PlannedKey[]> => {
    const stored = await vault.keys.list();
    for (const key of stored) {
      // The material of a key never changes, even if the key is encrypted anew. So each key is decrypted only once.
      if (opened.has(key.id) || unreadable.has(key.id)) continue;
      try {
        opened.set(key.id, await vault.encryption.decrypt(key.material, encryptionContext(key)));
      } catch (error) {
        if (!(error instanceof DecryptionError)) throw error;
        unreadable.add(key.id);
        unreadableKey(key, error);
      }
    }
    const known = stored.flatMap((key) => {
      const material = opened.get(key.id);
      return material === undefined ? [] : [{ ...key, material }];
    });
    return planKeys(known, epochSeconds(), vault.times);
  };
  const refuse = (_key: ServiceKey, error: DecryptionError) => {
    throw error;
  };
  const doWithout = ({ id, kind }: ServiceKey, { message }: DecryptionError) => {
    const remedy = 'start this instance again with the secret of the others (HYGIE_KEY_SECRET)';
    log.error({ key: id, kind }, `a new key cannot be read: ${message}; ${remedy}`);
  };

  let keys = providerKeys(await read(refuse));
  let mark = JSON.stringify(keys);
  let looks = 0;
  const look = async () => {
    const plan = await read(doWithout);
    const found = providerKeys(plan);
    const seen = JSON.stringify(found);
    if (seen !== mark && found.signing.length > 0 && found.cookies.length > 0) {
      keys = found;
      mark = seen;
      log.info({ keys: found.signing.map(({ kid }) => kid) }, 'other keys are in force');
      for (const listener of listeners) listener(keys);
    }
    looks += 1;
    if (looks % SCHEDULE_EVERY !== 1) return;
    // The next steps use all stored keys, including those that this instance cannot read, because an unreadable key may be the successor of
    // another key.
    const all = await currentPlan(vault);
    for (const { id, kind, activeAt } of await correctActivationTimes(vault, all)) {
      log.warn({ key: id, kind, activeAt }, 'a key was to be used years ahead: the clock was wrong when it was made');
    }
    // Keys in plain text were stored by an instance without an encryption secret. If this instance has a secret, it encrypts them.
    if (all.some(({ material }) => !isEncrypted(material))) report(await encryptKeys(vault));
    const due = dueForRotation(all, options.rotateAfter, epochSeconds());
    if (due.length > 0) report(await rotateKeys(vault, due));
    if (plan.some(({ state }) => state === 'done')) report(await pruneKeys(vault));
  };

  // If a reading fails, the current keys stay in use.
  const failed = sparingly((err) => log.warn({ err }, 'the keys could not be looked at'));
  const watch = repeat(look, LOOK_EVERY, failed);
  return {
    /** Returns the keys in force: those that sign now, and those that verify older signatures. */
    current: () => keys,
    /** Calls `listener` with the new keys whenever the keys in force change. */
    onChange: (listener: (keys: ProviderKeys) => void): void => void listeners.push(listener),
    /** Reads the stored keys now, and does not wait for the next reading. */
    look: () => watch.now().catch(failed),
    close: watch.stop,
  };
}
