// SEC-16, SEC-59: what is kept of client secrets, and how they are recognized.

import { describe, expect, it } from '@jest/globals';
import {
  isClientSecretHash,
  isGeneratedSecret,
  isVerifiedSecret,
  newClientSecret,
  verifyChosenSecret,
} from '#shared/crypto/client-secret.ts';
import { digest } from '#shared/crypto/digest.ts';
import { hashSecret } from '#shared/crypto/secret-hash.ts';
import { placeOf } from '#shared/fair-queue.ts';

const CHEAP = { log2N: 4, r: 1, p: 1 };
const HERE = placeOf('192.0.2.1');

describe('SEC-59 generated client secrets', () => {
  it('are 256 random bits, of which a digest is kept', () => {
    const made = Array.from({ length: 100 }, newClientSecret);
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(100);
    for (const { secret, hash } of made) {
      expect(Buffer.from(secret, 'base64url')).toHaveLength(32);
      expect(isClientSecretHash(hash)).toBe(true);
      expect(hash).not.toContain(secret);
      expect(isGeneratedSecret(secret, [hash])).toBe(true);
    }
  });

  it('fit their own digest among several, and no other', () => {
    const [one, two, three] = [newClientSecret(), newClientSecret(), newClientSecret()];
    expect(isGeneratedSecret(one.secret, [two.hash, one.hash])).toBe(true);
    expect(isGeneratedSecret(three.secret, [two.hash, one.hash])).toBe(false);
    expect(isGeneratedSecret(one.secret, [])).toBe(false);
    expect(isGeneratedSecret(one.hash, [one.hash])).toBe(false);
  });

  it('a secret that somebody chose fits no digest, even where the digest was made by hand', () => {
    const chosen = ['', 'hunter2', 'a-long-pass-phrase-that-somebody-has-thought-of', 'x'.repeat(43), ' '.repeat(43)];
    for (const secret of chosen) expect(isGeneratedSecret(secret, [`sha256$${digest(secret)}`])).toBe(false);
  });

  it.each(['', 'sha256$', 'sha256$short', `sha256$${'A'.repeat(44)}`, `sha256$${'='.repeat(43)}`, 'A'.repeat(43)])(
    '%j is nothing that is kept of a secret',
    (hash) => {
      expect(isClientSecretHash(hash)).toBe(false);
    },
  );
});

describe('SEC-16 client secrets that an operator chose', () => {
  it('are known again once verified, wrong ones never, and a hash that is gone takes its secret with it', async () => {
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
