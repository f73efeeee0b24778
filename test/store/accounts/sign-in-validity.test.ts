// SEC-55: which sign-ins stay valid.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { isSignInValid, signInTime } from '#store/accounts/end-sessions.ts';
import { changeIn, type LinkChange, referencesOf, suspension } from '#store/accounts/links/link-changes.ts';

describe('sign-ins and links', () => {
  beforeEach(() => void jest.spyOn(Date, 'now').mockReturnValue(1_000_000));
  afterEach(() => void jest.restoreAllMocks());

  it.each([
    ['sessions were never ended', {}, undefined, undefined, true],
    ['before', { sessionsNotBefore: 100 }, 99, undefined, false],
    ['at the second itself', { sessionsNotBefore: 100 }, 100, undefined, true],
    ['at an unknown time', { sessionsNotBefore: 100 }, undefined, 's', false],
    ['before, in the kept session', { sessionsNotBefore: 100, keptSession: 's' }, 99, 's', true],
    ['before, in another session', { sessionsNotBefore: 100, keptSession: 's' }, 99, 't', false],
    ['before, in no session', { sessionsNotBefore: 100 }, 99, undefined, false],
    ['a day ahead of the clock', { sessionsNotBefore: 100 }, 87_400, undefined, true],
    ['by a clock that was ahead', { sessionsNotBefore: 100 }, 87_401, undefined, false],
    ['by a clock that was ahead, at the second itself', { sessionsNotBefore: 90_000 }, 90_000, undefined, true],
    ['after the second itself, by a clock that was ahead', { sessionsNotBefore: 90_000 }, 90_001, undefined, false],
  ])('a sign-in %s', (_when, limit, signedInAt, session, valid) => {
    expect(isSignInValid(limit, signedInAt, session)).toBe(valid);
  });

  it('a sign-in with a new password is never dated before it', () => {
    const now = Math.floor(Date.now() / 1000);
    expect(signInTime({ sessionsNotBefore: now + 1000 })).toBe(now + 1000);
    expect(signInTime({ sessionsNotBefore: now - 1000 })).toBeGreaterThanOrEqual(now);
    expect(signInTime({})).toBeGreaterThanOrEqual(now);
  });

  it.each<[LinkChange['change'], string | undefined, boolean, boolean]>([
    ['left', undefined, true, true],
    ['left', 'e1', false, false],
    ['left', 'e2', true, true],
    ['other', 'e2', true, true],
    ['missing', 'e2', true, false],
  ])('a link that is changed (%s) in the edition %s', (change, edition, changed, suspended) => {
    const known: LinkChange = { change, since: 'e2', holdsIn: ['e0', 'e1'] };
    expect(changeIn(known, edition)).toBe(changed ? known : undefined);
    expect(suspension(known, edition)).toBe(suspended ? known : undefined);
  });

  it('links name people before structures', () => {
    expect(referencesOf({ practitioners: ['1'], workspaces: ['2', '3'] })).toEqual([
      'Practitioner/1',
      'Organization/2',
      'Organization/3',
    ]);
  });
});
