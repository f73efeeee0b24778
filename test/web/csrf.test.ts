// SEC-32: the token of a form is another text on every page, and counts only as it was made.

import { describe, expect, it } from '@jest/globals';
import { csrfField, derivedTokens, isValidToken, tokensOfSession } from '#web/forms/csrf.ts';

const [token] = tokensOfSession({});
const sent = () => /value="([^"]+)"/.exec(String(csrfField(token)))?.[1] ?? '';

describe('SEC-32 the token of a form', () => {
  it('is never written as it is, nor twice alike: what is compressed beside it tells nothing of it (BREACH)', () => {
    const fields = Array.from({ length: 50 }, sent);
    expect(new Set(fields).size).toBe(50);
    expect(new Set(fields.map((field) => field.slice(32))).size).toBe(50);
    expect(fields.filter((field) => field.includes(token))).toEqual([]);
    expect(fields.every((field) => isValidToken([token], field))).toBe(true);
  });

  it('counts under each key, and not when it is changed, cut, bare or of another browser', () => {
    const tokensOf = derivedTokens(['new', 'old']);
    const [fresh, old = ''] = tokensOf('browser');
    const field = (of: string) => /value="([^"]+)"/.exec(String(csrfField(of)))?.[1] ?? '';
    expect([fresh, old].map((one) => isValidToken(tokensOf('browser'), field(one)))).toEqual([true, true]);
    const good = sent();
    const changed = (good[0] === 'A' ? 'B' : 'A') + good.slice(1);
    for (const bad of [
      '',
      undefined,
      token,
      changed,
      good.slice(0, -4),
      `${good}AAAA`,
      good.slice(32),
      field(tokensOf('other')[0]),
    ]) {
      expect([bad, isValidToken([token], bad)]).toEqual([bad, false]);
    }
  });
});
