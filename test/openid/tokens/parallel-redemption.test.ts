// SEC-68: a code that is redeemed twice at the same time: one answer with tokens, and these are dead. Bare races, without a later
// use that would end them anyway; on PostgreSQL at two instances.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ENGINES } from '#support/databases.ts';
import { authorizationUrl, CREDENTIALS, signIn } from '#support/openid/relying-party.ts';
import { type SecondInstance, startSecondInstance } from '#support/openid/second-instance.ts';
import { cookiesOf, isAlive, sendToFirst, signOnSilently, tokensFor } from '#support/openid/silent-sign-on.ts';
import { createPerson, type Person } from '#support/person.ts';
import type { Send } from '#support/send-to-port.ts';
import { ALL_SCOPES, type RunningService, SECRET, startService, testClients } from '#support/service.ts';

const ROUNDS = Number(process.env['RACE_ROUNDS'] ?? 8);
const clientId = 'trusted';

describe.each(ENGINES)('SEC-68 a code redeemed twice at the same time on %s', (engine) => {
  let service: RunningService;
  let other: SecondInstance | undefined;
  let person: Person;
  let sends: Send[];
  beforeAll(async () => {
    const clients = await testClients();
    service = await startService({ engine, clients });
    other = engine === 'postgresql' ? await startSecondInstance(service, clients) : undefined;
    sends = [sendToFirst, other?.send ?? sendToFirst];
    person = createPerson(service.issuer);
    await signIn(service, { person, clientId });
    // The secret is known from then on: slow hashes would have one wait for the other.
    for (const send of sends) await tokensFor(service, { clientId, code: 'x' }, send);
  });
  afterAll(async () => {
    await other?.stop();
    await service.stop();
  });

  const refreshes = async (token: string) => {
    const fields = { grant_type: 'refresh_token', refresh_token: token, client_id: clientId, client_secret: SECRET };
    return (await sendToFirst(`${service.issuer}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) }))
      .status;
  };
  const race = async (code: string) => {
    const answers = await Promise.all(sends.map((send) => tokensFor(service, { clientId, code }, send)));
    return answers.filter((tokens) => tokens !== undefined);
  };

  it('gives tokens once, and these are dead; the next silent sign-on gets others', async () => {
    const found = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { code } = await signOnSilently(service, clientId, cookiesOf(person));
      const winners = await race(code ?? '');
      const alive = await Promise.all(winners.map(({ access_token }) => isAlive(service, access_token)));
      found.push({ winners: winners.length, alive: alive.filter(Boolean).length });
    }
    expect(found).toEqual(found.map(() => ({ winners: 1, alive: 0 })));
    const next = await tokensFor(service, await signOnSilently(service, clientId, cookiesOf(person)));
    expect(next && (await isAlive(service, next.access_token))).toBe(true);
  });

  it('so is its refresh token, which outlives sessions', async () => {
    const found = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const url = authorizationUrl(service, {
        client_id: clientId,
        prompt: 'consent',
        scope: `${ALL_SCOPES} offline_access`,
      });
      const callback = await person.signIn(url, CREDENTIALS);
      const [tokens] = await race(callback.searchParams.get('code') ?? '');
      found.push(await refreshes(tokens?.refresh_token ?? 'none'));
      expect(tokens?.refresh_token).toBeDefined();
    }
    expect(found).toEqual(found.map(() => 400));
  });
});
