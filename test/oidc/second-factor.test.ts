// Security checklist 41, and what a second factor means to relying parties, from outside: an authenticator app (otpauth), a
// person without scripts, openid-client. `test/store/second-factors.test.ts` proves the codes themselves on both engines.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { TOTP } from 'otpauth';
import { PASSWORD_ACR, SECOND_FACTOR_ACR } from '../../src/oidc/authentication-context.ts';
import { SECOND_FACTOR } from '../../src/oidc/clients.ts';
import { createSealing } from '../../src/shared/sealing.ts';
import { stepAt, totp } from '../../src/shared/totp.ts';
import { openAuditEvents } from '../../src/store/audit-events.ts';
import { openSecondFactors, type SecondFactors } from '../../src/store/second-factors.ts';
import { createPerson, type Person, type Visit } from '../person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, type RunningService, startService, testClients } from '../service.ts';
import { authorizationUrl, CREDENTIALS, signIn } from './relying-party.ts';

const ME = DEMO_ACCOUNTS[0]?.id ?? '';
const essential = (acr: object) => ({
  claims: JSON.stringify({ id_token: { acr: { essential: true, ...acr }, amr: null } }),
});
const TWO = essential({ value: SECOND_FACTOR_ACR });
const AMR = { claims: JSON.stringify({ id_token: { acr: null, amr: null } }) };

let service: RunningService;
let factors: SecondFactors;
let secret: Buffer;
let recoveryCodes: string[];

beforeAll(async () => {
  service = await startService();
  factors = openSecondFactors(service.database, createSealing([]));
});
afterEach(async () => {
  await factors.remove(ME);
  await service.database('sign_in_failures').delete();
});
afterAll(() => service.stop());

/** Gives the account an app, as one that was set up yesterday. */
async function haveApp(account = ME): Promise<void> {
  const proposal = await factors.propose(account);
  secret = await factors.secretOf(account, proposal);
  recoveryCodes = (await factors.setUp(account, proposal, code())) ?? [];
  await anotherHalfMinute();
}
/** What the app shows. */
const code = () => totp(secret, stepAt(Date.now() / 1000));
/** As time would: the code on show was not used yet. */
const anotherHalfMinute = () => service.database('second_factors').update({ last_step: 0 });

const enter = async (person: Person, parameters: Record<string, string> = {}): Promise<Visit> =>
  person.press(await person.visit(authorizationUrl(service, parameters)), 'sign-in', CREDENTIALS);
const newPerson = () => createPerson(service.issuer);
const consent = async (person: Person, page: Visit) =>
  page.html.includes('id="allow"') ? person.press(page, 'allow') : page;
/** The ID token's claims for somebody who is signed in by now. */
const claimsFor = async (person: Person, parameters: Record<string, string>) =>
  (await signIn(service, { person, parameters })).tokens.claims();

