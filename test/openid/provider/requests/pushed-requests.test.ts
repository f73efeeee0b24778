// SEC-58: how many rows pushed requests leave at most.

import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Adapter, AdapterPayload, Provider as LibraryProvider } from 'oidc-provider';
import { Provider } from 'oidc-provider';
import {
  createPushedRequestLimits,
  MOST_PUSHED,
  PUSHED_REQUEST_RULES,
} from '#openid/provider/requests/pushed-requests.ts';
import { ENGINES } from '#support/databases.ts';
import { CALLBACK, type RunningService, startService } from '#support/service.ts';

describe.each(ENGINES)('SEC-58 pushed requests of a public client on %s', (engine) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService({ engine });
  });
  afterAll(() => service.stop());

  it('are limited by network, with a clear error', async () => {
    const { points } = PUSHED_REQUEST_RULES.narrow;
    const form = { client_id: 'browser', redirect_uri: CALLBACK, response_type: 'code', scope: 'openid' };
    const challenge = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' };
    const push = () => {
      const body = new URLSearchParams({ ...form, ...challenge, state: 'x'.repeat(2048) });
      return fetch(`${service.issuer}/oauth/par`, { method: 'POST', body });
    };
    const statuses: number[] = [];
    for (let sent = 0; sent < points; sent += 20) {
      const answers = await Promise.all(Array.from({ length: 20 }, push));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(new Set(statuses)).toEqual(new Set([201]));
    const refused = await push();
    expect([refused.status, await refused.json()]).toEqual([
      429,
      { error: 'temporarily_unavailable', error_description: expect.stringContaining('from this network') },
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await service.database('oidc_records').where({ model: 'PushedAuthorizationRequest' })).toHaveLength(points);
  });
});

describe('SEC-58 rows of pushed requests', () => {
  const rows = new Set<string>();
  const adapter = {
    find: async () => undefined,
    upsert: async (id: string) => void rows.add(id),
    destroy: async (id: string) => void rows.delete(id),
  } as unknown as Adapter;
  const original = Object.getOwnPropertyDescriptor(Provider, 'ctx') as PropertyDescriptor;
  let current: unknown;
  beforeAll(() => {
    Object.defineProperty(Provider, 'ctx', { configurable: true, get: () => current as LibraryProvider });
  });
  afterAll(() => {
    Object.defineProperty(Provider, 'ctx', original);
  });

  const pushAll = async (clientAuthMethod: string, count: number) => {
    rows.clear();
    const limited = createPushedRequestLimits()(adapter);
    for (let index = 0; index < count; index += 1) {
      const ip = `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
      const client = { clientAuthMethod, clientId: 'one' };
      current = { oidc: { route: 'pushed_authorization_request', client }, req: { ip }, set: () => undefined };
      await limited.upsert(String(index), {} as AdapterPayload, 60);
    }
  };

  it('of all public clients together: the oldest go first', async () => {
    await pushAll('none', MOST_PUSHED.ofPublicClients + 25);
    expect(rows.size).toBe(MOST_PUSHED.ofPublicClients);
    expect([rows.has('24'), rows.has('25')]).toEqual([false, true]);
  });

  it('of a client that authenticates: as many as it may have of its own', async () => {
    await pushAll('private_key_jwt', MOST_PUSHED.ofClient + 3);
    expect(rows.size).toBe(MOST_PUSHED.ofClient);
    expect([rows.has('2'), rows.has('3')]).toEqual([false, true]);
  });
});
