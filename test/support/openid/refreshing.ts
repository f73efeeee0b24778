// What the tests of refresh tokens share: a service whose clients may ask for them, and the steps of a refresh.

import { afterAll, beforeAll } from '@jest/globals';
import type { ClientSettings } from '#config/settings.ts';
import { digest } from '#shared/crypto/digest.ts';
import type { Engine } from '#support/databases.ts';
import type { Person } from '#support/person.ts';
import type { Send } from '#support/send-to-port.ts';
import { type RunningService, SECRET, startService, testClients } from '#support/service.ts';
import { obtainCode, redeem, signedInPerson } from './relying-party.ts';
import { type SecondInstance, startSecondInstance } from './second-instance.ts';

export interface Tokens {
  access_token: string;
  refresh_token: string;
  id_token: string;
  scope: string;
  error?: string;
}

export const OFFLINE = 'openid email offline_access PRACTITIONER_READ';

/** To be called once for each engine; `on` is filled when the tests run. */
export function refreshing(engine: Engine, { instances = 1 } = {}) {
  const on = {} as { service: RunningService; clients: ClientSettings[]; other?: SecondInstance };
  beforeAll(async () => {
    on.clients = (await testClients()).map((client) =>
      client.id === 'server' || client.id === 'browser'
        ? { ...client, scopes: [...client.scopes, 'offline_access'] }
        : client,
    );
    on.service = await startService({ engine, clients: on.clients });
    if (instances > 1) on.other = await startSecondInstance(on.service, on.clients);
  });
  afterAll(async () => {
    await on.other?.stop();
    await on.service.stop();
  });

  /** The row of a refresh token. */
  const rowOf = (token: string) =>
    on.service.database('oidc_records').where({ model: 'RefreshToken', id: digest(token) });
  return {
    on,
    rowOf,
    ask: async (token: string, fields: Record<string, string> = {}, send: Send = fetch) => {
      const body = new URLSearchParams({
        grant_type: 'refresh_token',
        refresh_token: token,
        client_id: 'server',
        client_secret: SECRET,
        ...fields,
      });
      const answer = await send(`${on.service.issuer}/oauth/token`, { method: 'POST', body });
      return { status: answer.status, tokens: (await answer.json()) as Tokens };
    },
    obtain: async (scope = OFFLINE, person: Person = signedInPerson(on.service)): Promise<Tokens> => {
      const code = await obtainCode(on.service, { scope, prompt: 'consent', nonce: 'n-0S6' }, person);
      return (await (await redeem(on.service, code)).json()) as Tokens;
    },
    /** Status of a search in the directory. */
    search: async ({ access_token }: Tokens) => {
      const headers = { authorization: `Bearer ${access_token}` };
      return (await fetch(`${on.service.issuer}/directory/v2/Practitioner?name=martin`, { headers })).status;
    },
    /** As if the token had been used some seconds earlier. */
    usedAgo: (token: string, seconds: number) => rowOf(token).decrement('consumed_at', seconds),
    /** As if the token and the first of its family were that much older. */
    age: async (token: string, seconds: number) => {
      const [row] = await rowOf(token);
      const payload = JSON.parse(row.payload);
      for (const time of ['iat', 'exp', 'iiat']) payload[time] -= seconds;
      await rowOf(token).update({ payload: JSON.stringify(payload) });
    },
  };
}
