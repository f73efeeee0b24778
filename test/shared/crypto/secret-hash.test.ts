// SEC-15, SEC-16, SEC-39: secrets are hashed, slowly, and no flood of them holds up the service.

import { describe, expect, it } from '@jest/globals';
import {
  CLIENT_SECRET_COST,
  hashesOfClientSecret,
  hashSecret,
  isSecretHash,
  needsRehash,
  TooManyHashes,
  verifySecret as verify,
} from '#shared/crypto/secret-hash.ts';
import { placeOf } from '#shared/fair-queue.ts';

const CHEAP = { log2N: 4, r: 1, p: 1 };
const HERE = placeOf('192.0.2.1');
const ELSEWHERE = placeOf('198.51.100.1');
const verifySecret = (secret: string, hashes: string[], place = HERE) => verify(secret, hashes, place);

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
    expect(await verifySecret('tortue violette 87', [hash])).toBe(true);
    expect(needsRehash(hash)).toBe(false);
    expect(needsRehash(await hashSecret('x', CHEAP))).toBe(true);
  });

  it('verify the right secret against any of several, and no other', async () => {
    const hashes = [await hashSecret('old', CHEAP), await hashSecret('new', CHEAP)];
    expect(await verifySecret('old', hashes)).toBe(true);
    expect(await verifySecret('new', hashes)).toBe(true);
    for (const wrong of ['', 'ol', 'old ', 'OLD', 'neww']) expect(await verifySecret(wrong, hashes)).toBe(false);
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
    expect(await verifySecret('', malformed)).toBe(false);
    expect(await verifySecret('x', [])).toBe(false);
  });

  it('the same password typed on another system (other Unicode form) is the same', async () => {
    const hash = await hashSecret('caf\u00e9 noisette', CHEAP);
    expect(await verifySecret('cafe\u0301 noisette', [hash])).toBe(true);
  });

  it('many at once all come to an end, with the event loop free in between', async () => {
    const hash = await hashSecret('right', { log2N: 12, r: 8, p: 1 });
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => verifySecret(n % 2 ? 'right' : 'wrong', [hash])),
    );
    clearInterval(timer);
    expect(results).toEqual(Array.from({ length: 20 }, (_, n) => n % 2 === 1));
    expect(turns).toBeGreaterThan(2);
  });
});

describe('SEC-15, SEC-39 a flood of secrets', () => {
  const outcomes = (results: PromiseSettledResult<unknown>[]) => {
    const refused = results.filter((result) => result.status === 'rejected').map(({ reason }) => reason as unknown);
    for (const reason of refused) expect(reason).toBeInstanceOf(TooManyHashes);
    return { checked: results.length - refused.length, refused: refused.length };
  };

  it('of clients: one is checked and twenty wait; passwords pass it by', async () => {
    const password = await hashSecret('right', CHEAP);
    const secret = await hashSecret('chosen', CLIENT_SECRET_COST);
    let ended = 0;
    const flood = Array.from({ length: 300 }, async (_, guess) => {
      await hashesOfClientSecret(`guess-${guess}`, [secret], HERE);
      ended += 1;
    });
    const all = Promise.allSettled(flood);
    expect(await verifySecret('right', [password])).toBe(true);
    expect(ended).toBeLessThan(21);
    expect(outcomes(await all)).toEqual({ checked: 21, refused: 279 });
    expect(await hashesOfClientSecret('chosen', [secret], HERE)).toEqual([secret]);
  });

  it('of passwords: two are checked and a hundred wait; whoever sets a password is never turned away', async () => {
    const password = await hashSecret('right', CHEAP);
    const flood = Array.from({ length: 150 }, (_, guess) => verifySecret(`guess-${guess}`, [password]));
    const all = Promise.allSettled(flood);
    expect(await hashSecret('new', CHEAP)).toMatch(/^scrypt/);
    expect(outcomes(await all)).toEqual({ checked: 102, refused: 48 });
    expect(await verifySecret('right', [password])).toBe(true);
  });

  it('SEC-59 from one network turns away nobody of another: neither passwords nor secrets of clients', async () => {
    const password = await hashSecret('right', CHEAP);
    const flood = [
      ...Array.from({ length: 150 }, (_, guess) => verifySecret(`guess-${guess}`, [password])),
      ...Array.from({ length: 50 }, (_, guess) => hashesOfClientSecret(`guess-${guess}`, [password], HERE)),
    ];
    const all = Promise.allSettled(flood);
    const others = Promise.all([
      verifySecret('right', [password], ELSEWHERE),
      hashesOfClientSecret('right', [password], ELSEWHERE),
    ]);
    expect(await others).toEqual([true, [password]]);
    // Each of the two took the place of one of the flood.
    expect(outcomes(await all)).toEqual({ checked: 102 - 1 + 21 - 1, refused: 48 + 1 + 29 + 1 });
  });
});
