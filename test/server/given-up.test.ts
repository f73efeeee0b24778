// SEC-78, SEC-26: who was answered with 503 because the database did not answer asks again when it does, and gets what it asked for: whatever the
// database finds late of the first try is not carried out.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { type LateNetwork, lateNetwork } from '#support/late-network.ts';
import { obtainCode, redeem, signIn } from '#support/openid/relying-party.ts';
import { createPerson } from '#support/person.ts';
import { type RunningService, SECRET, startService } from '#support/service.ts';
import { until } from '#support/until.ts';

let service: RunningService;
let network: LateNetwork;

beforeAll(async () => {
  network = await lateNetwork();
  service = await startService({
    engine: 'postgresql',
    adjust: (settings) => {
      if (settings.database.engine !== 'postgresql') throw new Error('not on PostgreSQL');
      const url = new URL(settings.database.url);
      network.leadTo(new URL(url));
      url.port = String(network.port);
      return { ...settings, database: { ...settings.database, url: url.href, queryTimeout: 300 } };
    },
  });
});
afterAll(async () => {
  await network.deliver();
  await service.stop();
  network.close();
});
afterEach(() => network.deliver());

const post = (path: string, fields: Record<string, string>) =>
  fetch(service.issuer + path, {
    method: 'POST',
    body: new URLSearchParams({ client_id: 'trusted', client_secret: SECRET, ...fields }),
  });
const issued = async () =>
  (await service.database('audit_events').select('id').where({ event: 'token.issued' })).length;
/** Until its records are written, too, a quarter of a second later: what is kept back is what comes after them. */
const signInForGood = async () => {
  const before = await issued();
  const { tokens } = await signIn(service, { clientId: 'trusted', scope: 'openid offline_access' });
  await until(async () => (await issued()) > before, 'the record of the tokens');
  return tokens;
};
const refresh = (token = '') => post('/oauth/token', { grant_type: 'refresh_token', refresh_token: token });
/** Past the grace of a repeated refresh: whatever was noted as used was used a minute ago. */
const aMinuteAgo = () =>
  service
    .database('oidc_records')
    .whereNotNull('consumed_at')
    .update({ consumed_at: service.database.raw('consumed_at - 60') });

/** Asks with the write number `after` kept back; false when there is no such one. */
async function givesUp(after: number, ask: () => Promise<Response>): Promise<boolean> {
  network.keepWrites(after);
  const answer = await ask();
  const kept = network.kept() > 0;
  await network.deliver();
  if (answer.status === 503) expect(answer.headers.get('retry-after')).toBe('5');
  return kept && answer.status === 503;
}

describe('SEC-78 what was given up and answered with 503', () => {
  it('SEC-26 refreshes: each of several is repeated beyond the grace, and no family ends', async () => {
    for (let after = 0; ; after += 1) {
      const { refresh_token: token } = await signInForGood();
      if (!(await givesUp(after, () => refresh(token)))) break;
      await aMinuteAgo();
      const again = await refresh(token);
      expect([after, again.status]).toEqual([after, 200]);
      expect((await refresh(((await again.json()) as { refresh_token: string }).refresh_token)).status).toBe(200);
      expect(after).toBeLessThan(9);
    }
  });

  it('codes: one that was not used by it is good', async () => {
    const code = await obtainCode(service);
    expect(await givesUp(0, () => redeem(service, code))).toBe(true);
    expect((await redeem(service, code)).status).toBe(200);
    expect((await redeem(service, code)).status).toBe(400);
  });

  it('revocations: the token is good until the second try', async () => {
    const { access_token: token } = await signInForGood();
    const active = async () => (await (await post('/oauth/introspect', { token })).json()) as object;
    expect(await givesUp(0, () => post('/oauth/revoke', { token }))).toBe(true);
    expect(await active()).toMatchObject({ active: true });
    expect((await post('/oauth/revoke', { token })).status).toBe(200);
    expect(await active()).toMatchObject({ active: false });
  });

  it('sign-ins: no session of them is there, and the next one works', async () => {
    const sessions = async () => {
      const rows: { id: string }[] = await service
        .database('oidc_records')
        .select('id')
        .where({ model: 'Session' })
        .orderBy('id');
      return rows.map(({ id }) => id);
    };
    for (let after = 0; ; after += 1) {
      const person = createPerson(service.issuer);
      network.keepWrites(after);
      const given = await signIn(service, { person }).catch(() => undefined);
      if (given) break;
      expect(network.kept()).toBeGreaterThan(0);
      const before = await sessions();
      await network.deliver();
      expect([after, await sessions()]).toEqual([after, before]);
      expect((await signIn(service, { person })).tokens.access_token).toBeDefined();
      expect(after).toBeLessThan(40);
    }
  });
});
