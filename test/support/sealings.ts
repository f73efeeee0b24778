// Sealings of test secrets, each made once for a file: deriving the key of one takes longer than most tests that need it.

import { createSealing, type Sealing } from '../../src/shared/crypto/encryption.ts';

const sealings = new Map<string, Sealing>();

/** As `createSealing`. */
export function sealingWith(secrets: readonly string[]): Sealing {
  const name = JSON.stringify(secrets);
  const sealing = sealings.get(name) ?? createSealing(secrets);
  sealings.set(name, sealing);
  return sealing;
}
