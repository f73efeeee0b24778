// Introspection and userinfo go two ways (`src/oidc/tokens/short-way.ts`), of which the short one must never give another answer than the
// library's: both are asked about tokens in every state, by clients of every kind.

import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { openAccounts } from '../../src/store/accounts/accounts.ts';
import { openOidcRecords } from '../../src/store/oidc/oidc-records.ts';
import { ENGINES } from '../support/databases.ts';
import { basic, clientsWithApis } from '../support/oidc/api-clients.ts';
import { newClientKey, proof } from '../support/oidc/keys-of-clients.ts';
import { discover, obtainCode, redeem, signIn } from '../support/oidc/relying-party.ts';
import { createPerson } from '../support/person.ts';
import {
  ALL_SCOPES,
  DEMO_ACCOUNTS,
  DEMO_PASSWORD,
  type RunningService,
  SECRET,
  startService,
} from '../support/service.ts';

const PASSING = ['date', 'x-request-id', 'content-length'];
const headersOf = ({ headers }: Response) => [...headers].filter(([name]) => !PASSING.includes(name));

describe.each(ENGINES)('both ways answer the same on %s', (engine) => {
  let service: RunningService;
  const tokens: Record<string, string> = { unknown: 'none-that-was-ever-given', structured: 'a.b.c' };
  beforeAll(async () => {
    service = await startService({ engine, clients: await clientsWithApis(newClientKey()) });
    const plain = await signIn(service);
    tokens['plain'] = plain.tokens.access_token;
    tokens['identity'] = plain.tokens.id_token ?? '';
    tokens['of a single scope'] = (await signIn(service, { scope: 'openid ORGANIZATION_READ' })).tokens.access_token;
    const asked = { prompt: 'consent', claims: '{"userinfo":{"name":null}}' };
    const offline = { clientId: 'trusted', scope: `${ALL_SCOPES} offline_access`, parameters: asked };
    const kept = (await signIn(service, offline)).tokens;
    tokens['refresh'] = kept.refresh_token ?? '';
    const refreshed = await oidc.refreshTokenGrant(
      await discover(service, 'trusted'),
      (await signIn(service, offline)).tokens.refresh_token ?? '',
    );
    tokens['refreshed'] = refreshed.access_token;
    tokens['machine'] = (
      await oidc.clientCredentialsGrant(await discover(service, 'trusted'), { scope: 'email' })
    ).access_token;
    const dpop = proof(newClientKey(), { method: 'POST', url: `${service.issuer}/oauth/token` });
    const bound = await redeem(service, await obtainCode(service), {}, { dpop });
    tokens['bound to a key'] = ((await bound.json()) as { access_token: string }).access_token;

    const signInAs = (number: number) => {
      const credentials = { login: DEMO_ACCOUNTS[number]?.email ?? '', password: DEMO_PASSWORD };
      return signIn(service, { person: createPerson(service.issuer), credentials });
    };
    const revoked = await signInAs(3);
    tokens['revoked'] = revoked.tokens.access_token;
    await oidc.tokenRevocation(revoked.configuration, revoked.tokens.access_token);
    tokens['of who signed out'] = (await signInAs(4)).tokens.access_token;
    await service.database('oidc_records').where({ model: 'Session', account_id: DEMO_ACCOUNTS[4]?.id }).delete();
    tokens['of who is disabled'] = (await signInAs(5)).tokens.access_token;
    await openAccounts(service.database).update(DEMO_ACCOUNTS[5]?.id ?? '', { status: 'disabled' });

    tokens['of a grant of another person'] = (await signInAs(6)).tokens.access_token;
    const grants = service.database('oidc_records').where({ model: 'Grant', account_id: DEMO_ACCOUNTS[6]?.id });
    const { payload: grant } = await grants.clone().first();
    await grants.update({ payload: JSON.stringify({ ...JSON.parse(grant), accountId: DEMO_ACCOUNTS[7]?.id }) });

    const expired = (await signIn(service)).tokens.access_token;
    tokens['expired'] = expired;
    const records = openOidcRecords(service.database);
    const payload = await records.find('AccessToken', expired);
    await records.upsert('AccessToken', expired, { ...payload, exp: Math.floor(Date.now() / 1000) - 60 }, -60);
  });
  afterAll(() => service.stop());

  const ask = async (fields: Record<string, string>, headers: Record<string, string>) => {
    const body = new URLSearchParams(fields);
    const answer = await fetch(`${service.issuer}/oauth/introspect`, { method: 'POST', headers, body });
    return { status: answer.status, said: headersOf(answer), body: await answer.text() };
  };
  const bothWays = async (fields: Record<string, string>, headers: Record<string, string> = {}) => {
    // A member that nobody knows is passed over by the library, and leads to it.
    const long = await ask({ ...fields, unknown: 'member' }, headers);
    expect(await ask(fields, headers)).toEqual(long);
    return JSON.parse(long.body) as { active?: boolean; error?: string };
  };

  const STATES = [
    'plain',
    'of a single scope',
    'refresh',
    'refreshed',
    'machine',
    'bound to a key',
    'identity',
    'unknown',
    'structured',
    'revoked',
    'expired',
    'of who is disabled',
    'of who signed out',
    'of a grant of another person',
  ];
  it.each(STATES)('RFC 7662 about a token: %s', async (state) => {
    const token = tokens[state] ?? '';
    expect(token).not.toBe('');
    const active: string[] = [];
    for (const client_id of ['server', 'trusted', 'narrow', 'api', 'other-api']) {
      const answer = await bothWays({ token, client_id, client_secret: SECRET });
      if (answer.active) active.push(client_id);
      expect(await bothWays({ token, token_type_hint: 'refresh_token' }, basic(client_id, SECRET))).toEqual(answer);
    }
    const whoMayKnow: Record<string, string[]> = {
      plain: ['server', 'api'],
      'of a single scope': ['server'],
      refresh: ['trusted'],
      refreshed: ['trusted', 'api', 'other-api'],
      machine: ['trusted', 'api'],
      'bound to a key': ['server', 'api'],
    };
    expect(active).toEqual(whoMayKnow[state] ?? []);
  });

  it.each(STATES)('OpenID Connect Core section 5.3 at userinfo, with a token: %s', async (state) => {
    const userinfo = async (query: string, headers: Record<string, string>) => {
      const answer = await fetch(`${service.issuer}/userinfo${query}`, { headers });
      const body = JSON.parse(await answer.text()) as Record<string, unknown>;
      return { status: answer.status, said: headersOf(answer), body };
    };
    const authorization = `Bearer ${tokens[state]}`;
    for (const headers of [{ authorization }, { authorization, origin: 'https://application.example' }]) {
      const long = await userinfo('?unknown=member', headers);
      expect(await userinfo('', headers)).toEqual(long);
      const holds = ['plain', 'of a single scope', 'refreshed'].includes(state);
      expect(long.status).toBe(holds ? 200 : 401);
    }
  });

  it.each<[string, Record<string, string>, Record<string, string>]>([
    ['a wrong secret', { client_id: 'server', client_secret: 'wrong' }, {}],
    ['a wrong secret in the header', {}, basic('server', 'wrong')],
    ['two ways of proof', { client_secret: SECRET }, basic('server', SECRET)],
    ['two names', { client_id: 'trusted' }, basic('server', SECRET)],
    ['its name twice', { client_id: 'server' }, basic('server', SECRET)],
    ['no proof', { client_id: 'server' }, {}],
    ['no name', { client_secret: SECRET }, {}],
    ['a secret where there is none', { client_id: 'browser', client_secret: SECRET }, {}],
    ['a secret where there is a key', { client_id: 'signing-api', client_secret: SECRET }, {}],
    ['a stranger', { client_id: 'nobody', client_secret: SECRET }, {}],
    ['an odd header', {}, { authorization: `Basic ${Buffer.from('server%:x').toString('base64')}` }],
    ['a token in the header', {}, { authorization: 'Bearer x' }],
  ])('SEC-15 to who shows %s', async (_what, fields, headers) => {
    // So that its secret is known, as far as it has one.
    await bothWays({ token: tokens['plain'] ?? '', client_id: 'server', client_secret: SECRET });
    const answer = await bothWays({ token: tokens['plain'] ?? '', ...fields }, headers);
    expect(answer.active === true).toBe(_what === 'its name twice');
  });

  it('and what the log says of a refusal names the request, also when its form comes late', async () => {
    const form = new URLSearchParams({ token: 'x', client_id: 'narrow', client_secret: 'another' }).toString();
    const named = await new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': String(form.length) };
      const asking = request(`${service.issuer}/oauth/introspect`, { method: 'POST', headers }, (answer) => {
        answer.resume().on('end', () => resolve(answer.headers['x-request-id']));
      });
      asking.on('error', reject).flushHeaders();
      setTimeout(() => asking.end(form), 50);
    });
    expect(named).toBeTruthy();
    const lines = service
      .logged()
      .split('\n')
      .filter((line) => line.includes('client.refused'));
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ client: 'narrow', requestId: named });
  });

  it('to a page of another site', async () => {
    const origin = { origin: 'https://application.example' };
    await bothWays({ token: tokens['plain'] ?? '', client_id: 'server', client_secret: SECRET }, origin);
  });
});
