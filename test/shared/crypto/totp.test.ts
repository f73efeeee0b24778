// Security checklist 41: codes of authenticator apps, against the vectors of RFC 6238 and an app's own library.

import { describe, expect, it } from '@jest/globals';
import { TOTP, URI } from 'otpauth';
import { encode } from 'uqr';
import { base32, newTotpSecret, stepAt, stepOfCode, totp, totpAddress } from '#shared/crypto/totp.ts';

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
