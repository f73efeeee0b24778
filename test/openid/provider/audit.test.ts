// SEC-48: every event of a sign-in's life is in the audit trail, with who, what, when and from where, and no token in it.

import { describe, expect, it } from '@jest/globals';
import type { AuditRecord, AuditSearch } from '#store/audit/audit-events.ts';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { authorizationUrl, CREDENTIALS, redeem, signIn } from '#support/openid/relying-party.ts';
import { resetService } from '#support/openid/reset-service.ts';
import { service, withService } from '#support/openid/with-service.ts';
import { createPerson } from '#support/person.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD, SECRET } from '#support/service.ts';
import { until } from '#support/until.ts';

describe('SEC-48 the audit trail of a service', () => {
  withService({ ownKeys: true });

  const me = DEMO_ACCOUNTS[0]?.id ?? '';
  const search = (filter: Partial<AuditSearch> = {}) =>
    openAuditEvents(service.database).search({ limit: 1000, ...filter });
  const names = (records: AuditRecord[]) => records.map(({ event }) => event);
  /** Tokens are noted within a quarter of a second. */
  const noted = (event: AuditRecord['event'], since: number) =>
    until(async () => (await search({ events: [event], since })).length === 1, `a record of ${event}`);

  it('from the wrong password to the sign-out, in order, each with its circumstances', async () => {
    await resetService(service);
    const before = Date.now();
    const person = createPerson(service.issuer);
    const page = await person.visit(authorizationUrl(service, { client_id: 'server' }));
    await person.press(page, 'sign-in', { login: CREDENTIALS.login, password: 'tout à fait faux' });
    await person.press(page, 'sign-in', { login: 'nobody@nowhere.example', password: 'tout à fait faux' });
    const { tokens, configuration } = await signIn(service, { person });
    await noted('token.issued', before);

    await redeem(service, 'no-code-of-ours');
    await redeem(service, 'no-code-of-ours', { client_secret: 'a wrong secret of a client' });
    const revoke = await fetch(`${service.issuer}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: 'server', client_secret: SECRET, token: tokens.access_token }),
    });
    expect(revoke.status).toBe(200);
    const leaving = await person.visit(
      `${configuration.serverMetadata().end_session_endpoint}?id_token_hint=${tokens.id_token}`,
    );
    await person.press(leaving, 'sign-out');

    expect(names(await search()).slice(0, 4)).toEqual(Array(4).fill('key.created'));
    const records = await search({ since: before });
    expect(names(records)).toEqual([
      'sign-in.failed',
      'sign-in.failed',
      'sign-in.succeeded',
      'consent.given',
      'token.issued',
      'token.refused',
      'token.refused',
      'token.revoked',
      'session.ended',
    ]);
    // What else each has: `audit-events.test.ts`, and `recorded.test.ts` of the sign-in.
    const [wrong, stranger] = records;
    expect(wrong?.details?.['signIn']).toMatch(/^[\w-]{16}$/);
    expect(JSON.stringify(stranger)).not.toContain('nobody');
    for (const record of records) {
      expect(record).toMatchObject({ address: '127.0.0.1', requestId: expect.stringMatching(/^[\w-]{8}-\w+$/) });
      expect(Math.abs(Date.parse(record.time) - Date.now())).toBeLessThan(120_000);
      expect(record.time).toMatch(/Z$/);
    }
    // The same records are in the log.
    const logged = service
      .logged()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'audit');
    expect(logged.slice(-records.length).map(({ event }) => event)).toEqual(names(records));
    expect(logged.at(-1)).toMatchObject({
      level: 'info',
      actor: `account:${me}`,
      requestId: records.at(-1)?.requestId,
    });
  });

  it('SEC-15 guesses of a client secret, wherever secrets are taken; a request that is only malformed is no guess', async () => {
    const before = Date.now();
    const guess = 'a guess at the secret of a client';
    const fields = { client_id: 'server', client_secret: guess, token: 'no-token-of-ours' };
    const ask = async (path: string, body: Record<string, string>) =>
      (await fetch(`${service.issuer}${path}`, { method: 'POST', body: new URLSearchParams(body) })).status;
    expect(await ask('/oauth/introspect', fields)).toBe(401);
    expect(await ask('/oauth/revoke', fields)).toBe(401);
    expect(await ask('/oauth/introspect', { ...fields, client_id: 'nobody' })).toBe(401);
    expect(await ask('/oauth/introspect', { client_id: 'server', client_secret: SECRET })).toBe(400);
    const unread = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'grant_type=authorization_code' };
    expect((await fetch(`${service.issuer}/oauth/token`, unread)).status).toBe(400);
    const records = await search({ since: before });
    expect(records.map(({ event, client, details }) => [event, client, details?.['endpoint']])).toEqual([
      ['client.refused', 'server', 'introspect'],
      ['client.refused', 'server', 'revoke'],
      ['client.refused', undefined, 'introspect'],
    ]);
    for (const record of records) {
      expect(record).toMatchObject({ outcome: 'failure', actor: 'unknown', address: '127.0.0.1' });
      expect(record.details).toMatchObject({ error: 'invalid_client', detail: expect.any(String) });
    }
    expect(JSON.stringify(records)).not.toContain(guess);
    expect(service.logged()).toMatch(/"route":"introspection".*"error":"invalid_client".*"msg":"refused"/);
  });

  it('a code that was used twice, with whose it was', async () => {
    const before = Date.now();
    const callback = await createPerson(service.issuer).signIn(authorizationUrl(service), CREDENTIALS);
    const code = callback.searchParams.get('code') ?? '';
    for (const status of [200, 400]) expect((await redeem(service, code)).status).toBe(status);
    const [reused] = await search({ since: before, events: ['token.reused'] });
    expect(reused).toMatchObject({ account: me, client: 'server', details: { error: 'invalid_grant' } });
  });

  it('refresh tokens: issued, refreshed; no token, code, secret or password stands in any record', async () => {
    const before = Date.now();
    const { tokens } = await signIn(service, {
      clientId: 'trusted',
      person: createPerson(service.issuer),
      scope: 'openid email offline_access',
      parameters: { prompt: 'consent' },
    });
    const refreshed = await fetch(`${service.issuer}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: 'trusted',
        client_secret: SECRET,
        refresh_token: tokens.refresh_token ?? '',
      }),
    });
    expect(refreshed.status).toBe(200);
    const answer = (await refreshed.json()) as Record<string, string>;
    await noted('token.refreshed', before);
    const [record] = await search({ events: ['token.refreshed'], since: before });
    expect(record).toMatchObject({ actor: 'client:trusted', account: me, details: { grant: 'refresh_token' } });

    const dump = JSON.stringify(await service.database('audit_events').select('*'));
    const secrets = [SECRET, DEMO_PASSWORD, 'tout à fait faux', 'a wrong secret of a client', 'no-code-of-ours'];
    const given = [
      tokens.access_token,
      tokens.refresh_token,
      tokens.id_token,
      answer['access_token'],
      answer['refresh_token'],
    ];
    for (const secret of [...secrets, ...given]) expect(dump).not.toContain(secret ?? 'missing');
    expect(dump).not.toMatch(/eyJ[\w-]+\./);
  });
});
