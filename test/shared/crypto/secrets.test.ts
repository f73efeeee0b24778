// Secrets at rest: hashes, what hashing costs a busy service, and which passwords are taken.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { DIGEST_BYTES, isBreached, LIST } from '#shared/breached-passwords/breached-passwords.ts';
import { isClientSecretHash, isGeneratedSecret, newClientSecret } from '#shared/crypto/client-secret.ts';
import { digest } from '#shared/crypto/digest.ts';
import { passwordProblems } from '#shared/crypto/password-rules.ts';
import {
  createSecretHashing,
  hashSecret,
  isSecretHash,
  matchingHashes,
  needsRehash,
  PASSWORD_COST,
  TooManyHashes,
} from '#shared/crypto/secret-hash.ts';
import { queueKeyOf } from '#shared/fair-queue.ts';

const CHEAP = { log2N: 4, r: 1, p: 1 };

const verify = async (secret: string, hashes: string[]) => (await matchingHashes(secret, hashes)).length > 0;

describe('SEC-16 hashes of secrets', () => {
  it('name their own cost, are salted, and hold nothing of the secret', async () => {
    const [one, two] = await Promise.all([hashSecret('correct horse', CHEAP), hashSecret('correct horse', CHEAP)]);
    expect(one).toMatch(/^scrypt\$ln=4,r=1,p=1\$/);
    expect(one).not.toBe(two);
    expect(one).not.toContain('horse');
  });

  it('SEC-40 passwords cost 32 MiB and three passes by default', async () => {
    const hash = await hashSecret('tortue violette 87');
    expect(hash).toMatch(/^scrypt\$ln=15,r=8,p=3\$/);
    expect(await verify('tortue violette 87', [hash])).toBe(true);
    expect(needsRehash(hash, PASSWORD_COST)).toBe(false);
    expect(needsRehash(await hashSecret('x', CHEAP), PASSWORD_COST)).toBe(true);
  });

  it('verify the right secret against any of several, and no other', async () => {
    const hashes = [await hashSecret('old', CHEAP), await hashSecret('new', CHEAP)];
    expect(await verify('old', hashes)).toBe(true);
    expect(await verify('new', hashes)).toBe(true);
    for (const wrong of ['', 'ol', 'old ', 'OLD', 'neww']) expect(await verify(wrong, hashes)).toBe(false);
  });

  it('no hash, or a malformed one, belongs to no secret', async () => {
    const malformed = [
      '',
      'scrypt$',
      'x',
      'scrypt$ln=4,r=1,p=1$$',
      'scrypt$ln=31,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$'.padEnd(99, 'A'),
    ];
    for (const hash of malformed) expect(isSecretHash(hash)).toBe(false);
    expect(await verify('', malformed)).toBe(false);
    expect(await verify('x', [])).toBe(false);
  });

  it('the same password typed on another system (other Unicode form) is the same', async () => {
    const hash = await hashSecret('caf\u00e9 noisette', CHEAP);
    expect(await verify('cafe\u0301 noisette', [hash])).toBe(true);
  });

  it('many at once all come to an end, with the event loop free in between', async () => {
    const hash = await hashSecret('right', { log2N: 12, r: 8, p: 1 });
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const results = await Promise.all(Array.from({ length: 20 }, (_, n) => verify(n % 2 ? 'right' : 'wrong', [hash])));
    clearInterval(timer);
    expect(results).toEqual(Array.from({ length: 20 }, (_, n) => n % 2 === 1));
    expect(turns).toBeGreaterThan(2);
  });
});

// SEC-16, SEC-59: what is kept of client secrets, and how they are recognized.
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

// SEC-15, SEC-16, SEC-39: no flood of secrets holds up the service, and a client secret that was right is known again.
const HERE = queueKeyOf('192.0.2.1');
const ELSEWHERE = queueKeyOf('198.51.100.1');

it('SEC-16 client secrets that an operator chose are known again once verified, wrong ones never, and a hash that is gone takes its secret with it', async () => {
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

describe('SEC-15, SEC-39 a flood of secrets', () => {
  const outcomes = (results: PromiseSettledResult<unknown>[]) => {
    const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason as unknown);
    for (const reason of refused) expect(reason).toBeInstanceOf(TooManyHashes);
    return { checked: results.length - refused.length, refused: refused.length };
  };

  it('of clients: one is checked and twenty wait; passwords pass it by', async () => {
    const { verifyPassword, verifyChosenSecret } = createSecretHashing(CHEAP);
    const password = await hashSecret('right', CHEAP);
    const secret = await hashSecret('chosen', CHEAP);
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

// SEC-40, SEC-66: which passwords are good.
describe('SEC-40 passwords', () => {
  const owner = { email: 'marie.dupont@clinique.example', name: 'Marie Dupont' };
  const good = [
    'tortue violette 87',
    'xK9#mP2$vL5@',
    'jardin sous la pluie',
    'пароль для доступа',
    'x9'.padEnd(128, 'abcdefghijk'),
    '日本語のパスワードです長い',
  ];
  it.each(good)('%s is taken', async (password) => expect(await passwordProblems(password, owner)).toEqual([]));
});

describe('SEC-66 breached and common passwords of allowed length', () => {
  it('the list holds 50,000 at least, each once, in order', async () => {
    const list = await readFile(LIST);
    expect(list.length % DIGEST_BYTES).toBe(0);
    expect(list.length / DIGEST_BYTES).toBeGreaterThanOrEqual(50_000);
    for (let at = DIGEST_BYTES; at < list.length; at += DIGEST_BYTES) {
      if (list.compare(list, at - DIGEST_BYTES, at, at, at + DIGEST_BYTES) <= 0)
        throw new Error(`out of order at ${at}`);
    }
  });

  // Known from breaches; none of them is caught by another rule.
  const breached = [
    'manchesterunited',
    'letmeinplease',
    'ManchesterUnited',
    'manchester united',
    'Manchester.United,2026',
    'ｍａｎｃｈｅｓｔｅｒｕｎｉｔｅｄ',
    'manchester\u200bunit\u00aded',
    'M4nchesterUnit3d!',
    'letmeinplease2026',
    'jetaimemonamour',
    'karimbenzema',
    'callofduty136667',
    'welcomefun4u',
    '1234567sasha',
  ];
  it.each(breached)('%s is refused', async (password) => expect(await passwordProblems(password)).toEqual(['common']));

  it('of two hundred random ones none is taken for a listed one', async () => {
    const random = Array.from({ length: 200 }, (_, index) =>
      createHash('sha256').update(`${index}`).digest('base64url'),
    );
    const refused = [];
    for (const password of random) if (await isBreached([password])) refused.push(password);
    expect(refused).toEqual([]);
  });
});
