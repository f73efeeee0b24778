// Makes sure that no key is stored in plain text when the service listens (SEC-62). Keys are encrypted with the operator's secret. Without
// one, the service makes a secret of its own, which is in a file of the data folder, and in no dump of the database.

import { rmSync } from 'node:fs';
import { keyFileIn } from '#config/index.ts';
import type { Settings } from '#config/settings.ts';
import { createMissingKeys, encryptKeys, type KeyChange } from '#openid/keys/key-changes.ts';
import { keyEvent, recordAs, SECOND_FACTORS, type SecondFactorsEncrypted } from '#server/audit/operator-audit.ts';
import { openKeyVault, unreadableKeys } from '#server/open-service-keys.ts';
import { DecryptionError, type Encryption, isEncrypted } from '#shared/crypto/encryption.ts';
import { hygie } from '#shared/operator-messages.ts';
import { openSecondFactors } from '#store/accounts/factors/second-factors.ts';
import type { Database } from '#store/database/connection.ts';
import { openServiceKeys } from '#store/oidc/service-keys.ts';
import { takeKeyFile } from './key-file.ts';

const NOW_ENCRYPTED = 'keys were stored in plain text, as by an earlier release: they are encrypted now';

/** Writes to the log of the service, or to the terminal of an operator. */
interface KeysLog {
  info(details: object, message: string): void;
  warn(details: object, message: string): void;
}

/**
 * Makes missing keys and encrypts plain ones. Resolves with the settings, which now also have the secret that encrypts the keys. If keys
 * are encrypted with a secret that this instance lacks, makes no other keys and throws a `Refusal`. Needs a migrated database.
 */
export async function secureKeys(database: Database, settings: Settings, log: KeysLog): Promise<Settings> {
  const stored = await openServiceKeys(database).list();
  const wasPlain = stored.some(({ material }) => !isEncrypted(material));
  const lacking = settings.keys.secrets.length === 0;
  if (lacking && (await anyEncrypted(database))) throw unreadableKeys(new DecryptionError('no-secret'));
  const file = keyFileIn(settings.dataFolder);
  const { secret, made } = lacking ? await takeKeyFile(file) : { made: false };
  const secrets = secret === undefined ? settings.keys.secrets : [secret];
  const secured = { ...settings, keys: { ...settings.keys, secrets } };
  const vault = openKeyVault(database, secured);
  const changes: (KeyChange | SecondFactorsEncrypted)[] = [];
  try {
    changes.push(...(await createMissingKeys(vault)));
    if (wasPlain) changes.push(...(await encryptKeys(vault)));
  } catch (error) {
    if (!(error instanceof DecryptionError)) throw error;
    // Another instance has encrypted the keys first, with the secret of a file of its own. Nothing was encrypted with the secret of the
    // file that was made here, so this file is removed.
    if (made) rmSync(file, { force: true });
    throw unreadableKeys(error);
  }
  if (made) log.info({ file }, 'a secret for the keys was made: it belongs in the backup, apart from the database');
  // On PostgreSQL, secrets of second factors stay plain at the start that encrypts the keys. An instance of an earlier release may be
  // running beside this one, and reads these secrets from the database each time. The keys can be encrypted at once, because that instance
  // has them in memory.
  if (!wasPlain || settings.database.engine === 'sqlite') {
    const count = await encryptSecondFactors(database, vault.encryption, log);
    if (count > 0) changes.push({ what: 'encrypted', kind: SECOND_FACTORS, count });
  }
  const encrypted = changes.filter(({ what }) => what === 'encrypted');
  if (encrypted.length > 0) log.info({ kinds: encrypted.map(({ kind }) => kind) }, NOW_ENCRYPTED);
  await recordAs('service', database, secured.keys, changes.map(keyEvent));
  return secured;
}

async function anyEncrypted(database: Database): Promise<boolean> {
  const keys = await openServiceKeys(database).list();
  const factors: { secret: string }[] = await database('second_factors').select('secret');
  return [...keys.map(({ material }) => material), ...factors.map(({ secret }) => secret)].some(isEncrypted);
}

/**
 * Encrypts the secrets of second factors if some are stored in plain. After a change of the key secret, operators run `keys encrypt`
 * instead, once every instance has both key secrets.
 */
async function encryptSecondFactors(database: Database, encryption: Encryption, log: KeysLog): Promise<number> {
  const factors = openSecondFactors(database, encryption);
  const { plain, closed } = await factors.atRest();
  if (closed.length > 0) {
    // This is only a warning, because the people concerned have recovery codes, and everybody else can use the service.
    log.warn({ accounts: closed.length }, `secrets of second factors cannot be decrypted: see ${hygie('keys list')}`);
    return 0;
  }
  return plain > 0 ? factors.encryptAll() : 0;
}
