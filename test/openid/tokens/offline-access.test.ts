// Refresh tokens and claims that the operator gives a client which cannot ask for them: `refreshTokens: always`, `authenticationClaims: true`.

import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import * as oidc from 'openid-client';
import type { ClientSettings } from '#config/settings.ts';
import { PASSWORD_ACR } from '#openid/tokens/authentication-context.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { assertion, newClientKey } from '#support/openid/keys-of-clients.ts';
import { authorizationUrl, CREDENTIALS, discover, obtainCode, redeem, signIn } from '#support/openid/relying-party.ts';
import { signingClient } from '#support/openid/request-objects.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson, type Person } from '#support/person.ts';
import { CALLBACK, testClients } from '#support/service.ts';
import { until } from '#support/until.ts';

describe('offline access', () => {
  withService();

  // OpenID Connect Core section 11, RFC 6749 sections 3.3 and 5.1: `refreshTokens: always` of a trusted client keeps offline_access without
  // prompt=consent, however the request comes; elsewhere it is left out, and the operator is told the remedy.
  describe('offline_access', () => {
    const OFFLINE = 'openid offline_access email';
    const DAY = 86_400;

    interface Tokens {
      access_token: string;
      refresh_token?: string;
      scope: string;
    }
    let clients: ClientSettings[];
    beforeAll(async () => {
      const [server, trusted] = (await testClients()) as [ClientSettings, ClientSettings];
      const scopes = [...server.scopes, 'offline_access'];
      clients = [
        { ...server, scopes },
        { ...trusted, id: 'asking' },
        { ...trusted, id: 'always', refreshTokens: 'always' },
        { ...trusted, id: 'silent', refreshTokens: 'always' },
        { ...trusted, id: 'pushing', refreshTokens: 'always', par: 'required' },
        { ...trusted, id: 'web', type: 'browser', secretHashes: [], serviceAccount: false, refreshTokens: 'always' },
      ];
      service.replaceClients(clients);
    });
    afterAll(async () => service.replaceClients(await testClients()));

    const sorted = (scope = '') => scope.split(' ').sort().join(' ');
    const tokensFor = async (client_id: string, parameters: Record<string, string>, person: Person) => {
      const code = await obtainCode(service, { client_id, ...parameters }, person);
      const tokens = (await (await redeem(service, code, { client_id })).json()) as Tokens;
      return { ...tokens, scope: sorted(tokens.scope) };
    };

    describe('refreshTokens: always', () => {
      it.each(['always', 'web'])(
        'gives what was asked for, and a refresh token, to a client as it comes: %s',
        async (clientId) => {
          const person = createPerson(service.issuer);
          const configuration = clientId === 'web' ? await publicClient() : await discover(service, clientId);
          const { tokens } = await signIn(service, { clientId, configuration, scope: OFFLINE, person });
          // requests-oauthlib fails on any other set.
          expect(sorted(tokens.scope)).toBe(sorted(OFFLINE));
          const renewed = await oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
          expect(renewed.scope).toBe(tokens.scope);
        },
      );

      it('holds for prompt=none, and in a session that had less before', async () => {
        const person = createPerson(service.issuer);
        const first = await tokensFor('silent', { scope: 'openid email' }, person);
        expect([first.refresh_token, first.scope]).toEqual([undefined, 'email openid']);
        const silent = await tokensFor('silent', { scope: OFFLINE, prompt: 'none' }, person);
        expect([typeof silent.refresh_token, silent.scope]).toEqual(['string', sorted(OFFLINE)]);
        // The grant of the session would have ended with the session, and the refresh token with it.
        const grants = await service.database('oidc_records').where({ model: 'Grant' }).orderBy('expires_at', 'desc');
        const held = grants.find(
          ({ payload }) => String(payload).includes('"silent"') && String(payload).includes('offline_access'),
        );
        expect(Number(held?.expires_at)).toBeGreaterThan(Date.now() / 1000 + 29 * DAY);
      });

      it('holds for pushed requests, those of a client that has to push included', async () => {
        for (const clientId of ['always', 'pushing']) {
          const configuration = await discover(service, clientId);
          const state = oidc.randomState();
          const url = await oidc.buildAuthorizationUrlWithPAR(configuration, {
            redirect_uri: CALLBACK,
            scope: OFFLINE,
            state,
          });
          const callback = await createPerson(service.issuer).signIn(url, CREDENTIALS);
          const tokens = await oidc.authorizationCodeGrant(configuration, callback, { expectedState: state });
          expect([clientId, typeof tokens.refresh_token, sorted(tokens.scope)]).toEqual([
            clientId,
            'string',
            sorted(OFFLINE),
          ]);
        }
      });

      it('adds nothing that was not asked for, and knows unknown scopes as little as before', async () => {
        const person = createPerson(service.issuer);
        expect((await tokensFor('always', { scope: 'openid' }, person)).refresh_token).toBeUndefined();
        const odd = await tokensFor('always', { scope: 'openid launch/patient offline_access' }, person);
        expect([typeof odd.refresh_token, odd.scope]).toEqual(['string', 'offline_access openid']);
      });
    });

    it('where offline_access is left out, the log and the audit trail name the client and the remedy, once', async () => {
      const client = 'server';
      const remedy = /prompt=consent, or for a trusted client refreshTokens: always/;
      const person = createPerson(service.issuer);
      for (let time = 0; time < 2; time += 1) {
        const tokens = await tokensFor(client, { scope: OFFLINE }, person);
        expect([tokens.refresh_token, tokens.scope]).toEqual([undefined, 'email openid']);
      }
      const lines = service.logged().split('\n');
      const logged = lines.filter(
        (line) => line.includes('offline_access is left out') && JSON.parse(line).client === client,
      );
      expect(logged.map((line) => JSON.parse(line))).toEqual([
        expect.objectContaining({ level: 'warn', remedy: expect.stringMatching(remedy) }),
      ]);
      // Noted records are stored within a quarter of a second.
      await until(async () => (await recordsOf(client)).length > 0, `a record of ${client}`);
      expect(await recordsOf(client)).toEqual([
        expect.objectContaining({ actor: 'unknown', client, details: { remedy: expect.stringMatching(remedy) } }),
      ]);
    });

    describe('RFC 6749 5.1 the scope of an answer', () => {
      const refresh = async (refresh_token: string | undefined, scope?: string) => {
        const fields = {
          grant_type: 'refresh_token',
          client_id: 'always',
          refresh_token,
          scope,
          redirect_uri: undefined,
        };
        const answer = await redeem(service, '', { ...fields, code: undefined });
        const body = (await answer.json()) as Partial<Tokens> & { error?: string };
        return { status: answer.status, body, scope: sorted(body.scope), next: body.refresh_token };
      };

      it('is named where it differs from what was asked: unknown, left out, narrowed, or taken by the operator', async () => {
        const person = createPerson(service.issuer);
        const code = await tokensFor('always', { scope: `${OFFLINE} launch patient/*.read` }, person);
        expect(code.scope).toBe(sorted(OFFLINE));
        expect((await tokensFor('asking', { scope: OFFLINE }, person)).scope).toBe('email openid');
        const whole = await refresh(code.refresh_token);
        expect(whole.scope).toBe(sorted(OFFLINE));
        const narrowed = await refresh(whole.next, 'openid');
        expect(narrowed.scope).toBe('openid');
        try {
          const without = (client: ClientSettings) => client.scopes.filter((scope) => scope !== 'email');
          service.replaceClients(clients.map((client) => ({ ...client, scopes: without(client) })));
          const less = await refresh(narrowed.next, 'openid email');
          expect(less.scope).toBe('openid');
          const nothing = await refresh(less.next, 'email');
          expect(nothing).toMatchObject({ status: 400, body: { error: 'invalid_scope' } });
          // The refusal has spent nothing.
          expect((await refresh(less.next)).scope).toBe('offline_access openid');
        } finally {
          service.replaceClients(clients);
        }
      });
    });

    const publicClient = () =>
      oidc.discovery(new URL(service.issuer), 'web', undefined, oidc.None(), { execute: [oidc.allowInsecureRequests] });

    function recordsOf(client: string) {
      return openAuditEvents(service.database).search({ limit: 10, events: ['offline-access.left-out'], client });
    }
  });

  // `authenticationClaims: true`: acr, amr and auth_time in every ID token of a client that cannot ask for them (OpenID Connect Core
  // sections 2 and 5.5), after a refresh those of the sign-in.
  describe('authenticationClaims: true', () => {
    const key = newClientKey();
    const scope = 'openid offline_access';
    const ABOUT = { acr: PASSWORD_ACR, amr: ['pwd'], auth_time: expect.any(Number) };
    let clients: ClientSettings[];
    beforeAll(async () => {
      const trusted = (await testClients()).find(({ id }) => id === 'trusted') as ClientSettings;
      const broker = { ...trusted, refreshTokens: 'always', authenticationClaims: true } as const;
      clients = [
        { ...broker, id: 'broker' },
        { ...broker, id: 'signing', secretHashes: [], jwks: { keys: [key.jwk] } },
        { ...trusted, refreshTokens: 'always' },
      ];
      service.replaceClients(clients);
    });
    afterAll(async () => service.replaceClients(await testClients()));

    it('at each sign-in, silent ones too, beside what a request asks for', async () => {
      const person = createPerson(service.issuer);
      const { tokens } = await signIn(service, { clientId: 'broker', scope, person });
      expect(tokens.claims()).toMatchObject(ABOUT);
      const asked = {
        prompt: 'none',
        claims: JSON.stringify({ id_token: { sid: null, acr: { essential: true } }, userinfo: { sub: null } }),
      };
      const { tokens: silent } = await signIn(service, { clientId: 'broker', scope, person, parameters: asked });
      expect(silent.claims()).toMatchObject({
        ...ABOUT,
        auth_time: tokens.claims()?.auth_time,
        sid: expect.any(String),
      });
      const { tokens: others } = await signIn(service, { clientId: 'trusted', scope, person });
      for (const claim of Object.keys(ABOUT)) expect(others.claims()).not.toHaveProperty(claim);
    });

    it('after a refresh, with the time of the sign-in', async () => {
      const { tokens } = await signIn(service, { clientId: 'broker', scope, person: createPerson(service.issuer) });
      const first = tokens.claims();
      const clock = jest.spyOn(Date, 'now').mockReturnValue(Date.now() + 100_000);
      try {
        const configuration = await discover(service, 'broker');
        const renewed = await oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
        expect(renewed.claims()).toMatchObject({ ...ABOUT, auth_time: first?.auth_time });
        expect(Number(renewed.claims()?.iat)).toBeGreaterThan(Number(first?.iat));
      } finally {
        clock.mockRestore();
      }
    });

    it('for pushed and signed requests', async () => {
      const configuration = await discover(service, 'broker');
      const state = oidc.randomState();
      const parameters = { redirect_uri: clients[0]?.callbackUrls[0] ?? '', scope: 'openid', state };
      const url = await oidc.buildAuthorizationUrlWithPAR(configuration, parameters);
      const back = await createPerson(service.issuer).signIn(url, CREDENTIALS);
      const pushed = await oidc.authorizationCodeGrant(configuration, back, { expectedState: state });
      expect(pushed.claims()).toMatchObject(ABOUT);

      await signIn(service, { clientId: 'broker', scope });
      const signing = signingClient(key, 'signing', state);
      const { left } = await signing.visit(service, signing.requestObject(service));
      const proved = assertion(key, 'signing', service.issuer);
      const code = left?.searchParams.get('code') ?? '';
      const answer = await redeem(service, code, { client_secret: undefined, ...proved });
      const { id_token = '' } = (await answer.json()) as { id_token?: string };
      expect(JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString())).toMatchObject(ABOUT);
    });

    it('a malformed claims parameter stays a refusal', async () => {
      const url = authorizationUrl(service, { client_id: 'broker', claims: '{"id_token":[]}' });
      const { left } = await createPerson(service.issuer).visit(url);
      expect(left?.searchParams.get('error')).toBe('invalid_request');
    });
  });
});
