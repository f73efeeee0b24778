// Encrypted columns and texts, and the codes of authenticator apps (security checklist 41).

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { TOTP, URI } from 'otpauth';
import { encode } from 'uqr';
import { createEncryption, DecryptionError, isEncrypted, seal, unseal } from '#shared/crypto/encryption.ts';
import { isRecoveryCode, newRecoveryCodes, recoveryCodeDigest } from '#shared/crypto/recovery-codes.ts';
import { openSeals } from '#shared/crypto/seals.ts';
import { base32, newTotpSecret, stepAt, stepOfCode, totp, totpAddress } from '#shared/crypto/totp.ts';

describe('SEC-16 texts encrypted at rest', () => {
  const SECRET = 'a secret of the tests that encrypts nothing else';
  const SECRETS = [SECRET];
  const TEXT = '{"kty":"OKP","d":"private"}';

  it('come back whole, in their own place only', async () => {
    const encryption = createEncryption([SECRET]);
    const stored = await encryption.encrypt(TEXT, 'EdDSA one');
    expect(isEncrypted(stored)).toBe(true);
    expect(stored).not.toContain('private');
    expect(await createEncryption([SECRET]).decrypt(stored, 'EdDSA one')).toBe(TEXT);
    await expect(encryption.decrypt(stored, 'EdDSA other')).rejects.toThrow(DecryptionError);
    expect(await encryption.encrypt(TEXT, 'EdDSA one')).not.toBe(stored);
  });

  it('of release 1.0.0 open in every later one: columns, cookies and seals', async () => {
    const column = 'sealed-1.-ldle4lQpg1TkxdXNnCrDg.CUwd10aJJ2OXs7Lu-xg35xbCimNW8KFxDGk3MBPKL3zTal3ixqUVLpeZVYE';
    const cookie = 'bQEDWB1EQa56x3CENFfMgJ6B5dPiQKpCLpThRE2fOzh9jgF1qF6RGMrSV11pilWoITs';
    const seal = 'SwdvHCwW.hazsYtiMzIXuwuZanPpSCg';
    expect([
      await createEncryption([SECRET]).decrypt(column, 'context'),
      unseal([SECRET], cookie, 'context'),
      (await openSeals(SECRETS)).check('a text', seal),
      (await openSeals(SECRETS)).seal('a text') === seal,
    ]).toEqual(['kept since 1.0.0', 'kept since 1.0.0', 'valid', true]);
    const { check, available } = await openSeals(['another']);
    expect([check('a text', seal), available]).toEqual(['unknown key', true]);
    expect((await openSeals(SECRETS)).check('another text', seal)).toBe('wrong');
    const none = await openSeals([]);
    expect([none.seal('a text'), none.available]).toEqual([undefined, false]);
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

// SEC-58: what a browser keeps for the service opens again, whatever its length, and only as it was sealed.
describe('a sealed text', () => {
  const SECRET = randomBytes(32).toString('base64url');
  const TEXTS = {
    'an empty one': '',
    'a short one': '{"state":"é"}',
    'a repetitive one, many times the window': '{"scope":"openid"}'.repeat(2000),
    'a random one, many times the window': randomBytes(30_000).toString('base64url'),
  };

  it.each(Object.entries(TEXTS))('%s opens with its secret in its context alone', (_name, text) => {
    const sealed = seal(SECRET, text, 'one');
    expect(unseal(['another', SECRET], sealed, 'one')).toBe(text);
    expect(unseal([SECRET], sealed, 'two')).toBeUndefined();
    expect(unseal(['another'], sealed, 'one')).toBeUndefined();
    const changed = Buffer.from(sealed, 'base64url');
    changed[20] = (changed[20] ?? 0) ^ 1;
    expect(unseal([SECRET], changed.toString('base64url'), 'one')).toBeUndefined();
  });
});

// Security checklist 41: codes of authenticator apps, against the vectors of RFC 6238 and an app's own library.
describe('RFC 6238 time-based one-time passwords', () => {
  // Appendix B, of whose eight digits an app shows the last six.
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('at second %i the code is %s', (seconds, code) => {
    const secret = Buffer.from('12345678901234567890');
    expect(totp(secret, stepAt(seconds))).toBe(code);
    expect(stepOfCode(secret, code, seconds)).toBe(stepAt(seconds));
  });

  it('5.2 takes the code of the step before and of the one after, and no other', () => {
    const secret = newTotpSecret();
    const step = 60_000_000;
    const seconds = step * 30 + 7;
    for (const near of [step - 1, step, step + 1]) expect(stepOfCode(secret, totp(secret, near), seconds)).toBe(near);
    const near = new Set([step - 1, step, step + 1].map((one) => totp(secret, one)));
    for (const far of [step - 3, step - 2, step + 2, step + 3]) {
      const code = totp(secret, far);
      if (!near.has(code)) expect(stepOfCode(secret, code, seconds)).toBeUndefined();
    }
    for (const nonsense of ['', '1', '12345', '1234567', 'abcdef', '１２３４５６'])
      expect(stepOfCode(secret, nonsense, seconds)).toBeUndefined();
  });

  it('an authenticator reads the address, and shows the same codes', () => {
    const secret = newTotpSecret();
    const address = totpAddress(secret, { issuer: 'Hygie: Île & Cie', account: 'zoé+1@clinic.example' });
    const app = URI.parse(address) as TOTP;
    expect(app).toBeInstanceOf(TOTP);
    expect({ issuer: app.issuer, label: app.label }).toEqual({
      issuer: 'Hygie  Île & Cie',
      label: 'zoé+1@clinic.example',
    });
    for (const seconds of [0, 1_800_000_000, 1_800_000_031])
      expect(app.generate({ timestamp: seconds * 1000 })).toBe(totp(secret, stepAt(seconds)));
  });

  it.each(['é', '😀', '\ud800'])('the longest names of "%s" that there can be fit into a QR code', (letter) => {
    const names = { issuer: letter.repeat(60), account: `${letter.repeat(64)}@${letter.repeat(190)}` };
    const address = totpAddress(newTotpSecret(), names);
    expect(address.startsWith(`otpauth://totp/${encodeURIComponent(letter.toWellFormed())}`)).toBe(true);
    expect(encode(address, { ecc: 'M', border: 0 }).size).toBeLessThanOrEqual(177);
  });

  it('RFC 4648 section 10 base 32', () => {
    expect(base32(Buffer.from('foobar'))).toBe('MZXW6YTBOI');
  });
});

it('SEC-41 recovery codes are eight of sixteen signs, and count in any case and grouping, with misread letters', () => {
  const codes = newRecoveryCodes();
  expect([codes.length, new Set(codes).size]).toEqual([8, 8]);
  for (const code of codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
  const [typed, meant] = [' 7k2q 9oti–hj4c—lz1n', '7K2Q-90T1-HJ4C-1Z1N'];
  expect(recoveryCodeDigest('a', typed)).toBe(recoveryCodeDigest('a', meant));
  expect(recoveryCodeDigest('b', typed)).not.toBe(recoveryCodeDigest('a', meant));
  const forms = [typed, meant, 'A'.repeat(24), 'A'.repeat(15), 'A'.repeat(17), 'A'.repeat(23), 'U'.repeat(16), ''];
  expect(forms.map(isRecoveryCode)).toEqual([true, true, true, false, false, false, false, false]);
});
