// Encryptions of test secrets, each made once for a file: deriving the key of one takes longer than most tests that need it.

import { createEncryption, type Encryption } from '#shared/crypto/encryption.ts';

const encryptions = new Map<string, Encryption>();

/** As `createEncryption`. */
export function encryptionWith(secrets: readonly string[]): Encryption {
  const name = JSON.stringify(secrets);
  const encryption = encryptions.get(name) ?? createEncryption(secrets);
  encryptions.set(name, encryption);
  return encryption;
}
