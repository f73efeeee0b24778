// The client that the service is to itself: nobody else may be it, and nobody meets it among the operator's clients.

import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { issuesOf, load } from '#support/config/folder.ts';
import { credentialsOf } from '#support/openid/account/person-of-account.ts';
import { createPerson } from '#support/person.ts';
import { type RunningService, startService } from '#support/service.ts';

describe('clients.yaml', () => {
  it('may not use its id', async () => {
    const entry = { id: 'hygie-account', name: 'App', type: 'browser', callbackUrls: ['https://app.example/callback'] };
    const issues = await issuesOf(load({ clients: JSON.stringify({ clients: [entry] }) }));
    expect(issues).toEqual([expect.objectContaining({ path: 'clients[0].id', remedy: 'Give the client another id.' })]);
  });

  it('registers the others without it', async () => {
    expect((await load({ clients: '' })).clients).toEqual([]);
  });
});

describe('the service as a client of itself', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const request = (changes: Record<string, string> = {}) =>
    `/authorize?${new URLSearchParams({
      client_id: 'hygie-account',
      redirect_uri: `${service.issuer}/account/signed-in`,
      response_type: 'code',
      scope: 'openid',
      state: 's'.repeat(40),
      code_challenge: 'c'.repeat(43),
      code_challenge_method: 'S256',
      ...changes,
    })}`;

  it('sends people to its own callback only, and never without PKCE', async () => {
    const person = createPerson(service.issuer);
    const elsewhere = await person.visit(request({ redirect_uri: 'https://evil.example/account/signed-in' }));
    expect([elsewhere.status, elsewhere.left]).toEqual([400, undefined]);
    const plain = await person.visit(request({ code_challenge_method: 'plain' }));
    // The refusal arrives at the callback, which has begun no such sign-in.
    expect([plain.status, plain.url.startsWith(`${service.issuer}/account/signed-in?`)]).toEqual([400, true]);
  });

  it('stays when the operator edits the clients, and survives it', async () => {
    service.replaceClients([]);
    const person = createPerson(service.issuer);
    const overview = await person.press(await person.visit('/account'), 'sign-in', credentialsOf(0));
    expect([overview.url, overview.status]).toEqual([`${service.issuer}/account`, 200]);
  });

  it('gets no tokens, whoever has a code of it, and is none of the applications that a person has allowed', async () => {
    const person = createPerson(service.issuer);
    await person.press(await person.visit('/account'), 'sign-in', credentialsOf(2));
    const verifier = 'v'.repeat(43);
    const code_challenge = createHash('sha256').update(verifier).digest('base64url');
    const cookie = ['hygie_session', 'hygie_session.sig'].map((name) => `${name}=${person.cookies.get(`${name} /`)}`);
    const headers = { cookie: cookie.join('; ') };
    const answer = await fetch(service.issuer + request({ code_challenge }), { headers, redirect: 'manual' });
    const code = new URL(answer.headers.get('location') ?? '').searchParams.get('code') ?? '';
    expect(code).not.toBe('');
    const redirect_uri = `${service.issuer}/account/signed-in`;
    const redemption = { grant_type: 'authorization_code', client_id: 'hygie-account', code, redirect_uri };
    for (const secret of [{}, { client_secret: '' }, { client_secret: 'kept as a hash' }]) {
      const body = new URLSearchParams({ ...redemption, code_verifier: verifier, ...secret });
      const refused = await fetch(`${service.issuer}/oauth/token`, { method: 'POST', body });
      expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([401, 'invalid_client']);
    }
    const asked = await person.visit(request({ prompt: 'consent' }));
    await person.press(asked, 'allow');
    expect((await person.visit('/account')).html).not.toContain('id="withdraw-hygie-account"');
  });

  it('lets nobody in by a code that somebody else asked for', async () => {
    // An attacker's own code, brought to a victim's browser: the victim would work in the attacker's space.
    const attacker = createPerson(service.issuer);
    await attacker.press(await attacker.visit('/account'), 'sign-in', credentialsOf(1));
    const cookie = `hygie_session=${attacker.cookies.get('hygie_session /')}; hygie_session.sig=${attacker.cookies.get('hygie_session.sig /')}`;
    const answer = await fetch(service.issuer + request(), { headers: { cookie }, redirect: 'manual' });
    const callback = answer.headers.get('location') ?? '';
    expect(callback).toContain('/account/signed-in?code=');
    const victim = createPerson(service.issuer);
    await victim.visit('/account');
    expect((await victim.visit(callback)).status).toBe(400);
    // Nor with the victim's own state: the code was asked for with another challenge and nonce.
    const own = `hygie_account=${victim.cookies.get('hygie_account /account')}`;
    const begun = await fetch(`${service.issuer}/account`, { headers: { cookie: own }, redirect: 'manual' });
    const state = new URL(begun.headers.get('location') ?? '', service.issuer).searchParams.get('state') ?? '';
    const mixed = new URL(callback);
    mixed.searchParams.set('state', state);
    const page = await victim.visit(mixed);
    expect([page.status, page.html.includes('id="again"')]).toEqual([400, true]);
    expect((await victim.visit('/account')).html).toContain('id="sign-in"');
  });
});
