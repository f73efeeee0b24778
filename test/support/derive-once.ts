// Loaded for its effect: a process derives the key of a secret and a salt once (`shared/crypto/encryption.ts`: some 60 ms of a core), as an
// operator's commands do in a process each. Passwords and secrets of clients cost what they do (`hash-cost.ts`).

import type { scrypt } from 'node:crypto';
import { replaceBuiltin } from './replace-builtin.ts';

/** Those of `encryption.ts` alone: passwords have another `p` and N. */
const ENCRYPTION = { N: 32_768, p: 1 };

replaceBuiltin<(...args: Parameters<typeof scrypt>) => void>('node:crypto', 'scrypt', (original) => {
  const known = new Map<string, Buffer>();
  return (secret, salt, length, options, done) => {
    if (options.N !== ENCRYPTION.N || options.p !== ENCRYPTION.p) return original(secret, salt, length, options, done);
    const name = JSON.stringify([String(secret), Buffer.from(salt as Buffer).toString('hex'), length, options]);
    const key = known.get(name);
    // Later, as the original, and a key of its own: whoever gets it may overwrite it.
    if (key) return void setImmediate(done, null, Buffer.from(key));
    original(secret, salt, length, options, (error, derived) => {
      if (!error) known.set(name, Buffer.from(derived));
      done(error, derived);
    });
  };
});
