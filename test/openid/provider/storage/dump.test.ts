// SEC-62: a dump of the database, taken while pages are open, holds nothing that a browser would need to go on with them.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { ENGINES } from '#support/databases.ts';
import { credentialsOf, enteredBy, openAccount } from '#support/openid/account/person-of-account.ts';
import { authorizationUrl, CREDENTIALS } from '#support/openid/relying-party.ts';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { ALL_SCOPES, CALLBACK, type RunningService, SECRET, startService, testClients } from '#support/service.ts';

describe.each(ENGINES)('SEC-62 a dump on %s', (engine) => {
  let service: RunningService;
  beforeAll(async () => {
    const clients = (await testClients()).map((client) =>
      client.id === 'narrow' ? { ...client, secondFactor: 'required' as const } : client,
    );
    service = await startService({ engine, clients });
  });
  afterAll(() => service.stop());

  const dump = async () => {
    const tables = ['oidc_records', 'page_sessions', 'rate_limits', 'consents', 'second_factors', 'audit_events'];
    return JSON.stringify(await Promise.all(tables.map((table) => service.database(table))));
  };
  /** What the browser holds: the value of each cookie and of each part of it, and what stands in the page's forms. */
  const held = ({ cookies }: Person, { html, url }: Visit) => {
    const values = [...cookies].filter(([key]) => !key.startsWith('hygie_language')).map(([, value]) => value);
    const parts = values.flatMap((value) => decodeURIComponent(value).split(/[.:]/));
    const hidden = [...html.matchAll(/type="hidden" name="[^"]+" value="([^"]+)"/g)].map(([, value]) => value);
    const keys = [...html.matchAll(/secret=([A-Z2-7]+)/g)].map(([, key]) => Buffer.from(key ?? '').toString());
    const uid = new URL(url).pathname.split('/')[2];
    return [...values, ...parts, ...hidden, ...keys, uid].filter((text) => (text?.length ?? 0) >= 16);
  };
  const expectNone = async (person: Person, page: Visit, atLeast: number) => {
    const secrets = [...held(person, page), ...Object.values(asked)];
    expect(secrets.length).toBeGreaterThanOrEqual(atLeast);
    const taken = await dump();
    expect(taken).toContain('sealed');
    expect(secrets.filter((secret) => taken.includes(String(secret)))).toEqual([]);
  };
  // Another nonce for each: it is in the row of the code that is given in the end, which is of use to nobody without the code.
  let asked = { state: '', nonce: '' };
  beforeEach(() => {
    asked = { state: oidc.randomState(), nonce: oidc.randomNonce() };
  });

  it('holds nothing of a consent page', async () => {
    const person = createPerson(service.issuer);
    const login = await person.visit(authorizationUrl(service, { ...asked, prompt: 'consent' }));
    const consent = await person.press(login, 'sign-in', CREDENTIALS);
    expect(consent.html).toContain('id="allow"');
    await expectNone(person, consent, 8);
    expect((await person.press(consent, 'allow')).left?.searchParams.get('state')).toBe(asked.state);
  });

  it('nothing of the page that sets up a second factor', async () => {
    const person = createPerson(service.issuer);
    const url = authorizationUrl(service, { ...asked, client_id: 'narrow', scope: 'openid email' });
    const page = await person.press(await person.visit(url), 'sign-in', credentialsOf(3));
    expect(page.html).toContain('id="set-up"');
    await expectNone(person, page, 8);
    const rows = await service.database('page_sessions');
    for (const { payload } of rows) expect(Object.keys(JSON.parse(payload))).toEqual(['sealed']);
  });

  it('nothing of the account pages, or of an app that is set up there', async () => {
    const { person } = await enteredBy(service.issuer, 4);
    const page = await openAccount(person, 4, '/account/second-factor');
    expect(page.html).toContain('id="set-up"');
    await expectNone(person, page, 6);
  });

  it('nothing of the question before a sign-out', async () => {
    const { person } = await enteredBy(service.issuer, 5);
    const page = await person.visit('/logout');
    await expectNone(person, page, 4);
    expect((await person.press(page, 'sign-out')).status).toBe(200);
  });

  it('nothing of a pushed request, nor of the interaction that follows it', async () => {
    const form = { client_id: 'server', client_secret: SECRET, redirect_uri: CALLBACK, response_type: 'code' };
    const body = new URLSearchParams({ ...form, ...asked, scope: ALL_SCOPES, prompt: 'consent' });
    const answer = await fetch(`${service.issuer}/oauth/par`, { method: 'POST', body });
    const { request_uri } = (await answer.json()) as { request_uri: string };
    const pushed = request_uri.split(':').at(-1) ?? '';
    expect(pushed).toHaveLength(43);
    const person = createPerson(service.issuer);
    const login = await person.visit(`/authorize?${new URLSearchParams({ client_id: 'server', request_uri })}`);
    const consent = await person.press(login, 'sign-in', CREDENTIALS);
    await expectNone(person, consent, 8);
    expect(await dump()).not.toContain(pushed);
    expect((await person.press(consent, 'allow')).left?.searchParams.get('state')).toBe(asked.state);
  });
});
