// Refresh tokens: OpenID Connect Core sections 11 and 12, RFC 6749 section 6, RFC 9700 section 4.14.2; SEC-16, 26, 27.
// Rotation with its grace window, on SQLite and, with two instances, on PostgreSQL.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { digest } from '../../src/shared/digest.ts';
import type { ClientSettings } from '../../src/shared/settings.ts';
import { openAccounts } from '../../src/store/accounts.ts';
import { openOidcRecords } from '../../src/store/oidc-records.ts';
import { ENGINES } from '../databases.ts';
import { createPerson } from '../person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, type RunningService, SECRET, startService, testClients } from '../service.ts';
import {
  authorizationUrl,
  CREDENTIALS,
  discover,
  obtainCode,
  redeem,
  signedInPerson,
  signIn,
} from './relying-party.ts';
import { type SecondInstance, type Send, startSecondInstance } from './second-instance.ts';

interface Tokens {
  access_token: string;
  refresh_token: string;
  id_token: string;
  scope: string;
  error?: string;
}

const OFFLINE = 'openid email offline_access PRACTITIONER_READ';
const DAY = 86_400;

describe.each(ENGINES)('refresh tokens on %s', (engine) => {
  let service: RunningService;
  let other: SecondInstance;
  let clients: ClientSettings[];
  beforeAll(async () => {
    clients = (await testClients()).map((client) =>
      client.id === 'server' || client.id === 'browser'
        ? { ...client, scopes: [...client.scopes, 'offline_access'] }
        : client,
    );
    service = await startService({ engine, clients });
    if (engine === 'postgresql') other = await startSecondInstance(service, clients);
  });
  afterAll(async () => {
    await other?.stop();
    await service.stop();
  });

  const ask = async (token: string, fields: Record<string, string> = {}, send: Send = fetch) => {
    const body = new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: token,
      client_id: 'server',
      client_secret: SECRET,
      ...fields,
    });
    const answer = await send(`${service.issuer}/oauth/token`, { method: 'POST', body });
    return { status: answer.status, tokens: (await answer.json()) as Tokens };
  };
  const obtain = async (scope = OFFLINE, person = signedInPerson(service)): Promise<Tokens> => {
    const code = await obtainCode(service, { scope, prompt: 'consent', nonce: 'n-0S6' }, person);
    return (await (await redeem(service, code)).json()) as Tokens;
  };
  const search = async ({ access_token }: Tokens) => {
    const headers = { authorization: `Bearer ${access_token}` };
    return (await fetch(`${service.issuer}/directory/v2/Practitioner?name=martin`, { headers })).status;
  };
  const claimsOf = ({ id_token }: Tokens) =>
    JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
  const rowOf = (token: string) => service.database('oidc_records').where({ model: 'RefreshToken', id: digest(token) });
  /** As if the token had been used some seconds earlier. */
  const usedAgo = (token: string, seconds: number) => rowOf(token).decrement('consumed_at', seconds);
  const ageAll = async (token: string, seconds: number) => {
    const [row] = await rowOf(token);
    const payload = JSON.parse(row.payload);
    for (const time of ['iat', 'exp', 'iiat']) payload[time] -= seconds;
    await rowOf(token).update({ payload: JSON.stringify(payload) });
  };

  describe('11 offline_access', () => {
    it('is asked for in words, in a line of its own, and can be refused', async () => {
      const person = createPerson(service.issuer);
      await person.signIn(authorizationUrl(service, { scope: 'openid email' }), CREDENTIALS);
      const url = authorizationUrl(service, { scope: OFFLINE, prompt: 'consent' });
      const page = await person.visit(url);
      expect(page.html).toContain('<li>Conserver cet accès lorsque vous n’utilisez pas l’application</li>');
      const english = await person.visit(`${url}&ui_locales=en`);
      expect(english.html).toContain('<li>Keep this access while you are not using the application</li>');
      const refused = await person.press(page, 'refuse');
      expect(refused.left?.searchParams.get('error')).toBe('access_denied');
    });

    it('is asked for again at every request, whatever was agreed to before', async () => {
      const person = createPerson(service.issuer);
      await obtain(OFFLINE, person);
      const again = await person.visit(authorizationUrl(service, { scope: OFFLINE, prompt: 'consent' }));
      expect(again.html).toContain('Conserver cet accès');
      expect(again.html).toContain('Votre adresse e-mail');
    });

    it('is left out without prompt=consent, and the log says so once', async () => {
      const code = await obtainCode(service, { scope: OFFLINE });
      const tokens = (await (await redeem(service, code)).json()) as Tokens;
      expect(tokens.refresh_token).toBeUndefined();
      expect(tokens.scope.split(' ')).not.toContain('offline_access');
      await obtainCode(service, { scope: OFFLINE });
      const notes = service
        .logged()
        .split('\n')
        .filter((line) => line.includes('prompt=consent'));
      expect(notes).toHaveLength(1);
    });

    it('works with openid-client, a public client and PKCE', async () => {
      const configuration = await oidc.discovery(new URL(service.issuer), 'browser', undefined, oidc.None(), {
        execute: [oidc.allowInsecureRequests],
      });
      const { tokens } = await signIn(service, {
        clientId: 'browser',
        configuration,
        scope: OFFLINE,
        parameters: { prompt: 'consent' },
      });
      const renewed = await oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
      expect(renewed.refresh_token).not.toBe(tokens.refresh_token);
      expect(renewed.claims()?.sub).toBe(tokens.claims()?.sub);
    });
  });

  describe('SEC-26 rotation', () => {
    it('gives a new refresh token, access token and ID token, which keeps auth_time and has at_hash', async () => {
      const code = await obtainCode(service, {
        scope: OFFLINE,
        prompt: 'consent',
        nonce: 'n-0S6',
        max_age: '3600',
      });
      const first = (await (await redeem(service, code)).json()) as Tokens;
      const { status, tokens: second } = await ask(first.refresh_token);
      expect(status).toBe(200);
      expect(second.refresh_token).not.toBe(first.refresh_token);
      expect(second.access_token).not.toBe(first.access_token);
      expect(await search(second)).toBe(200);
      const [before, after] = [claimsOf(first), claimsOf(second)];
      expect(after).toMatchObject({ iss: before['iss'], sub: before['sub'], aud: before['aud'] });
      expect(before['auth_time']).toEqual(expect.any(Number));
      expect(after['auth_time']).toBe(before['auth_time']);
      expect(before['nonce']).toBe('n-0S6');
      expect(after).not.toHaveProperty('nonce');
      const half = Buffer.from(digest(second.access_token), 'base64url').subarray(0, 16);
      expect(after['at_hash']).toBe(half.toString('base64url'));
    });

    it('the scope can shrink for one access token, and never grow', async () => {
      const { refresh_token } = await obtain('openid email offline_access');
      const narrow = await ask(refresh_token, { scope: 'openid' });
      expect(narrow.tokens.scope).toBe('openid');
      const grown = await ask(narrow.tokens.refresh_token, { scope: 'openid email PRACTITIONER_READ' });
      expect(grown).toMatchObject({ status: 400, tokens: { error: 'invalid_scope' } });
      const back = await ask(narrow.tokens.refresh_token);
      expect(back.tokens.scope.split(' ').sort()).toEqual(['email', 'offline_access', 'openid']);
    });

    it('outlives the session, and the grant of a session that was there before', async () => {
      const person = createPerson(service.issuer);
      await obtainCode(service, { scope: 'openid email' }, person);
      const tokens = await obtain(OFFLINE, person);
      await service.database('oidc_records').where({ model: 'Session' }).delete();
      const grants = await service.database('oidc_records').where({ model: 'Grant' }).orderBy('expires_at', 'desc');
      expect(Number(grants[0].expires_at)).toBeGreaterThan(Date.now() / 1000 + 89 * DAY);
      const renewed = await ask(tokens.refresh_token);
      expect(renewed.status).toBe(200);
      expect(await search(renewed.tokens)).toBe(200);
    });

    it('ends after the idle time, and after the absolute one however often it is used', async () => {
      const idle = await obtain();
      await ageAll(idle.refresh_token, 14 * DAY + 1);
      expect(await ask(idle.refresh_token)).toMatchObject({ status: 400, tokens: { error: 'invalid_grant' } });

      let { refresh_token } = await obtain();
      for (const [age, left] of [
        [13 * DAY, 14 * DAY],
        [13 * DAY, 4 * DAY],
      ] as const) {
        await ageAll(refresh_token, age);
        ({ refresh_token } = (await ask(refresh_token)).tokens);
        const [row] = await rowOf(refresh_token);
        expect(Math.abs(Number(row.expires_at) - Date.now() / 1000 - left)).toBeLessThan(60);
      }
      await ageAll(refresh_token, 4 * DAY + 1);
      expect((await ask(refresh_token)).status).toBe(400);
    });

    it('SEC-20 ends with the account, and with the permission of the client', async () => {
      const credentials = { login: DEMO_ACCOUNTS[9]?.email ?? '', password: DEMO_PASSWORD };
      const { tokens } = await signIn(service, {
        person: createPerson(service.issuer),
        credentials,
        scope: OFFLINE,
        parameters: { prompt: 'consent' },
      });
      await openAccounts(service.database).update(DEMO_ACCOUNTS[9]?.id ?? '', { status: 'disabled' });
      expect((await ask(tokens.refresh_token ?? '')).status).toBe(400);

      const kept = await obtain();
      service.replaceClients(
        clients.map((client) => ({ ...client, scopes: client.scopes.filter((scope) => scope !== 'offline_access') })),
      );
      const refused = await ask(kept.refresh_token);
      service.replaceClients(clients);
      expect(refused.status).toBe(400);
      expect((await ask(kept.refresh_token)).status).toBe(200);
    });
  });

  describe('SEC-26 the grace window', () => {
    it('the same refresh gets the same successor within seconds', async () => {
      const { refresh_token } = await obtain();
      const [first, second] = [await ask(refresh_token), await ask(refresh_token)];
      expect([first.status, second.status]).toEqual([200, 200]);
      expect(second.tokens.refresh_token).toBe(first.tokens.refresh_token);
      expect(await search(first.tokens)).toBe(200);
      expect(await search(second.tokens)).toBe(200);
      expect((await ask(first.tokens.refresh_token)).status).toBe(200);
    });

    it('8 parallel refreshes all succeed with one successor, and the session goes on', async () => {
      const { refresh_token } = await obtain();
      const sends = Array.from({ length: 8 }, (_, place) => (other && place % 2 === 1 ? other.send : fetch));
      const answers = await Promise.all(sends.map((send) => ask(refresh_token, {}, send)));
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      expect(new Set(answers.map(({ tokens }) => tokens.refresh_token)).size).toBe(1);
      const renewed = await ask(answers[0]?.tokens.refresh_token ?? '');
      expect(renewed.status).toBe(200);
      for (const { tokens } of answers) expect(await search(tokens)).toBe(200);
    });

    it('who asks after the successor was refreshed itself gets the newest', async () => {
      const { refresh_token } = await obtain();
      const second = (await ask(refresh_token)).tokens.refresh_token;
      const third = (await ask(second)).tokens.refresh_token;
      expect((await ask(refresh_token)).tokens.refresh_token).toBe(third);
      expect((await ask(third)).status).toBe(200);
    });

    it('SEC-49 a successor that was lost with its instance is made again', async () => {
      const { refresh_token } = await obtain();
      const lost = (await ask(refresh_token)).tokens.refresh_token;
      await rowOf(lost).delete();
      expect((await ask(refresh_token)).tokens.refresh_token).toBe(lost);
      expect((await ask(lost)).status).toBe(200);
    });

    it('a token replayed after the window ends the family', async () => {
      const first = await obtain();
      const { tokens: second } = await ask(first.refresh_token);
      await usedAgo(first.refresh_token, 10);
      expect(await ask(first.refresh_token)).toMatchObject({ status: 400, tokens: { error: 'invalid_grant' } });
      expect((await ask(second.refresh_token)).status).toBe(400);
      expect(await search(first)).toBe(401);
      expect(await search(second)).toBe(401);
    });

    it('SEC-27 another client gets nothing; with a used token, the family ends even within the window', async () => {
      const first = await obtain();
      const asTrusted = { client_id: 'trusted' };
      expect((await ask(first.refresh_token, asTrusted)).status).toBe(400);
      const { tokens: second, status } = await ask(first.refresh_token);
      expect(status).toBe(200);
      const wrongSecret = { client_secret: 'not-the-secret' };
      expect((await ask(first.refresh_token, wrongSecret)).status).toBe(401);
      expect(await search(second)).toBe(200);
      expect((await ask(first.refresh_token, asTrusted)).status).toBe(400);
      expect((await ask(second.refresh_token)).status).toBe(400);
      expect(await search(second)).toBe(401);
    });

    it('a revoked family stays revoked within the window', async () => {
      const { refresh_token } = await obtain();
      const { tokens } = await ask(refresh_token);
      await oidc.tokenRevocation(await discover(service, 'server'), tokens.refresh_token);
      expect((await ask(refresh_token)).status).toBe(400);
      expect((await ask(tokens.refresh_token)).status).toBe(400);
    });

    it('introspection calls a used token inactive', async () => {
      const { refresh_token } = await obtain();
      const configuration = await discover(service, 'server');
      expect(await oidc.tokenIntrospection(configuration, refresh_token)).toMatchObject({ active: true });
      await ask(refresh_token);
      expect(await oidc.tokenIntrospection(configuration, refresh_token)).toEqual({ active: false });
    });

    it('SEC-16 the database holds no refresh token, and the sealed successor only as long as the window', async () => {
      const first = await obtain();
      const { tokens: second } = await ask(first.refresh_token);
      const [row] = await rowOf(first.refresh_token);
      expect(row.successor).toEqual(expect.any(String));
      const dump = JSON.stringify(await service.database('oidc_records'));
      expect(dump).not.toContain(first.refresh_token);
      expect(dump).not.toContain(second.refresh_token);
      await usedAgo(first.refresh_token, 100);
      expect(await openOidcRecords(service.database).forgetSuccessors(60)).toBeGreaterThan(0);
      expect((await rowOf(first.refresh_token))[0]).toMatchObject({ successor: null });
    });
  });
});

describe('SEC-26 without a grace window', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({
      adjust: (settings) => ({ ...settings, lifetimes: { ...settings.lifetimes, refreshTokenGrace: 0 } }),
    });
  });
  afterAll(() => service.stop());

  it('any second use ends the family', async () => {
    const { tokens, configuration } = await signIn(service, {
      clientId: 'trusted',
      scope: OFFLINE,
      parameters: { prompt: 'consent' },
    });
    const next = await oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '');
    await expect(oidc.refreshTokenGrant(configuration, tokens.refresh_token ?? '')).rejects.toThrow();
    await expect(oidc.refreshTokenGrant(configuration, next.refresh_token ?? '')).rejects.toThrow();
  });
});
