// SEC-33, SEC-35: a browser can send the cookie of a request once more, also after its end. Nothing that was proved for the request before
// counts then: the next person at a shared computer types a password.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { authorizationUrl, CREDENTIALS } from '#support/openid/relying-party.ts';
import { consent, haveApp, KEPT, newPerson, service, setUpAt, startTwoSteps, TWO } from '#support/openid/two-steps.ts';
import type { Person } from '#support/person.ts';

beforeAll(startTwoSteps);
afterAll(() => service.stop());
afterEach(async () => {
  await service.database('second_factors').delete();
});

/** Begins a sign-in; `restore` puts the cookies with which it began back into the browser. */
async function begin(person: Person) {
  const login = await person.visit(authorizationUrl(service, TWO));
  const kept = new Map(person.cookies);
  const restore = () => {
    for (const [key, value] of kept) person.cookies.set(key, value);
  };
  return { login, restore };
}

async function signOut(person: Person) {
  await person.press(await person.visit('/logout'), 'sign-out');
  expect((await person.visit(authorizationUrl(service, { prompt: 'none' }))).left?.searchParams.get('error')).toBe(
    'login_required',
  );
}

describe('a request that is sent once more after its end', () => {
  it.each(['continue', 'reload'])('asks for the password where a second factor was set up before (%s)', async (how) => {
    const person = newPerson();
    const { login, restore } = await begin(person);
    const setUp = await person.press(login, 'sign-in', CREDENTIALS);
    const { shown } = await setUpAt(person, setUp);
    const next = await person.press(how === 'continue' ? shown : await person.visit(login.url), 'continue', KEPT);
    expect((await consent(person, next)).left?.searchParams.has('code')).toBe(true);
    await signOut(person);

    restore();
    const again = await person.visit(login.url);
    expect([again.left, again.html.includes('id="sign-in"')]).toEqual([undefined, true]);
  });

  it.each([
    ['the code of an app', true],
    ['an app to be set up', false],
  ])('asks for the password where it was refused at the question for %s', async (_what, app) => {
    if (app) await haveApp();
    const person = newPerson();
    const { login, restore } = await begin(person);
    const second = await person.press(login, 'sign-in', CREDENTIALS);
    expect(second.html).toContain(app ? 'id="verify"' : 'id="set-up"');
    expect((await person.press(login, 'cancel')).left?.searchParams.get('error')).toBe('access_denied');

    restore();
    expect((await person.visit(login.url)).html).toContain('id="sign-in"');
  });
});
