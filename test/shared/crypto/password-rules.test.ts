// SEC-40: which passwords are good.

import { describe, expect, it } from '@jest/globals';
import { passwordProblems } from '../../../src/shared/crypto/password-rules.ts';

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
  it.each(good)('%s is taken', (password) => expect(passwordProblems(password, owner)).toEqual([]));

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
  it.each(bad)('%s is refused: %s', (password, issue) => expect(passwordProblems(password, owner)).toContain(issue));
});
