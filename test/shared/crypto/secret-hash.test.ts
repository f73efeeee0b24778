// SEC-16: secrets are hashed, slowly.

import { describe, expect, it } from '@jest/globals';
import { hashSecret, isSecretHash, matchingHashes, needsRehash, PASSWORD_COST } from '#shared/crypto/secret-hash.ts';

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
