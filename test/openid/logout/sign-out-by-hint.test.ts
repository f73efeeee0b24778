// SEC-37: a sign-out that shows an ID token of the session at hand asks nothing (OpenID RP-Initiated Logout 1.0, sections 2 and 4); with
// anything less it asks.

import { describe, expect, it, jest } from '@jest/globals';
import type { ClientSettings } from '#config/settings.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import {
  authorizationUrl,
  CREDENTIALS,
  obtainCode,
  redeem,
  type SignIn,
  signIn,
  statusWith,
} from '#support/openid/relying-party.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson, type Person } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, SIGNED_OUT, testClients } from '#support/service.ts';

describe('SEC-37 sign-out by hint', () => {
  withService(async () => {
    const [server, ...known] = (await testClients()) as [ClientSettings, ...ClientSettings[]];
    // Nobody listens there: the logout tokens wait.
    const told: ClientSettings = { ...server, id: 'told', backchannelLogoutUrl: 'http://127.0.0.1:9/' };
    const clients = [server, ...known, told, { ...told, id: 'told-too' }];
    return { clients };
  });

  const logout = (parameters: Record<string, string | undefined>) => {
    const url = new URL(`${service.issuer}/logout`);
    for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
    return url;
  };
  const shown = ({ tokens }: SignIn, more: Record<string, string | undefined> = {}) => ({
    id_token_hint: tokens.id_token,
    post_logout_redirect_uri: SIGNED_OUT,
    ...more,
  });
  const stillSignedIn = async (person: Person, clientId = 'server') => {
    const request = authorizationUrl(service, { client_id: clientId, scope: 'openid', prompt: 'none' });
    return (await person.visit(request)).left?.searchParams.get('error') === null;
  };
  const userinfo = ({ tokens }: SignIn) => statusWith(service, tokens.access_token);
  const enter = (person: Person, clientId = 'server', more = {}) =>
    signIn(service, { person, clientId, scope: 'openid', ...more });

  it('ends the session with all that it gave, and leads back with the state: no page in between', async () => {
    const person = createPerson(service.issuer);
    const [first, second] = [await enter(person), await enter(person, 'narrow')];
    const code = await obtainCode(service, { scope: 'openid' }, person);
    const state = 'é & = % + "<> ünïcode';
    const kept = [...person.cookies];
    const headers = { cookie: kept.map(([key, value]) => `${key.split(' ')[0]}=${value}`).join('; ') };
    const answer = await fetch(logout(shown(first, { state })), { headers, redirect: 'manual' });
    expect(answer.status).toBe(303);
    const left = new URL(answer.headers.get('location') ?? '');
    expect([left.href.split('?')[0], [...left.searchParams]]).toEqual([SIGNED_OUT, [['state', state]]]);
    expect(answer.headers.getSetCookie().filter((line) => /^hygie_session=/.test(line))).toEqual([
      expect.stringMatching(/^hygie_session=;.*expires=Thu, 01 Jan 1970/),
    ]);
    // The cookie, kept by somebody, is worth nothing.
    expect(await stillSignedIn(person)).toBe(false);
    expect([await userinfo(first), await userinfo(second)]).toEqual([401, 401]);
    expect((await redeem(service, code)).status).toBe(400);
  });

  it.each(['GET', 'POST'])('by %s, with client_id, and without state', async (method) => {
    const person = createPerson(service.issuer);
    const parameters = shown(await enter(person), { client_id: 'server' });
    const body = new URLSearchParams(parameters as Record<string, string>);
    const asked = method === 'GET' ? person.visit(logout(parameters)) : person.visit(logout({}), { method, body });
    expect((await asked).left?.href).toBe(SIGNED_OUT);
    expect(await stillSignedIn(person)).toBe(false);
  });

  it('a hint that has expired is one: section 4', async () => {
    const person = createPerson(service.issuer);
    const session = await enter(person);
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Number(session.tokens.claims()?.exp) * 1000 + 60_000);
    try {
      expect((await person.visit(logout(shown(session)))).left?.href).toBe(SIGNED_OUT);
    } finally {
      clock.mockRestore();
    }
  });

  it('SEC-38 every application of the session is told, and the audit trail says how it ended', async () => {
    const person = createPerson(service.issuer);
    const [first, second] = [await enter(person, 'told'), await enter(person, 'told-too')];
    await enter(person, 'narrow');
    const sids = [first, second].map(({ tokens }) => String(tokens.claims()?.['sid']));
    expect((await person.visit(logout(shown(first)))).left?.href).toBe(SIGNED_OUT);
    const waiting = await service.database('logout_deliveries').whereIn('sid', sids);
    expect(waiting.map(({ client_id }) => client_id).sort()).toEqual(['told', 'told-too']);
    const [record] = await openAuditEvents(service.database).search({
      events: ['session.ended'],
      client: 'told',
      limit: 1,
    });
    expect(record).toMatchObject({
      actor: `account:${DEMO_ACCOUNTS[0]?.id}`,
      details: {
        applications: ['told', 'told-too', 'narrow'],
        reason: 'the application showed an ID token of the session',
      },
    });
  });

  it('asks without an address, without a hint, and for an application that was left alone', async () => {
    const person = createPerson(service.issuer);
    const session = await enter(person);
    await enter(person, 'narrow');
    for (const less of [
      { post_logout_redirect_uri: undefined },
      { post_logout_redirect_uri: '' },
      { id_token_hint: undefined },
      { id_token_hint: undefined, client_id: 'server' },
    ]) {
      const page = await person.visit(logout(shown(session, less)));
      expect([less, page.left, page.html.includes('id="sign-out"')]).toEqual([less, undefined, true]);
    }
    const question = await person.visit(logout({ id_token_hint: session.tokens.id_token }));
    await person.press(question, 'stay');
    expect((await person.visit(logout(shown(session)))).html).toContain('id="sign-out"');
    expect(await stillSignedIn(person, 'narrow')).toBe(true);
  });

  it('asks for a hint of another person, and of another session of the same person', async () => {
    const someone = await enter(createPerson(service.issuer), 'server', {
      credentials: { login: DEMO_ACCOUNTS[2]?.email ?? '', password: DEMO_PASSWORD },
    });
    const elsewhere = createPerson(service.issuer);
    const theirs = await enter(elsewhere, 'told');
    const person = createPerson(service.issuer);
    await enter(person, 'told');
    await enter(person);
    for (const hint of [someone, theirs]) {
      const page = await person.visit(logout(shown(hint)));
      expect([page.left, page.html.includes('id="sign-out"')]).toEqual([undefined, true]);
    }
    // An application that has not signed in to this session.
    const fresh = createPerson(service.issuer);
    await fresh.signIn(authorizationUrl(service, { client_id: 'narrow', scope: 'openid' }), CREDENTIALS);
    const page = await fresh.visit(logout(shown(await enter(createPerson(service.issuer)))));
    expect(page.html).toContain('id="sign-out"');
    expect([await stillSignedIn(person, 'told'), await stillSignedIn(elsewhere, 'told')]).toEqual([true, true]);
  });

  it('asks for a hint of an earlier session of the same person, which no session is named in', async () => {
    const [first, second] = [createPerson(service.issuer), createPerson(service.issuer)];
    const earlier = await enter(first);
    expect(earlier.tokens.claims()).not.toHaveProperty('sid');
    await first.visit(logout(shown(earlier)));
    const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 60_000);
    try {
      const later = await enter(second);
      const page = await second.visit(logout(shown(earlier)));
      expect([page.left, page.html.includes('id="sign-out"')]).toEqual([undefined, true]);
      expect(await stillSignedIn(second)).toBe(true);
      expect((await second.visit(logout(shown(later)))).left?.href).toBe(SIGNED_OUT);
    } finally {
      clock.mockRestore();
    }
  });

  it.each([
    ['an address that is not registered', { post_logout_redirect_uri: `${SIGNED_OUT}/` }],
    ['another client', { client_id: 'narrow' }],
    ['a hint that is not ours', { id_token_hint: 'eyJhbGciOiJub25lIn0.e30.' }],
  ])('refuses %s: the session stays open', async (_what, wrong) => {
    const person = createPerson(service.issuer);
    const session = await enter(person);
    const page = await person.visit(logout(shown(session, wrong)));
    expect([page.status, page.left]).toEqual([400, undefined]);
    expect(await stillSignedIn(person)).toBe(true);
  });
});
