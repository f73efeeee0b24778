// The button by which each account page signs out at once (SEC-37), and the person's own typing errors among their events.

import { describe, expect, it } from '@jest/globals';
import { errorHandler } from '#openid/account/errors.ts';
import { SessionGone } from '#store/accounts/end-sessions.ts';
import { RETRY_SECONDS } from '#store/database/transient-errors.ts';
import { credentialsOf, enteredBy } from '#support/openid/account/person-of-account.ts';
import { faultyPages } from '#support/openid/faulty-pages.ts';
import { signIn, statusWith } from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';

describe('sign-out and errors', () => {
  withService();

  const userinfo = (token: string) => statusWith(service, token);

  it('SEC-37 SEC-55 the button of each page signs out in one click, with all tokens; no other form does', async () => {
    const { person } = await enteredBy(service.issuer, 7);
    const { tokens } = await signIn(service, { person, credentials: credentialsOf(7) });
    const page = await person.visit('/account');
    const stale = await person.press(page, 'sign-out', { csrf: 'x' });
    expect([new URL(stale.url).pathname, await userinfo(tokens.access_token)]).toEqual(['/logout', 200]);
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const foreign = await person.visit('/account/sign-out', { method: 'POST', headers, body: new URLSearchParams() });
    expect([foreign.status, await userinfo(tokens.access_token)]).toEqual([403, 200]);
    const kept = new Map(person.cookies);
    const out = await person.press(page, 'sign-out');
    expect([out.html.includes('id="account"'), await userinfo(tokens.access_token)]).toEqual([true, 401]);
    // What the browser had opens nothing any more.
    for (const [name, value] of kept) person.cookies.set(name, value);
    expect((await person.visit('/account')).html).toContain('id="sign-in"');
  });

  it('a form that was sent after its session had ended is said to have had no effect, once the person is back', async () => {
    const { person } = await enteredBy(service.issuer, 6);
    const page = await person.visit('/account/profile');
    for (const name of ['hygie_session /', 'hygie_account /account']) person.cookies.delete(name);
    const back = await person.press(await person.press(page, 'save-profile'), 'sign-in', credentialsOf(6));
    expect([new URL(back.url).pathname, back.html.includes('id="problem"')]).toEqual(['/account/profile', true]);
    expect(back.html).toContain('not carried out');
    expect((await person.visit('/account/profile')).html).not.toContain('not carried out');
    // Who only opened a page has sent nothing.
    for (const name of ['hygie_session /', 'hygie_account /account']) person.cookies.delete(name);
    const opened = await person.press(await person.visit('/account/profile'), 'sign-in', credentialsOf(6));
    expect(opened.html).not.toContain('id="problem"');
  });

  it('nobody signs in to sign out: without a session the button leads to the page that says so', async () => {
    const { person } = await enteredBy(service.issuer, 6);
    const page = await person.visit('/account');
    for (const name of ['hygie_session /', 'hygie_account /account']) person.cookies.delete(name);
    const out = await person.press(page, 'sign-out');
    expect([out.status, out.html.includes('id="sign-in"'), out.html.includes('You are not signed in')]).toEqual([
      200,
      false,
      true,
    ]);
  });

  it('one’s own typing error is told from a stranger’s attempt', async () => {
    const person = createPerson(service.issuer);
    person.cookies.set('hygie_language /', 'en');
    const enter = async (browser: Person, password: string, page?: Visit) =>
      browser.press(page ?? (await browser.visit('/account/activity')), 'sign-in', { ...credentialsOf(8), password });
    await enter(createPerson(service.issuer), 'of a stranger');
    const wrong = await enter(person, 'a typing error');
    await enter(person, credentialsOf(8).password, wrong);
    // Given up, at a browser that the account knows by now.
    for (const name of ['hygie_session /', 'hygie_account /account']) person.cookies.delete(name);
    await enter(person, 'another one');
    const { html } = await enter(person, credentialsOf(8).password);
    const refused = [...html.matchAll(/<li class="refused[^"]*"><h2>[^<]*<\/h2>[\s\S]*?<\/ul>/g)].map(([one]) => one);
    expect(refused.map((one) => /by an unidentified|before you signed in|used before/.exec(one)?.[0])).toEqual([
      'used before',
      'before you signed in',
      'by an unidentified',
    ]);
  });

  it('a page that fails says so with the id of the request, leads to where to start again, and the log has the cause', async () => {
    const { ask, logged, options } = faultyPages();
    const handler = errorHandler(options as never, () => '/account/again');
    const { status, html } = await ask(handler, new Error('broken'));
    expect([status, html.includes('request-1'), html.includes('href="/account/again"')]).toEqual([500, true, true]);
    expect(logged).toEqual([[{ err: new Error('broken'), reference: 'request-1' }, 'a page of an account failed']]);
    const orphan = Object.assign(new Error('gone'), { code: 'SQLITE_CONSTRAINT_FOREIGNKEY' });
    expect(await ask(handler, orphan)).toMatchObject({ status: 303, location: '/account/again' });
    expect(await ask(handler, new SessionGone('ended'))).toMatchObject({ status: 303, location: '/account/again' });
    const busy = Object.assign(new Error('busy'), { code: 'SQLITE_BUSY' });
    expect(await ask(handler, busy)).toMatchObject({ status: 503, retryAfter: String(RETRY_SECONDS) });
  });
});
