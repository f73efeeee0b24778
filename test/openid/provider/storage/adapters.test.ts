// SEC-16, SEC-55, SEC-62: what each adapter of the library's storage passes on, seals or refuses.

import { describe, expect, it } from '@jest/globals';
import { adapterFactory } from '#openid/provider/storage/adapter.ts';
import { boundToBrowser } from '#openid/provider/storage/browser-binding.ts';
import { neverRecreated, sealedInteractions, withCookiesOf } from '#openid/provider/storage/interaction-storage.ts';
import { noting } from '#support/noted-calls.ts';
import { COOKIES, sealedCookie } from '#web/http/cookies.ts';

describe('the library’s storage', () => {
  function factory() {
    const done: unknown[] = [];
    const rows = new Map<string, unknown>();
    const note = noting(done);
    const records = {
      upsert: async (model: string, id: string, payload: unknown, expiresIn: number) => {
        done.push(['upsert', model, id, expiresIn]);
        rows.set(id, payload);
      },
      find: async (_model: string, id: string) => rows.get(id),
      findSession: note('find session', { uid: 'u' }),
      consume: note('consume'),
      destroy: note('destroy', 1),
      destroyByGrant: note('by grant'),
      insertOnce: note('insert once'),
    };
    const clients = { metadata: (id: string) => (id === 'app' ? { client_id: 'app' } : undefined) };
    const keySets = { withReading: (metadata: object) => ({ ...metadata, reading: '1' }) };
    const wrapped = { AuthorizationCode: (adapter: object) => ({ ...adapter, wrapped: true }) };
    const adapter = adapterFactory({
      records,
      clients,
      keySets,
      tokens: { adapters: wrapped },
      issuer: 'https://c.example',
      cookieKeys: ['k'.repeat(32)],
      accessToken: 60,
    } as never);
    return { adapter, done, rows };
  }

  it('has the clients of clients.yaml, which nobody can change', async () => {
    const clients = factory().adapter('Client');
    expect([
      await clients.find('app'),
      await clients.find('b'),
      await clients.findByUid('x'),
      await clients.findByUserCode('x'),
    ]).toEqual([{ client_id: 'app', reading: '1' }, ...[undefined, undefined, undefined]]);
    for (const change of [
      clients.upsert('app', {}, 1),
      clients.consume('app'),
      clients.destroy('app'),
      clients.revokeByGrantId('g'),
    ])
      await expect(change).rejects.toThrow('clients are registered in clients.yaml');
  });

  it('seals pushed requests by their id, with what they are looked up by beside', async () => {
    const { adapter, rows } = factory();
    const pushed = adapter('PushedAuthorizationRequest');
    await pushed.upsert('id', { request: 'secret', grantId: 'g' }, 60);
    await pushed.upsert('other', { request: 'secret' }, 60);
    expect([rows.get('id'), rows.get('other')]).toEqual([
      { sealed: expect.stringMatching(/^[\w-]{40,}$/), grantId: 'g' },
      { sealed: expect.stringMatching(/^[\w-]{40,}$/) },
    ]);
    expect(JSON.stringify([...rows.values()])).not.toContain('secret');
    rows.set('id', { ...(rows.get('id') as object), consumed: 7 });
    rows.set('moved', rows.get('other'));
    expect([
      await pushed.find('id'),
      await pushed.find('other'),
      await pushed.find('moved'),
      await pushed.find('none'),
    ]).toEqual([{ request: 'secret', grantId: 'g', consumed: 7 }, { request: 'secret' }, ...[undefined, undefined]]);
  });

  it('changes and ends an interaction that is there, and brings none back', async () => {
    const interaction = (there: boolean) =>
      neverRecreated({} as never, { update: async () => there, destroy: async () => (there ? 1 : 0) } as never);
    const gone = { error: 'invalid_request', error_description: 'interaction session not found' };
    await interaction(true).upsert('i', {}, 1);
    await interaction(true).destroy('i');
    await expect(interaction(false).upsert('i', {}, 1)).rejects.toMatchObject(gone);
    await expect(interaction(false).destroy('i')).rejects.toMatchObject(gone);
  });

  it.each([
    ['https://c.example', ['__Secure-hygie_request', '__Host-hygie_signed_in_i']],
    ['http://c.example', ['hygie_request', 'hygie_signed_in_i']],
  ])('SEC-35 keeps interactions of %s in the cookies %j', async (issuer, names) => {
    const lines: string[] = [];
    const res = { appendHeader: (_name: string, line: string) => lines.push(line) } as never;
    const request = sealedCookie(COOKIES.request, ['key'], issuer.startsWith('https:'));
    request.write(res, '{}', { context: 'interaction i', path: '/', seconds: 1 });
    const req = { headers: { cookie: lines[0]?.split(';')[0] } } as never;
    const rows: unknown[] = [];
    const adapter = { find: async () => undefined, upsert: async (id: string) => void rows.push(id) } as never;
    await withCookiesOf(req, res, async () => {
      const sealed = sealedInteractions(adapter, adapter, issuer, ['key']);
      expect(await sealed.find('i')).toEqual({});
      await boundToBrowser(adapter, issuer, ['key']).upsert('i', { result: { login: { accountId: 'me' } } }, 1);
    });
    expect([lines.map((line) => line.split('=')[0]), rows]).toEqual([names, ['i']]);
  });
});
