// SEC-16 (signing keys): encryption at rest.

import { describe, expect, it } from '@jest/globals';
import { CannotOpen, createSealing, isSealed } from '../../../src/shared/crypto/encryption.ts';

const SECRET = 'a secret of the tests that seals nothing else';
const TEXT = '{"kty":"OKP","d":"private"}';

describe('SEC-16 texts encrypted at rest', () => {
  it('come back whole, in their own place only', async () => {
    const sealing = createSealing([SECRET]);
    const stored = await sealing.seal(TEXT, 'EdDSA one');
    expect(isSealed(stored)).toBe(true);
    expect(stored).not.toContain('private');
    expect(await createSealing([SECRET]).open(stored, 'EdDSA one')).toBe(TEXT);
    await expect(sealing.open(stored, 'EdDSA other')).rejects.toThrow(CannotOpen);
    expect(await sealing.seal(TEXT, 'EdDSA one')).not.toBe(stored);
  });

  it('are refused when a single bit was changed', async () => {
    const sealing = createSealing([SECRET]);
    const stored = await sealing.seal(TEXT, 'place');
    const [mark, salt, body = ''] = stored.split('.');
    for (const byte of [0, 13, Buffer.from(body, 'base64url').length - 1]) {
      const bytes = Buffer.from(body, 'base64url');
      bytes[byte] = (bytes[byte] ?? 0) ^ 1;
      const changed = [mark, salt, bytes.toString('base64url')].join('.');
      await expect(sealing.open(changed, 'place')).rejects.toMatchObject({ reason: 'wrong-secret' });
    }
  });

  it('tell a missing secret from a wrong one; the old secret opens while it is being changed', async () => {
    const stored = await createSealing([SECRET]).seal(TEXT, 'place');
    await expect(createSealing([]).open(stored, 'place')).rejects.toMatchObject({ reason: 'no-secret' });
    await expect(createSealing(['another']).open(stored, 'place')).rejects.toMatchObject({ reason: 'wrong-secret' });
    const changing = createSealing(['another', SECRET]);
    expect(await changing.open(stored, 'place')).toBe(TEXT);
    expect(await changing.isCurrent(stored, 'place')).toBe(false);
    expect(await changing.isCurrent(await changing.seal(TEXT, 'place'), 'place')).toBe(true);
  });

  it('stay plain without a secret, and plain ones are read with one', async () => {
    expect(await createSealing([]).seal(TEXT, 'place')).toBe(TEXT);
    const sealing = createSealing([SECRET]);
    expect(await sealing.open(TEXT, 'place')).toBe(TEXT);
    expect(await sealing.isCurrent(TEXT, 'place')).toBe(false);
  });
});
