// SEC-16 (signing keys): encryption at rest.

import { describe, expect, it } from '@jest/globals';
import { createEncryption, DecryptionError, isEncrypted } from '#shared/crypto/encryption.ts';

const SECRET = 'a secret of the tests that encrypts nothing else';
const TEXT = '{"kty":"OKP","d":"private"}';

describe('SEC-16 texts encrypted at rest', () => {
  it('come back whole, in their own place only', async () => {
    const encryption = createEncryption([SECRET]);
    const stored = await encryption.encrypt(TEXT, 'EdDSA one');
    expect(isEncrypted(stored)).toBe(true);
    expect(stored).not.toContain('private');
    expect(await createEncryption([SECRET]).decrypt(stored, 'EdDSA one')).toBe(TEXT);
    await expect(encryption.decrypt(stored, 'EdDSA other')).rejects.toThrow(DecryptionError);
    expect(await encryption.encrypt(TEXT, 'EdDSA one')).not.toBe(stored);
  });

  it('are refused when a single bit was changed', async () => {
    const encryption = createEncryption([SECRET]);
    const stored = await encryption.encrypt(TEXT, 'context');
    const [mark, salt, body = ''] = stored.split('.');
    for (const byte of [0, 13, Buffer.from(body, 'base64url').length - 1]) {
      const bytes = Buffer.from(body, 'base64url');
      bytes[byte] = (bytes[byte] ?? 0) ^ 1;
      const changed = [mark, salt, bytes.toString('base64url')].join('.');
      await expect(encryption.decrypt(changed, 'context')).rejects.toMatchObject({ reason: 'wrong-secret' });
    }
  });

  it('distinguish a missing secret from a wrong one; the old secret decrypts while it is being changed', async () => {
    const stored = await createEncryption([SECRET]).encrypt(TEXT, 'context');
    await expect(createEncryption([]).decrypt(stored, 'context')).rejects.toMatchObject({ reason: 'no-secret' });
    await expect(createEncryption(['another']).decrypt(stored, 'context')).rejects.toMatchObject({
      reason: 'wrong-secret',
    });
    const changing = createEncryption(['another', SECRET]);
    expect(await changing.decrypt(stored, 'context')).toBe(TEXT);
    expect(await changing.isCurrent(stored, 'context')).toBe(false);
    expect(await changing.isCurrent(await changing.encrypt(TEXT, 'context'), 'context')).toBe(true);
  });

  it('stay plain without a secret, and plain ones are read with one', async () => {
    expect(await createEncryption([]).encrypt(TEXT, 'context')).toBe(TEXT);
    const encryption = createEncryption([SECRET]);
    expect(await encryption.decrypt(TEXT, 'context')).toBe(TEXT);
    expect(await encryption.isCurrent(TEXT, 'context')).toBe(false);
  });
});
