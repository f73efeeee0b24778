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
});
