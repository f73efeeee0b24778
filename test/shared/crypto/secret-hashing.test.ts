// SEC-15, SEC-16, SEC-39: no flood of secrets holds up the service, and a client secret that was right is known again.

import { describe, expect, it } from '@jest/globals';
import { newClientSecret } from '#shared/crypto/client-secret.ts';
import { CLIENT_SECRET_COST, hashSecret } from '#shared/crypto/secret-hash.ts';
import { createSecretHashing, TooManyHashes } from '#shared/crypto/secret-hashing.ts';
import { placeOf } from '#shared/fair-queue.ts';

const CHEAP = { log2N: 4, r: 1, p: 1 };
const HERE = placeOf('192.0.2.1');
const ELSEWHERE = placeOf('198.51.100.1');

describe('SEC-16 client secrets that an operator chose', () => {
  it('are known again once verified, wrong ones never, and a hash that is gone takes its secret with it', async () => {
    const { isVerifiedSecret, verifyChosenSecret } = createSecretHashing();
    const [one, two] = [await hashSecret('first', CHEAP), await hashSecret('second', CHEAP)];
    expect(isVerifiedSecret('first', [one, two])).toBe(false);
    for (let time = 0; time < 2; time += 1) {
      expect(await verifyChosenSecret('first', [one, two], HERE)).toBe(true);
      expect(await verifyChosenSecret('second', [one, two], HERE)).toBe(true);
      expect(await verifyChosenSecret('firstx', [one, two], HERE)).toBe(false);
    }
    expect(isVerifiedSecret('first', [one, two])).toBe(true);
    expect(isVerifiedSecret('firstx', [one, two])).toBe(false);
    expect(isVerifiedSecret('first', [two])).toBe(false);
    expect(await verifyChosenSecret('first', [two], HERE)).toBe(false);
    expect(await verifyChosenSecret('first', [newClientSecret().hash], HERE)).toBe(false);
    expect(await verifyChosenSecret('first', [], HERE)).toBe(false);
  });
});

describe('SEC-15, SEC-39 a flood of secrets', () => {
  const outcomes = (results: PromiseSettledResult<unknown>[]) => {
    const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason as unknown);
    for (const reason of refused) expect(reason).toBeInstanceOf(TooManyHashes);
    return { checked: results.length - refused.length, refused: refused.length };
  };

  it('of clients: one is checked and twenty wait; passwords pass it by', async () => {
    const { verifyPassword, verifyChosenSecret } = createSecretHashing(CHEAP);
    const password = await hashSecret('right', CHEAP);
    const secret = await hashSecret('chosen', CLIENT_SECRET_COST);
    let ended = 0;
    const flood = Array.from({ length: 300 }, async (_, guess) => {
      await verifyChosenSecret(`guess-${guess}`, [secret], HERE);
      ended += 1;
    });
    const all = Promise.allSettled(flood);
    expect(await verifyPassword('right', [password], HERE)).toBe(true);
    expect(ended).toBeLessThan(21);
    expect(outcomes(await all)).toEqual({ checked: 21, refused: 279 });
    expect(await verifyChosenSecret('chosen', [secret], HERE)).toBe(true);
  });

  it('of passwords: two are checked and a hundred wait; whoever sets a password is never turned away', async () => {
    const { verifyPassword, hashPassword } = createSecretHashing(CHEAP);
    const password = await hashSecret('right', CHEAP);
    const flood = Array.from({ length: 150 }, (_, guess) => verifyPassword(`guess-${guess}`, [password], HERE));
    const all = Promise.allSettled(flood);
    expect(await hashPassword('new')).toMatch(/^scrypt/);
    expect(outcomes(await all)).toEqual({ checked: 102, refused: 48 });
    expect(await verifyPassword('right', [password], HERE)).toBe(true);
  });

  it('SEC-59 from one network turns away nobody of another: neither passwords nor secrets of clients', async () => {
    const { verifyPassword, verifyChosenSecret } = createSecretHashing(CHEAP);
    const password = await hashSecret('right', CHEAP);
    const flood = [
      ...Array.from({ length: 150 }, (_, guess) => verifyPassword(`guess-${guess}`, [password], HERE)),
      ...Array.from({ length: 50 }, (_, guess) => verifyChosenSecret(`guess-${guess}`, [password], HERE)),
    ];
    const all = Promise.allSettled(flood);
    const others = Promise.all([
      verifyPassword('right', [password], ELSEWHERE),
      verifyChosenSecret('right', [password], ELSEWHERE),
    ]);
    expect(await others).toEqual([true, true]);
    // Each of the two took the place of one of the flood.
    expect(outcomes(await all)).toEqual({ checked: 102 - 1 + 21 - 1, refused: 48 + 1 + 29 + 1 });
  });
});
