// Derives a key once in a process. Tests open the same secrets and check the same passwords again and again, each for a tenth of a second of
// a processor. The result is the same, and it comes as late as any answer of the event loop.

import crypto, { type BinaryLike, type ScryptOptions } from 'node:crypto';

type Done = (error: Error | null, key: Buffer) => void;

const { scrypt } = crypto;
const derived = new Map<string, Buffer>();

const named = (input: BinaryLike) =>
  typeof input === 'string' ? input : [Buffer.from(input as Buffer).toString('hex')];

crypto.scrypt = ((password: BinaryLike, salt: BinaryLike, bytes: number, options: ScryptOptions, done: Done) => {
  const name = JSON.stringify([named(password), named(salt), bytes, options]);
  const known = derived.get(name);
  if (known) return void setImmediate(done, null, Buffer.from(known));
  scrypt(password, salt, bytes, options, (error, key) => {
    if (!error) derived.set(name, Buffer.from(key));
    done(error, key);
  });
}) as typeof scrypt;
