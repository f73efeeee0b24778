// SEC-55: which sign-ins stay valid; and what is read from SQLite is kept until the next commit.

import { describe, expect, it } from '@jest/globals';
import { changeIn, type LinkChange, referencesOf, suspension } from '#store/accounts/links/link-changes.ts';
import { isSignInValid, signInTime } from '#store/accounts/sign-in-validity.ts';
import { cacheUntilCommit } from '#store/database/data-version.ts';

describe('sign-ins, links and kept readings', () => {
  it.each([
    ['sessions were never ended', {}, undefined, undefined, true],
    ['before', { sessionsNotBefore: 100 }, 99, undefined, false],
    ['at the second itself', { sessionsNotBefore: 100 }, 100, undefined, true],
    ['at an unknown time', { sessionsNotBefore: 100 }, undefined, 's', false],
    ['before, in the kept session', { sessionsNotBefore: 100, keptSession: 's' }, 99, 's', true],
    ['before, in another session', { sessionsNotBefore: 100, keptSession: 's' }, 99, 't', false],
    ['before, in no session', { sessionsNotBefore: 100 }, 99, undefined, false],
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

  it('a reading is kept until the next commit, unless nothing was found or it belongs to a commit before', async () => {
    let version = 1;
    const asked: string[] = [];
    let answer = () => {};
    const find = async (key: string) => {
      asked.push(key);
      if (key === 'late')
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
      return key === 'none' ? undefined : { key };
    };
    const cached = cacheUntilCommit({ current: () => version }, find);
    for (const key of ['a', 'a', 'none', 'none', 'b']) await cached(key);
    expect(asked.splice(0)).toEqual(['a', 'none', 'none', 'b']);
    const late = cached('late');
    version = 2;
    expect(await cached('a')).toEqual({ key: 'a' });
    answer();
    expect(await late).toEqual({ key: 'late' });
    const again = cached('late');
    answer();
    await again;
    await cached('a');
    expect(asked).toEqual(['late', 'a', 'late']);
    expect(cacheUntilCommit(undefined, find)).toBe(find);
  });

  it('five thousand readings are kept, and then begin anew', async () => {
    let asked = 0;
    const cached = cacheUntilCommit({ current: () => 1 }, async (key) => {
      asked += 1;
      return { key };
    });
    for (let at = 0; at < 5000; at++) await cached(String(at));
    await cached('0');
    expect(asked).toBe(5000);
    await cached('more');
    await cached('0');
    expect(asked).toBe(5002);
  });
});
