// SEC-40, SEC-66: which passwords are good.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { DIGEST_BYTES, isBreached, LIST } from '#shared/breached-passwords/breached-passwords.ts';
import { passwordProblems } from '#shared/crypto/password-rules.ts';

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

  const bad: [password: string, issue: string][] = [
    ['elevenchars', 'too-short'],
    ['😀'.repeat(11), 'too-short'],
    ['ab'.repeat(200), 'too-long'],
    ['aaaaaaaaaaaa', 'common'],
    ['abcabcabcabcabc', 'common'],
    ['123456789012', 'common'],
    ['abcdefghijkl', 'common'],
    ['azertyuiop123', 'common'],
    ['qwerty123456', 'common'],
    ['1q2w3e4r5t6y', 'common'],
    ['Password1234!', 'common'],
    ['P4ssw0rd2026', 'common'],
    ['Mot-de-passe-2026', 'common'],
    ['bonjourbonjour', 'common'],
    ['Marie.Dupont2026', 'personal'],
    ['dupontclinique', 'personal'],
  ];
  it.each(bad)('%s is refused: %s', async (password, issue) =>
    expect(await passwordProblems(password, owner)).toContain(issue),
  );
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

  it('of a thousand random ones none is taken for a listed one', async () => {
    const random = Array.from({ length: 1000 }, (_, index) =>
      createHash('sha256').update(`${index}`).digest('base64url'),
    );
    const refused = [];
    for (const password of random) if (await isBreached([password])) refused.push(password);
    expect(refused).toEqual([]);
  });
});
