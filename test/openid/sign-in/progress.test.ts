// How long what a person has proved counts for the next page of a sign-in.

import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { progressOf } from '#openid/sign-in/finish-login.ts';
import type { SignInContext } from '#openid/sign-in/page-context.ts';

describe('SEC-70 the progress of a sign-in', () => {
  afterEach(() => void jest.useRealTimers());

  /** What is left of a progress that began at second 1000, `age` seconds later. */
  async function left(age: number, more: object = {}, stillRight = true) {
    jest.useFakeTimers({ now: (1000 + age) * 1000 });
    const progress = { uid: 'one', accountId: 'me', email: '', methods: ['password'], signedInAt: 1000, ...more };
    const session = { progress };
    const found = await progressOf({
      req: { session },
      interaction: { uid: 'one', prompt: 'login' },
      secondFactors: { kinds: async () => [] },
      stillRight: async () => stillRight,
    } as unknown as SignInContext);
    expect(session.progress).toBe(found);
    return found === progress;
  }

  it('with the proposal of an app holds for ten minutes', async () => {
    expect(await left(600, { proposal: 'app' })).toBe(true);
    expect(await left(601, { proposal: 'app' })).toBe(false);
  });

  it('without one holds as long as the interaction, unless the password was changed or the second factor removed', async () => {
    expect(await left(601)).toBe(true);
    expect(await left(0, {}, false)).toBe(false);
    expect(await left(0, { methods: ['password', 'otp'] })).toBe(false);
  });
});
