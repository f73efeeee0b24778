// Keys while the service runs: algorithms by client, rotation without an outage on two instances, encryption at rest.

import { beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import type { ClientSettings } from '#config/settings.ts';
import { rotateKeys } from '#openid/keys/key-changes.ts';
import { openKeyVault } from '#server/open-service-keys.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { KEY_KINDS } from '#store/oidc/service-keys.ts';
import { openedForAll } from '#support/opened.ts';
import { authorizationUrl, CREDENTIALS, discover, signIn } from '#support/openid/relying-party.ts';
import { type KeySet, verified } from '#support/openid/verified.ts';
import { createPerson } from '#support/person.ts';
import { type RunningService, startService, testClients } from '#support/service.ts';
import { until } from '#support/until.ts';

const KEY_SECRET = 'a secret of the tests that encrypts nothing else';

const keySet = async ({ issuer }: RunningService) =>
  (await (await fetch(`${issuer}/.well-known/jwks.json`)).json()) as KeySet;
const kidsOf = async (service: RunningService) => (await keySet(service)).keys.map(({ kid }) => kid);
const headerOf = (jwt = '') => JSON.parse(Buffer.from(jwt.split('.')[0] ?? '', 'base64url').toString());

describe('keys of two instances', () => {
  const env = { HYGIE_KEY_SECRET: KEY_SECRET };
  let clients: ClientSettings[];

  beforeAll(async () => {
    clients = (await testClients()).map((client) =>
      client.id === 'narrow' ? { ...client, idTokenAlgorithm: 'ES256' as const, consent: 'trusted' as const } : client,
    );
    clients.push({ ...(clients[1] as (typeof clients)[1]), id: 'edwards', idTokenAlgorithm: 'EdDSA' });
  });
  const one = openedForAll(() => startService({ env, clients, ownKeys: true }));
  const other = openedForAll(() =>
    startService({ env, clients, adjust: (settings) => ({ ...settings, database: one.settings.database }) }),
  );

  it('SEC-22 SEC-24 a client gets the algorithm it is registered with; the key set is public and may be kept', async () => {
    const answer = await fetch(`${one.issuer}/.well-known/jwks.json`);
    expect(answer.headers.get('cache-control')).toBe('public, max-age=3600');
    const set = (await answer.json()) as KeySet;
    expect(set.keys.map(({ alg }) => alg)).toEqual(['RS256', 'ES256', 'EdDSA']);
    for (const key of set.keys) {
      for (const member of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']) expect(key).not.toHaveProperty(member);
    }
    const algorithms = { trusted: 'RS256', narrow: 'ES256', edwards: 'EdDSA' };
    for (const [clientId, alg] of Object.entries(algorithms)) {
      const configuration = await discover(one, clientId);
      // openid-client holds the header against its own metadata, as a careful relying party does.
      Object.assign(configuration.clientMetadata(), { id_token_signed_response_alg: alg });
      const { tokens } = await signIn(one, { clientId, configuration, scope: 'openid email' });
      expect(verified(tokens.id_token ?? '', set).header.alg).toBe(alg);
      expect(tokens.claims()?.['at_hash']).toEqual(expect.any(String));
    }
  });

  it('SEC-16 no key stands in the database in clear', async () => {
    const rows = await one.database('service_keys').whereNot({ purpose: 'lock' });
    expect(rows).toHaveLength(4);
    for (const { material } of rows) expect(material).toMatch(/^sealed-1\.[\w-]+\.[\w-]+$/);
  });

  it('SEC-25 a new key is published everywhere before it signs; sessions, tokens and hints of the old one hold', async () => {
    const person = createPerson(one.issuer);
    const before = await signIn(one, { clientId: 'trusted', person, scope: 'openid email' });
    const oldKid = headerOf(before.tokens.id_token).kid;
    const keys = () => one.database('service_keys').whereNot({ purpose: 'lock' });
    const rows = await keys();
    // A second tells which of two keys came first: these came long before.
    const earlier = (column: string) => one.database.raw('?? - 60', [column]);
    const times = { created_at: earlier('created_at'), active_at: earlier('active_at') };
    await one.database('service_keys').update(times);
    const vault = openKeyVault(one.database, one.settings);
    const asked = epochSeconds();
    const changes = await rotateKeys(vault, KEY_KINDS);
    const newKid = changes.find(({ kind }) => kind === 'RS256')?.id ?? '';
    expect(changes).toHaveLength(4);
    expect(changes.every(({ activeAt = 0 }) => activeAt > asked + 3600)).toBe(true);
    // Asked again, nothing more is made.
    expect((await rotateKeys(vault, ['RS256'])).map(({ what, id }) => [what, id])).toEqual([['waits', newKid]]);

    for (const service of [one, other]) {
      await until(async () => (await kidsOf(service)).includes(newKid), 'the new key is published');
    }
    const waiting = await signIn(one, { clientId: 'trusted', person, scope: 'openid email' });
    expect(headerOf(waiting.tokens.id_token).kid).toBe(oldKid);

    // The clock is moved: the hour is over.
    await one.database('service_keys').where('active_at', '>', epochSeconds()).update({ active_at: epochSeconds() });
    for (const service of [one, other]) {
      await until(async () => (await kidsOf(service))[0] === newKid, 'the new key signs');
      expect(await kidsOf(service)).toContain(oldKid);
    }

    // Whoever was signed in under the old cookie keys still is, and gets tokens of the new key.
    const page = await person.visit(authorizationUrl(one, { client_id: 'trusted', scope: 'openid email' }));
    expect(page.left?.searchParams.get('code')).toBeTruthy();
    const after = await signIn(one, { clientId: 'trusted', person, scope: 'openid email' });
    expect(headerOf(after.tokens.id_token).kid).toBe(newKid);

    const set = await keySet(other);
    for (const { tokens } of [before, after]) expect(verified(tokens.id_token ?? '', set).payload['sub']).toBeTruthy();
    const hint = { id_token_hint: before.tokens.id_token ?? '', prompt: 'none', scope: 'openid email' };
    const silent = await person.visit(authorizationUrl(one, { client_id: 'trusted', ...hint }));
    expect(silent.left?.searchParams.get('error')).toBeNull();
    const leaving = oidc.buildEndSessionUrl(before.configuration, { id_token_hint: before.tokens.id_token ?? '' });
    expect((await person.visit(leaving)).html).toContain('id="sign-out"');

    // The other tests find the first keys again.
    await keys().delete();
    await one.database('service_keys').insert(rows);
    for (const service of [one, other]) {
      await until(async () => !(await kidsOf(service)).includes(newKid), 'the new key is gone');
    }
  });

  it('SEC-25 an ID token of another algorithm of ours is a hint as well; one of nobody is none', async () => {
    const person = createPerson(one.issuer);
    await person.signIn(authorizationUrl(one), CREDENTIALS);
    const configuration = await discover(one, 'edwards');
    Object.assign(configuration.clientMetadata(), { id_token_signed_response_alg: 'EdDSA' });
    const { tokens } = await signIn(one, { clientId: 'edwards', person, configuration, scope: 'openid email' });
    // The client is registered with the default algorithm from now on.
    one.replaceClients(
      clients.map((client) => (client.id === 'edwards' ? { ...client, idTokenAlgorithm: 'RS256' } : client)),
    );
    const page = await person.visit(oidc.buildEndSessionUrl(configuration, { id_token_hint: tokens.id_token ?? '' }));
    expect(page.html).toContain('id="sign-out"');

    const [header, payload, signature] = (tokens.id_token ?? '').split('.');
    const as = (alg: string) =>
      Buffer.from(JSON.stringify({ ...headerOf(tokens.id_token), alg })).toString('base64url');
    for (const forged of [
      `${as('none')}.${payload}.`,
      `${as('HS256')}.${payload}.${signature}`,
      `${header}.${payload}.AAAA`,
    ]) {
      const refused = await person.visit(oidc.buildEndSessionUrl(configuration, { id_token_hint: forged }));
      expect(refused.status).toBe(400);
    }
    one.replaceClients(clients);
  });
});
