// Security checklist 41, and what a second factor means to relying parties and operators: demands for it by acr, by
// acr_values, for an application and for the whole service (OpenID Connect Core section 5.5.1.1, RFC 9470).

import { describe, expect, it } from '@jest/globals';
import { SECOND_FACTOR } from '#openid/clients/client-registry.ts';
import { PASSWORD_ACR, SECOND_FACTOR_ACR } from '#openid/tokens/authentication-context.ts';
import { authorizationUrl, CREDENTIALS } from '#support/openid/relying-party.ts';
import {
  AMR,
  claimsFor,
  code,
  consent,
  enter,
  essential,
  factors,
  haveApp,
  KEPT,
  ME,
  newPerson,
  service,
  setUpAt,
  TWO,
  withTwoSteps,
} from '#support/openid/two-steps.ts';
import { createPerson } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, startService, testClients } from '#support/service.ts';

describe('authentication context', () => {
  withTwoSteps();

  describe('SEC-41 a demand for a second factor', () => {
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
      const done = await consent(person, await person.press(shown, 'continue', KEPT));
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

    it('a reloaded page of recovery codes shows them to nobody again, and goes on once they are said to be kept', async () => {
      const person = newPerson();
      const { shown } = await setUpAt(person, await enter(person, TWO));
      expect(shown.html).toContain('id="continue"');
      const reloaded = await person.visit(shown.url);
      expect(reloaded.html).not.toMatch(/<code>/);
      const unsaved = await person.press(reloaded, 'continue');
      expect([unsaved.status, unsaved.html.includes('id="saved-problem"')]).toEqual([422, true]);
      expect(
        (await consent(person, await person.press(unsaved, 'continue', KEPT))).left?.searchParams.get('code'),
      ).toBeTruthy();
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
      expect(after).toMatchObject({
        acr: SECOND_FACTOR_ACR,
        amr: ['pwd', 'otp', 'mfa'],
        auth_time: expect.any(Number),
      });
      const first = await claimsFor(person, { max_age: '3600' });
      expect(first?.auth_time).toBe(after?.auth_time);
      expect(
        (await service.database('oidc_records').where({ model: 'Session', account_id: ME })).length,
      ).toBeGreaterThan(0);
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

  it('SEC-41 where the service demands a second factor of all, nobody comes in with a password alone', async () => {
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