describe('SEC-41 who has a second factor', () => {
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
    await haveApp();
    const [recovery = ''] = recoveryCodes;
    const person = newPerson();
    const typed = recovery.toLowerCase().replaceAll('-', ' ');
    const done = await person.press(await enter(person), 'verify', { recovery: typed });
    expect((await consent(person, done)).left).toBeDefined();
    const again = newPerson();
    const refused = await again.press(await enter(again), 'verify', { recovery });
    expect(refused.status).toBe(422);
    expect(refused.html).toContain('Code de secours incorrect');
    expect(await factors.find(ME)).toMatchObject({ recoveryCodes: 7 });
  });

  it('SEC-41 a wrong code and none at all are told, and the next one is taken', async () => {
    await haveApp();
    const person = newPerson();
    let page = await enter(person);
    for (const [sent, words] of [
      ['000000', 'Code incorrect'],
      ['', 'Il manque le code'],
      ['not a code', 'Code incorrect'],
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

describe('SEC-41 a demand for a second factor', () => {
  async function setUpAt(person: Person, page: Visit): Promise<{ shown: Visit; typed: string }> {
    const key = /<p class="secret-key"><code>([A-Z2-7 ]+)<\/code>/.exec(page.html)?.[1]?.replaceAll(' ', '') ?? '';
    const typed = new TOTP({ secret: key }).generate();
    return { typed, shown: await person.press(page, 'set-up', { code: typed }) };
  }

  it('SEC-41 an essential acr has people set one up, and SEC-17 shows the recovery codes once', async () => {
    const person = newPerson();
    const page = await enter(person, TWO);
    expect(page.html).toContain('<svg class="qr"');
    const wrong = await person.press(page, 'set-up', { code: '000000' });
    expect(wrong.status).toBe(422);
    expect(await factors.find(ME)).toBeUndefined();
    const { shown, typed } = await setUpAt(person, wrong);
    const codes = [...shown.html.matchAll(/<li><code>([0-9A-Z-]+)<\/code>/g)].map(([, text]) => text ?? '');
    expect(codes).toHaveLength(8);
    expect(shown.headers.get('cache-control')).toBe('no-store');
    const done = await consent(person, await person.press(shown, 'continue'));
    expect(done.left?.searchParams.get('code')).toBeTruthy();
    expect(await claimsFor(person, TWO)).toMatchObject({ acr: SECOND_FACTOR_ACR, amr: ['pwd', 'otp', 'mfa'] });
    // What set it up is spent; a recovery code is good from now on.
    const next = newPerson();
    const asked = await enter(next);
    expect((await next.press(asked, 'verify', { code: typed })).html).toContain('Ce code a déjà servi');
    expect((await consent(next, await next.press(asked, 'verify', { recovery: codes[3] ?? '' }))).left).toBeDefined();
    const rows = JSON.stringify(await service.database('page_sessions'));
    for (const text of [...codes, ...codes.map((one) => one.replaceAll('-', ''))]) {
      expect(rows).not.toContain(text);
      expect(service.logged()).not.toContain(text);
    }
  });

  it('a reloaded page of recovery codes goes on; it shows them to nobody again', async () => {
    const person = newPerson();
    const { shown } = await setUpAt(person, await enter(person, TWO));
    expect(shown.html).toContain('id="continue"');
    const reloaded = await person.visit(shown.url);
    expect((await consent(person, reloaded)).left?.searchParams.get('code')).toBeTruthy();
  });

  it('SEC-41 one that was set up meanwhile is not replaced by who knows the password alone', async () => {
    const thief = newPerson();
    const page = await enter(thief, TWO);
    await haveApp();
    const { shown } = await setUpAt(thief, page);
    expect(shown.html).toContain('id="verify"');
    expect(await factors.take(ME, code())).toBe('code');
  });

  it('an application of which the operator demands it, and no other', async () => {
    const clients = (await testClients()).map((client) =>
      client.id === 'trusted' ? { ...client, secondFactor: 'required' as const } : client,
    );
    service.replaceClients(clients);
    const person = newPerson();
    const { left } = await consent(person, await enter(person));
    expect(left).toBeDefined();
    expect(
      (await person.visit(authorizationUrl(service, { client_id: 'trusted', prompt: 'none' }))).left?.search,
    ).toContain('error=login_required');
    const page = await person.visit(authorizationUrl(service, { client_id: 'trusted' }));
    // Setting one up takes the password: an unattended browser is not enough.
    const setUp = await person.press(page, 'sign-in', CREDENTIALS);
    expect((await setUpAt(person, setUp)).shown.html).toContain('id="continue"');
    expect(SECOND_FACTOR).toBe('hygie_second_factor');
    service.replaceClients(await testClients());
  });

  it('who is signed in with a password is asked for the code alone, and auth_time stays that of the password', async () => {
    const person = newPerson();
    await consent(person, await enter(person));
    const before = await claimsFor(person, AMR);
    expect(before).toMatchObject({ acr: PASSWORD_ACR, amr: ['pwd'] });
    await haveApp();
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const asked = await person.visit(authorizationUrl(service, TWO));
    expect(asked.html).toContain('id="verify"');
    expect(asked.html).not.toContain('type="password"');
    const done = await person.press(asked, 'verify', { code: code() });
    expect((await consent(person, done)).left?.searchParams.get('code')).toBeTruthy();
    const after = await claimsFor(person, { ...TWO, max_age: '3600' });
    expect(after).toMatchObject({ acr: SECOND_FACTOR_ACR, amr: ['pwd', 'otp', 'mfa'], auth_time: expect.any(Number) });
    const first = await claimsFor(person, { max_age: '3600' });
    expect(first?.auth_time).toBe(after?.auth_time);
    expect((await service.database('oidc_records').where({ model: 'Session', account_id: ME })).length).toBeGreaterThan(
      0,
    );
  });

  it('a session that ended meanwhile is not revived by a code', async () => {
    const person = newPerson();
    await consent(person, await enter(person));
    await haveApp();
    const asked = await person.visit(authorizationUrl(service, TWO));
    await service.database('oidc_records').where({ model: 'Session', account_id: ME }).delete();
    const refused = await person.press(asked, 'verify', { code: code() });
    expect(refused.status).toBe(400);
    expect(refused.left).toBeUndefined();
  });

  it('Core 5.5.1.1 an essential acr of a password alone is met by two factors, and called as it was asked for', async () => {
    await haveApp();
    const person = newPerson();
    await consent(person, await person.press(await enter(person), 'verify', { code: code() }));
    expect(await claimsFor(person, essential({ value: PASSWORD_ACR }))).toMatchObject({ acr: PASSWORD_ACR });
    expect(await claimsFor(person, essential({ values: ['urn:x', PASSWORD_ACR] }))).toMatchObject({
      acr: PASSWORD_ACR,
    });
    expect(await claimsFor(person, essential({ values: [PASSWORD_ACR, SECOND_FACTOR_ACR] }))).toMatchObject({
      acr: SECOND_FACTOR_ACR,
    });
    expect(await claimsFor(person, AMR)).toMatchObject({ acr: SECOND_FACTOR_ACR });
  });

  it('RFC 9470 acr_values ask those who have one, and let the others in with a password', async () => {
    const wish = { acr_values: `${SECOND_FACTOR_ACR} ${PASSWORD_ACR}` };
    const person = newPerson();
    await consent(person, await enter(person, wish));
    expect(await claimsFor(person, wish)).toMatchObject({ acr: PASSWORD_ACR });
    await haveApp();
    expect((await person.visit(authorizationUrl(service, wish))).html).toContain('id="verify"');
    const content = { acr_values: `${PASSWORD_ACR} ${SECOND_FACTOR_ACR}` };
    expect(await claimsFor(person, content)).toMatchObject({ acr: PASSWORD_ACR });
  });

  it('another account can be chosen at the second step', async () => {
    await haveApp();
    const person = newPerson();
    const begun = await person.press(await enter(person), 'other-account');
    expect(begun.html).toContain('id="sign-in"');
    const other = { login: DEMO_ACCOUNTS[1]?.email ?? '', password: DEMO_PASSWORD };
    const done = await consent(person, await person.press(begun, 'sign-in', other));
    expect(done.left?.searchParams.get('code')).toBeTruthy();
  });
});

describe('SEC-41 a second factor that the service demands of all', () => {
  it('nobody comes in with a password alone', async () => {
    const strict = await startService({ adjust: (settings) => ({ ...settings, secondFactor: 'required' }) });
    try {
      const person = createPerson(strict.issuer);
      const page = await person.press(await person.visit(authorizationUrl(strict)), 'sign-in', CREDENTIALS);
      expect(page.html).toContain('id="set-up"');
      expect((await person.visit(authorizationUrl(strict, { prompt: 'none' }))).left?.search).toContain(
        'login_required',
      );
    } finally {
      await strict.stop();
    }
  });
});
