// SEC-16, SEC-59: what is kept of client secrets, and how they are recognized.

import { describe, expect, it } from '@jest/globals';
import { isClientSecretHash, isGeneratedSecret, newClientSecret } from '#shared/crypto/client-secret.ts';
import { digest } from '#shared/crypto/digest.ts';

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
