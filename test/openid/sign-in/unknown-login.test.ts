// SEC-39: a login that is nobody's costs what a known one does: the same hash at the same cost, and the same wait for it. Counted,
// not timed: each hash is seen as it is asked for, and can be held up.

import * as crypto from 'node:crypto';
import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Authenticate } from '#openid/sign-in/login/authenticate.ts';
import { openedForAll } from '#support/opened.ts';
import { until } from '#support/until.ts';

interface Hash {
  N: number | undefined;
  r: number | undefined;
  p: number | undefined;
  bytes: number;
}
const asked: Hash[] = [];
/** Hashes that are held up go on when this is called. */
let goOn: (() => void) | undefined;
let held: Promise<void> | undefined;
type Scrypt = (secret: string, salt: Buffer, bytes: number, options: Hash, done: () => void) => void;
const scrypt = crypto.scrypt as unknown as Scrypt;
jest.unstable_mockModule('node:crypto', () => ({
  ...crypto,
  default: crypto,
  scrypt: ((secret, salt, bytes, options, done) => {
    const { N, r, p } = options;
    asked.push({ N, r, p, bytes });
    const hash = () => scrypt(secret, salt, bytes, options, done);
    if (held) void held.then(hash);
    else hash();
  }) satisfies Scrypt,
}));
const { hashSecret } = await import('#shared/crypto/secret-hash.ts');
const { createSecretHashing, TooManyHashes } = await import('#shared/crypto/secret-hash.ts');
const { createAuthenticate } = await import('#openid/sign-in/login/authenticate.ts');
const { queueKeyOf } = await import('#shared/fair-queue.ts');
const { openAccounts } = await import('#store/accounts/accounts.ts');
const { openTestDatabase } = await import('#support/databases.ts');
const { LOW_COST } = await import('#support/hash-cost.ts');

const HERE = queueKeyOf('192.0.2.1');
const hashing = createSecretHashing(LOW_COST);

describe('SEC-39 a login', () => {
  let authenticate: Authenticate;
  let passwordHash: string;
  const opened = openedForAll(() => openTestDatabase('sqlite'));
  beforeAll(async () => {
    passwordHash = await hashSecret('tortue violette 87', LOW_COST);
    const accounts = openAccounts(opened.database);
    await accounts.create([
      { email: 'known@clinic.example', name: 'Known', passwordHash },
      { email: 'invited@clinic.example', name: 'Invited' },
    ]);
    authenticate = createAuthenticate(accounts, hashing);
  });
  beforeEach(() => void asked.splice(0));
  afterEach(() => {
    goOn?.();
    held = undefined;
  });

  const LOGINS = ['known', 'invited', 'nobody'].map((name) => `${name}@clinic.example`);

  it.each(LOGINS)('%s costs one hash, at the cost of passwords', async (login) => {
    expect((await authenticate(login, 'not the password', HERE)).refused).toEqual(expect.any(String));
    expect(asked).toEqual([{ N: 2 ** LOW_COST.log2N, r: LOW_COST.r, p: LOW_COST.p, bytes: 32 }]);
  });

  it.each(LOGINS)('%s is turned away when a hundred wait, and answered when they are done', async (login) => {
    held = new Promise((resolve) => {
      goOn = resolve;
    });
    const waiting = Array.from({ length: 102 }, () => hashing.verifyPassword('not the password', [passwordHash], HERE));
    await until(() => asked.length === 2, 'two are under way');
    await expect(authenticate(login, 'not the password', HERE)).rejects.toBeInstanceOf(TooManyHashes);
    expect(asked).toHaveLength(2);
    goOn?.();
    await Promise.all(waiting);
    expect((await authenticate(login, 'not the password', HERE)).refused).toEqual(expect.any(String));
  });
});
