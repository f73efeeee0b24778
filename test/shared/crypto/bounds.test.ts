// Security checklist 16, 40, 41: the bounds of what is hashed, encrypted and guessed, from both sides, and what is said beyond them.

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { createEncryption, DecryptionError, deriveKey, seal, unseal } from '#shared/crypto/encryption.ts';
import { passwordProblems } from '#shared/crypto/password-rules.ts';
import { newRecoveryCodes } from '#shared/crypto/recovery-codes.ts';
import { openSeals } from '#shared/crypto/seals.ts';
import {
  CLIENT_SECRET_COST,
  createSecretHashing,
  hashSecret,
  isSecretHash,
  matchingHashes,
  needsRehash,
  TooManyHashes,
} from '#shared/crypto/secret-hash.ts';
import { newTotpSecret, totpAddress } from '#shared/crypto/totp.ts';
import { queueKeyOf } from '#shared/fair-queue.ts';
import { onLimitReached } from '#shared/limits-reached.ts';
import { type StartedSpan, withinContext } from '#shared/request-context.ts';

const CHEAP = { log2N: 4, r: 1, p: 1 };
const HERE = queueKeyOf('192.0.2.1');

describe('SEC-16 encryption at rest', () => {
  const [FIRST, SECOND] = ['a first secret of these tests', 'a second secret of these tests'];
  const saltOf = (stored: string) => stored.split('.')[1];

  it('derives one key for all texts: the salt of the first, or of what was opened with the present secret', async () => {
    const one = createEncryption([FIRST]);
    const [a, b] = [await one.encrypt('a', 'x'), await one.encrypt('b', 'x')];
    expect([saltOf(b) === saltOf(a), Buffer.from(saltOf(a) ?? '', 'base64url').length]).toEqual([true, 16]);
    const next = createEncryption([FIRST]);
    await next.decrypt(a, 'x');
    expect(saltOf(await next.encrypt('c', 'x'))).toBe(saltOf(a));
    // With the secret before, it would be a salt that others know under another key.
    const changed = createEncryption([SECOND, FIRST]);
    await changed.decrypt(a, 'x');
    expect(saltOf(await changed.encrypt('c', 'x'))).not.toBe(saltOf(a));
    // A vector of release 1.0.0: scrypt with N 32,768, r 8, p 1, 32 bytes.
    expect((await deriveKey('secret', Buffer.alloc(16).toString('base64url'))).toString('hex')).toBe(
      '574aeabd9d346eaa5df00879f6adcfac2a7a69f02a95236bd4e0307080cc9e3f',
    );
  });

  it('says why a text does not open, and without a secret what is current is plain', async () => {
    const errors = (['no-secret', 'wrong-secret'] as const).map((reason) => new DecryptionError(reason));
    expect(errors.map(({ name, message, reason }) => [name, message, reason])).toEqual([
      ['DecryptionError', 'it is encrypted and no secret is set', 'no-secret'],
      ['DecryptionError', 'no secret that is set decrypts it', 'wrong-secret'],
    ]);
    const none = createEncryption([]);
    expect([await none.isCurrent('text', 'x'), await none.isCurrent('sealed-1.a.b', 'x')]).toEqual([true, false]);
  });
});

describe('SEC-58 a sealed text', () => {
  const SECRET = randomBytes(32).toString('base64url');
  it('is opened up to a million characters, and nothing that is too short for one is', () => {
    const longest = seal(SECRET, 'a'.repeat(1_000_000), 'x');
    expect(unseal([SECRET], longest, 'x')).toHaveLength(1_000_000);
    expect(unseal([SECRET], seal(SECRET, 'a'.repeat(1_000_001), 'x'), 'x')).toBeUndefined();
    for (const bytes of [0, 31, 32, 33])
      expect(unseal([SECRET], randomBytes(bytes).toString('base64url'), 'x')).toBeUndefined();
    expect(Buffer.from(seal(SECRET, '', 'x'), 'base64url').subarray(0, 16)).not.toEqual(
      Buffer.from(seal(SECRET, '', 'x'), 'base64url').subarray(0, 16),
    );
  });

  it('seals of one list of secrets are derived once', async () => {
    const secrets = ['a secret of the seals'];
    expect(openSeals(secrets)).toBe(openSeals(secrets));
    expect(openSeals(secrets)).not.toBe(openSeals([...secrets]));
    const seals = await openSeals(secrets);
    const made = seals.seal('text') ?? '';
    expect(made).toMatch(/^[\w-]{8}\.[\w-]{22}$/);
    expect([seals.check('text', `${made}A`), seals.check('text', made.slice(0, -1)), seals.check('text', '')]).toEqual([
      'wrong',
      'wrong',
      'unknown key',
    ]);
  });
});

