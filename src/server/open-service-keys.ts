// Opens the service's keys with the secrets and lifetimes of the settings, and explains keys that cannot be decrypted.

import type { Settings } from '#config/settings.ts';
import type { KeyVault } from '#openid/keys/key-changes.ts';
import { type KeyRing, openKeyRing } from '#openid/keys/key-ring.ts';
import { DEVICE_COOKIE_LIFETIME } from '#openid/sign-in/device-cookies.ts';
import type { AuditTrail } from '#shared/audit/events.ts';
import { createEncryption, DecryptionError } from '#shared/crypto/encryption.ts';
import type { Logger } from '#shared/log/log.ts';
import { hygie, Refusal } from '#shared/operator-messages.ts';
import type { Database } from '#store/database/connection.ts';
import { openServiceKeys } from '#store/oidc/service-keys.ts';
import { keyEvent } from './audit/operator-audit.ts';
import type { Closers } from './process/closers.ts';

/** Opens the keys of a migrated database. */
export function openKeyVault(database: Database, { keys, lifetimes }: Pick<Settings, 'keys' | 'lifetimes'>): KeyVault {
  return {
    keys: openServiceKeys(database),
    encryption: createEncryption(keys.secrets),
    times: { cachedFor: keys.cachedFor, session: lifetimes.session, deviceCookie: DEVICE_COOKIE_LIFETIME },
  };
}

interface KeysOptions {
  vault: KeyVault;
  settings: Pick<Settings, 'keys'>;
  log: Logger;
  audit: AuditTrail;
}

/**
 * Opens the ring of the keys in force, which follows changes in the database. Rejects with a `Refusal` if the stored keys cannot be
 * decrypted.
 */
export async function followKeys({ vault, settings, log, audit }: KeysOptions, closers: Closers): Promise<KeyRing> {
  const { rotateAfter } = settings.keys;
  const keys = await openKeyRing({
    vault,
    rotateAfter,
    log,
    changed: (change) => void audit.record(keyEvent(change)),
  }).catch((error: unknown) => {
    throw error instanceof DecryptionError ? unreadableKeys(error) : error;
  });
  closers.add(keys.close);
  return keys;
}

/** Explains to an operator why the keys cannot be decrypted, with the remedy. */
export function unreadableKeys({ reason }: DecryptionError): Refusal {
  return new Refusal(
    reason === 'no-secret'
      ? [
          'The keys in the database are encrypted, and no secret is set.',
          '  Remedy: set HYGIE_KEY_SECRET (or HYGIE_KEY_SECRET_FILE) to the secret that they were encrypted with; or, if that is in the',
          '  file key-secret that the first start of an instance made, put that file into HYGIE_DATA here: all instances need it.',
        ]
      : [
          'The secret that is set does not open the keys in the database: they were encrypted with another one.',
          '  Remedy: set HYGIE_KEY_SECRET to that one; or, to change it, HYGIE_KEY_SECRET_OLD to that one and',
          `  HYGIE_KEY_SECRET to the new one, and run \`${hygie('keys encrypt')}\`. Where instances have data folders of`,
          '  their own: the file key-secret in HYGIE_DATA has to be the same in all of them, unless HYGIE_KEY_SECRET is set.',
        ],
  );
}
