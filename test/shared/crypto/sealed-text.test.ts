// SEC-58: what a browser keeps for the service opens again, whatever its length, and only as it was sealed.

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { seal, unseal } from '#shared/crypto/sealed-text.ts';

const SECRET = randomBytes(32).toString('base64url');
const TEXTS = {
  'an empty one': '',
  'a short one': '{"state":"é"}',
  'a repetitive one, many times the window': '{"scope":"openid"}'.repeat(2000),
  'a random one, many times the window': randomBytes(30_000).toString('base64url'),
};

describe('a sealed text', () => {
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