describe('SEC-16 the cost of a hash', () => {
  const [salt, key] = ['A'.repeat(22), 'A'.repeat(43)];
  const hash = (log2N: number, r: number, p: number, ofSalt = salt, ofKey = key) =>
    `scrypt$ln=${log2N},r=${r},p=${p}$${ofSalt}$${ofKey}`;

  it.each<[string, string, boolean]>([
    ['the least', hash(1, 1, 1), true],
    ['no block', hash(0, 1, 1), false],
    ['no size', hash(4, 0, 1), false],
    ['no pass', hash(4, 1, 0), false],
    ['16 passes', hash(4, 1, 16), true],
    ['17 passes', hash(4, 1, 17), false],
    ['2^20 blocks', hash(20, 2, 1), true],
    ['2^21 blocks', hash(21, 1, 1), false],
    ['256 MiB', hash(18, 8, 1), true],
    ['more than 256 MiB', hash(18, 9, 1), false],
    ['a salt of 21 signs', hash(4, 1, 1, salt.slice(1)), false],
    ['a salt of 87 signs', hash(4, 1, 1, 'A'.repeat(87)), false],
    ['a key of 42 signs', hash(4, 1, 1, salt, key.slice(1)), false],
    ['a key of 86 signs', hash(4, 1, 1, salt, 'A'.repeat(86)), true],
  ])('is bearable or not: %s', (_which, text, bearable) => {
    expect(isSecretHash(text)).toBe(bearable);
  });

  it('is compared by memory and passes: what is cheaper, or is no hash, is made anew', () => {
    const needs = (text: string) => needsRehash(text, { log2N: 10, r: 8, p: 3 });
    expect(
      [hash(10, 8, 3), hash(10, 8, 4), hash(11, 8, 2), hash(10, 8, 2), hash(9, 8, 5), hash(10, 7, 3), 'x'].map(needs),
    ).toEqual([false, false, false, true, true, true, true]);
    expect(CLIENT_SECRET_COST).toEqual({ log2N: 14, r: 8, p: 1 });
  });

  it('has 16 bytes of salt and 32 of key', async () => {
    const [, , ofSalt = '', ofKey = ''] = (await hashSecret('x', CHEAP)).split('$');
    expect([ofSalt, ofKey].map((text) => Buffer.from(text, 'base64url').length)).toEqual([16, 32]);
    const [one, other] = [await hashSecret('a', CHEAP), await hashSecret('b', CHEAP)];
    expect(await matchingHashes('b', ['x', one, other])).toEqual([other]);
  });
});

