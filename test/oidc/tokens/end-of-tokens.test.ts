// Introspection, revocation, refresh and sign-out, on SQLite and PostgreSQL.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { ENGINES } from '../../support/databases.ts';
import { authorizationUrl, discover, discoverPublic, signIn } from '../../support/oidc/relying-party.ts';
import { createPerson } from '../../support/person.ts';
import { ALL_SCOPES, DEMO_ACCOUNTS, type RunningService, SIGNED_OUT, startService } from '../../support/service.ts';

describe.each(ENGINES)('on %s', (engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  const directory = (token: string) =>
    fetch(`${service.issuer}/directory/v2/Practitioner?name=martin`, { headers: { authorization: `Bearer ${token}` } });

  describe('introspection and revocation', () => {
    it('tells a client about its own token, and about nobody else’s', async () => {
      const { tokens, configuration } = await signIn(service);
      const own = await oidc.tokenIntrospection(configuration, tokens.access_token);
      expect(own).toMatchObject({ active: true, client_id: 'server', sub: DEMO_ACCOUNTS[0]?.id });
      expect(own.scope?.split(' ').sort()).toEqual(ALL_SCOPES.split(' ').sort());
      const other = await discover(service, 'narrow');
      expect(await oidc.tokenIntrospection(other, tokens.access_token)).toEqual({ active: false });
    });

    it('is refused without the secret, for a live token too', async () => {
      const configuration = await discoverPublic(service, 'browser');
      const { tokens } = await signIn(service, { clientId: 'browser', configuration });
      expect((await directory(tokens.access_token)).status).toBe(200);
      const ask = (client_id: string) =>
        fetch(`${service.issuer}/oauth/introspect`, {
          method: 'POST',
          body: new URLSearchParams({ client_id, token: tokens.access_token }),
        });
      const withoutSecret = await ask('server');
      expect(withoutSecret.status).toBe(401);
      expect(await withoutSecret.json()).toMatchObject({ error: 'invalid_client' });
      // A public client has no secret: whoever names it is told nothing (RFC 7662 section 4).
      const anybody = await ask('browser');
      expect(anybody.status).toBe(401);
      expect(await anybody.json()).not.toHaveProperty('active');
    });

    it('says inactive after revocation', async () => {
      const { tokens, configuration } = await signIn(service);
      await oidc.tokenRevocation(configuration, tokens.access_token);
      expect(await oidc.tokenIntrospection(configuration, tokens.access_token)).toEqual({ active: false });
    });
  });

  describe('refresh tokens', () => {
    it('are given for offline_access with consent, rotate, and keep at_hash', async () => {
      const { tokens, configuration } = await signIn(service, {
        clientId: 'trusted',
        scope: `${ALL_SCOPES} offline_access`,
        parameters: { prompt: 'consent' },
      });
      expect(tokens.refresh_token).toBeTruthy();
      const next = await oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
      expect(next.refresh_token).not.toBe(tokens.refresh_token);
      expect(next.claims()?.['at_hash']).toBeTruthy();
      expect((await directory(next.access_token)).status).toBe(200);
    });

    it('SEC-21 are refused at the directory and at userinfo, the first and its successor', async () => {
      const { tokens, configuration } = await signIn(service, {
        clientId: 'trusted',
        scope: `${ALL_SCOPES} offline_access`,
        parameters: { prompt: 'consent' },
      });
      const next = await oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
      for (const { access_token, refresh_token = '' } of [tokens, next]) {
        expect((await directory(access_token)).status).toBe(200);
        expect(refresh_token).not.toBe('');
        expect((await directory(refresh_token)).status).toBe(401);
        const headers = { authorization: `Bearer ${refresh_token}` };
        expect((await fetch(`${service.issuer}/userinfo`, { headers })).status).toBe(401);
      }
    });
  });

  describe('RP-initiated logout', () => {
    it('SEC-37 asks, ends the session and its tokens, and returns to the registered address with state', async () => {
      const person = createPerson(service.issuer);
      const { tokens, configuration } = await signIn(service, { person });
      const url = oidc.buildEndSessionUrl(configuration, {
        id_token_hint: tokens.id_token ?? '',
        post_logout_redirect_uri: SIGNED_OUT,
        state: 'after-logout',
      });
      const page = await person.visit(url);
      expect(page.html).toContain('id="sign-out"');
      expect((await directory(tokens.access_token)).status).toBe(200);
      const left = (await person.press(page, 'sign-out')).left;
      expect(left?.href).toBe(`${SIGNED_OUT}?state=after-logout`);
      expect((await directory(tokens.access_token)).status).toBe(401);
      const again = await person.visit(authorizationUrl(service));
      expect(again.html).toContain('id="sign-in"');
    });

    it('SEC-37 goes nowhere that is not registered', async () => {
      const { tokens, configuration, person } = await signIn(service);
      const url = oidc.buildEndSessionUrl(configuration, {
        id_token_hint: tokens.id_token ?? '',
        post_logout_redirect_uri: 'https://evil.example/',
      });
      const page = await person.visit(url);
      expect(page.left).toBeUndefined();
      expect(page.status).toBe(400);
    });

    it('returns at once when there is no session, without a script', async () => {
      const { tokens, configuration } = await signIn(service);
      const url = oidc.buildEndSessionUrl(configuration, {
        id_token_hint: tokens.id_token ?? '',
        post_logout_redirect_uri: SIGNED_OUT,
        state: 's',
      });
      const stranger = createPerson(service.issuer);
      expect((await stranger.visit(url)).left?.href).toBe(`${SIGNED_OUT}?state=s`);
      const own = await stranger.visit(`${service.issuer}/logout`);
      expect(own.status).toBe(200);
      expect(own.html).not.toContain('<script');
    });
  });
});
