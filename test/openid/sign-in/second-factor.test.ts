// Security checklist 41, and what a second factor means to people, from outside: an authenticator app, a person without scripts.
// What relying parties and operators demand: `authentication-context.test.ts`; the codes themselves, on both engines:
// `test/store/accounts/second-factors.test.ts`.

import { describe, expect, it } from '@jest/globals';
import { SECOND_FACTOR_ACR } from '#openid/tokens/authentication-context.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { authorizationUrl, CREDENTIALS } from '#support/openid/relying-party.ts';
import {
  AMR,
  claimsFor,
  code,
  consent,
  enter,
  factors,
  haveApp,
  ME,
  newPerson,
  service,
  withTwoSteps,
} from '#support/openid/two-steps.ts';
import type { Visit } from '#support/person.ts';

describe('SEC-41 who has a second factor', () => {
  withTwoSteps();

  it('SEC-41 is asked for a code after the password, and is signed in with two factors', async () => {
    await haveApp();
    const person = newPerson();
    const asked = await enter(person);
    expect(asked.html).toMatch(/<input id="code" name="code"[^>]* inputmode="numeric" autocomplete="one-time-code"/);
    expect([...person.cookies.keys()].some((name) => name.startsWith('hygie_session '))).toBe(false);
    const done = await consent(person, await person.press(asked, 'verify', { code: code() }));
    expect(done.left?.searchParams.get('code')).toBeTruthy();
    expect(await claimsFor(person, AMR)).toMatchObject({ acr: SECOND_FACTOR_ACR, amr: ['pwd', 'otp', 'mfa'] });
  });

  it('SEC-41 a code works once: the same one at another sign-in is refused, and said to be used', async () => {
    await haveApp();
    const shown = code();
    const [first, second] = [newPerson(), newPerson()];
    const pages = [await enter(first), await enter(second)] as const;
    expect((await consent(first, await first.press(pages[0], 'verify', { code: shown }))).left).toBeDefined();
    const refused = await second.press(pages[1], 'verify', { code: shown });
    expect(refused).toMatchObject({ status: 422 });
    expect(refused.html).toContain('Ce code a déjà servi');
  });

  it('SEC-41 of ten browsers that send the same code at once one is signed in', async () => {
    await haveApp();
    const people = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const person = newPerson();
        return { person, page: await enter(person) };
      }),
    );
    const shown = code();
    const answers = await Promise.all(people.map(({ person, page }) => person.press(page, 'verify', { code: shown })));
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(9);
  });

  it('SEC-41 a recovery code stands in for the app, once', async () => {
    const [recovery = ''] = await haveApp();
    const person = newPerson();
    const typed = recovery.toLowerCase().replaceAll('-', ' ');
    const done = await person.press(await enter(person), 'verify', { recovery: typed });
    expect((await consent(person, done)).left).toBeDefined();
    const again = newPerson();
    const refused = await again.press(await enter(again), 'verify', { recovery });
    expect(refused.status).toBe(422);
    expect(refused.html).toContain('id="recovery-problem"');
    expect(await factors.find(ME)).toMatchObject({ recoveryCodes: 7 });
  });

  it('SEC-41 a wrong code and none at all are told, and the next one is taken', async () => {
    await haveApp();
    const person = newPerson();
    let page = await enter(person);
    for (const [sent, words] of [
      ['000000', 'Ce code n’a pas fonctionné'],
      ['', 'Il manque le code'],
      ['not a code', 'Ce code n’a pas fonctionné'],
    ] as const) {
      page = await person.press(page, 'verify', { code: sent });
      expect([page.status, page.html.includes(words)]).toEqual([422, true]);
    }
    page = await person.press(page, 'verify', { code: code() });
    expect((await consent(person, page)).left).toBeDefined();
  });

  it('SEC-39 wrong codes have to wait, although the password is right each time; SEC-48 all of it is on record', async () => {
    await haveApp();
    const { accountFailures } = service.settings.limits;
    let answer: Visit | undefined;
    for (let guess = 0; guess <= accountFailures; guess += 1) {
      const person = newPerson();
      answer = await person.press(await enter(person), 'verify', { code: '000000' });
    }
    expect(answer?.status).toBe(429);
    const right = newPerson();
    expect(await right.press(await enter(right), 'verify', { code: code() })).toMatchObject({ status: 429 });
    const trail = await openAuditEvents(service.database).search({ account: ME, limit: 1000 });
    const last = trail.slice(-accountFailures - 2).map(({ event, details }) => [event, details?.['reason']]);
    expect(last.slice(0, accountFailures)).toEqual(Array(accountFailures).fill(['sign-in.failed', 'code']));
    expect(last.slice(-2)).toEqual(Array(2).fill(['sign-in.throttled', undefined]));
  });

  it('SEC-33, SEC-35 the step belongs to the browser that knew the password, and the session id changes on the way', async () => {
    await haveApp();
    const person = newPerson();
    const login = await person.visit(authorizationUrl(service));
    const pageId = () => [...person.cookies].find(([name]) => name.startsWith('hygie_page '))?.[1];
    const before = pageId();
    const asked = await person.press(login, 'sign-in', CREDENTIALS);
    expect(pageId()).not.toBe(before);
    const stranger = newPerson();
    expect((await stranger.visit(asked.url)).html).toContain('Cette page a expiré');
    const posted = await stranger.press(asked, 'verify', { code: code() });
    expect(posted.status).toBe(400);
    // What was proved in one sign-in is nothing in the next.
    expect((await person.visit(authorizationUrl(service))).html).toContain('id="sign-in"');
  });

  it('SEC-32 the forms of the step carry the token, and none of another site counts', async () => {
    await haveApp();
    const person = newPerson();
    const asked = await enter(person);
    const stale = await person.press(asked, 'verify', { csrf: 'made up', code: code() });
    expect(stale.status).toBe(403);
    expect(stale.html).toContain('id="verify"');
    const body = new URLSearchParams({ code: code() });
    const headers = { origin: 'https://evil.example' };
    expect((await person.visit(`${asked.url}/code`, { method: 'POST', body, headers })).status).toBe(403);
    expect((await consent(person, await person.press(stale, 'verify', { code: code() }))).left).toBeDefined();
  });

  it('SEC-43, SEC-44 bad input is refused and keeps the step', async () => {
    await haveApp();
    const person = newPerson();
    const asked = await enter(person);
    const csrf = /name="csrf" value="([^"]+)"/.exec(asked.html)?.[1] ?? '';
    const post = (body: string) =>
      person.visit(`${asked.url}/code`, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      });
    const own = `csrf=${csrf}`;
    expect((await post(`${own}&code=1&code=2`)).status).toBe(400);
    expect((await post(`${own}&code=%00`)).status).toBe(400);
    expect((await post(`${own}&recovery=x%0d%0aset-cookie:x`)).status).toBe(400);
    expect((await post(`${own}&code=${'1'.repeat(9000)}`)).status).toBe(413);
    expect((await post(`${own}&code=${'9'.repeat(5000)}`)).status).toBe(422);
    expect((await person.visit(asked.url)).html).toContain('id="verify"');
  });
});