describe('SEC-59 hashing in turn', () => {
  it('says what was turned away, counts it, and knows before who would be', async () => {
    const { verifyPassword, verifyChosenSecret, tooManyPasswords, needsRehash: needs } = createSecretHashing(CHEAP);
    const known = await hashSecret('right', CHEAP);
    expect([needs(known), needs(await hashSecret('x', { ...CHEAP, log2N: 3 }))]).toEqual([false, true]);
    const reached: string[] = [];
    const end = onLimitReached((limit) => void reached.push(limit));
    const outcomes = Promise.allSettled(Array.from({ length: 102 }, () => verifyPassword('x', [known], HERE)));
    expect(tooManyPasswords(HERE)).toBe(true);
    const refused = verifyPassword('x', [known], HERE);
    await expect(refused).rejects.toThrow(
      'too many passwords are being checked at once; this one was not looked at: try again in a few seconds',
    );
    await expect(refused).rejects.toMatchObject({ name: 'TooManyHashes' });
    const secrets = Promise.allSettled(Array.from({ length: 22 }, () => verifyChosenSecret('x', [known], HERE)));
    const messages = (await secrets).flatMap((one) => (one.status === 'rejected' ? [one.reason.message] : []));
    end();
    expect(messages).toEqual([new TooManyHashes('client secrets').message]);
    expect(reached).toEqual(['password-queue', 'client-secret-queue']);
    await outcomes;
    expect(tooManyPasswords(HERE)).toBe(false);
  });

  it('is a span of the trace, with the queue and how long it waited', async () => {
    const told: unknown[] = [];
    const span = { traceId: 't', spanId: 's', rename: () => {}, end: () => void told.push('end') };
    const tracer = {
      start: ({ name, attributes }: StartedSpan) => {
        told.push([name, attributes]);
        return { ...span, set: (more: object) => void told.push(more) };
      },
    };
    const hashing = createSecretHashing(CHEAP);
    await withinContext({ tracer, span: { ...span, set: () => {} } }, async () => {
      await hashing.hashPassword('x');
      await hashing.verifyChosenSecret('x', [await hashSecret('x', CHEAP)], HERE);
    });
    const waited = { 'hygie.waited_ms': expect.any(Number) };
    expect(told).toEqual([
      ...[['scrypt', { 'hygie.queue': 'passwords' }], waited, 'end'],
      ...[['scrypt', { 'hygie.queue': 'clientSecrets' }], waited, 'end'],
    ]);
  });

  it('an unknown account takes a hash as well, of the cost of passwords', async () => {
    const hashing = createSecretHashing({ log2N: 12, r: 8, p: 4 });
    const used = async (hashes: string[]) => {
      const before = process.cpuUsage();
      expect(await hashing.verifyPassword('x', hashes, HERE)).toBe(false);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    // Far more than the few microseconds of a refusal without one.
    expect(await used([])).toBeGreaterThan(5000);
  });
});

describe('SEC-41 what people type', () => {
  it('an app shows 60 characters of a name at most, and no colon within one', () => {
    const url = new URL(totpAddress(newTotpSecret(), { issuer: `A:${'é'.repeat(60)}`, account: 'z'.repeat(61) }));
    const shown = `A ${'é'.repeat(58)}`;
    expect([decodeURIComponent(url.pathname), url.searchParams.get('issuer')]).toEqual([
      `/${shown}:${'z'.repeat(60)}`,
      shown,
    ]);
    expect(newTotpSecret()).toHaveLength(20);
  });

  it('codes are in four groups of four', () => {
    for (const code of newRecoveryCodes()) expect(code.split('-').map(({ length }) => length)).toEqual([4, 4, 4, 4]);
  });
});

describe('SEC-40 which passwords are common, and which are about their owner', () => {
  const RUNS = [
    'abcdefghijklmnopqrstuvwxyz',
    '01234567890123456789',
    'azertyuiopqsdfghjklmwxcvbn',
    'qwertyuiopasdfghjklzxcvbnm',
    'qwertzuiopasdfghjklyxcvbnm',
    '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik',
    '1a2z3e4r5t6y7u8i9o0p',
    '1q2w3e4r5t6y7u8i9o0p',
    '&é"\'(-è_çà)=',
    '!@#$%^&*()_+',
  ];
  it.each(RUNS)('the run %s is, in pieces of four, in both directions', async (run) => {
    const backwards = [...run].reverse().join('');
    // Another run follows, so that the list of breached passwords does not have it.
    const pieces = [run.slice(-8) + run.slice(0, 4), backwards.slice(0, 8) + backwards.slice(-4)];
    for (const password of pieces) expect([password, await passwordProblems(password)]).toEqual([password, ['common']]);
  });

  const problems = async (password: string, owner = {}) => (await passwordProblems(password, owner)).join();
  it.each([
    // Lengths: characters, not bytes.
    ['dix-onze 9kv', ''],
    ['dix-onze 9k', 'too-short'],
    ['😀 zq9!vK4#tL', ''],
    [`q7!${'vK4#tLm'.repeat(36)}é`, ''],
    [`q7!${'vK4#tLm'.repeat(36)}éé`, 'too-long'],
    // Four different characters, five, and repetitions.
    ['axqzzqxaxzqaqx', 'common'],
    ['axqzkkzqxakqzx', ''],
    ['vk4tlmvk4tlm', 'common'],
    ['vk4tlmqvk4tlmq', ''],
    ['vk4tlmqvk4tlmqvk4tlmq', 'common'],
    ['vk4tlmqxvk4tlmqxvk4tlm', ''],
    // A run that is interrupted by fewer than four.
    ['abcdefgh1zkq', ''],
    ['abcdzkqv1234', ''],
    // Words with digits around them, digits for letters, and separators.
    ['2024bretagne2024', 'common'],
    ['br3t4gne-2024', 'common'],
    ['f00tb@11 2024', ''],
    ['f00tb@ll 2024', 'common'],
    ['bas3bal1 2024', ''],
    ['b4seball.2024', 'common'],
    ['pr!n7emps2024', 'common'],
    ['B.R.E.T.A.G.N.E', 'common'],
    ['mar5eille 2024', 'common'],
    ['Cœur de bœuf 9', ''],
  ])('%s: "%s"', async (password, expected) =>
    expect([password, await problems(password)]).toEqual([password, expected]),
  );

  it.each([
    ['zoemartin2026', 'personal'],
    ['ZOÉ.MARTIN.2026', 'personal'],
    ['martinabc2026', 'personal'],
    ['martinabc2026!', ''],
    ['zoezoezoe2026', 'personal'],
    ['martinabcd26!', ''],
    ['martin1234!?=:', ''],
    ['martin123!?=:', 'personal'],
    ['al martin 9 zk', ''],
    ['al martin 9z', 'personal'],
    ['clinique9 zk!', 'personal'],
    ['xq#7 vK9 tL!2', ''],
  ])('%s is "%s" for Zoé Al Martin', async (password, expected) => {
    const owner = { name: 'Zoé Al Martin', email: 'zoe@clinique.example' };
    expect([password, await problems(password, owner)]).toEqual([password, expected]);
  });
});
