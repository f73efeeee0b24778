// What a request presents is read once, with all that it depends on; what the request changes is read again.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Provider } from 'oidc-provider';
import { prefetchRecords } from '#openid/tokens/request-prefetch.ts';

const ACCOUNT = { id: 'person', status: 'active', sessionsNotBefore: 9 };
const TOKEN = { accountId: 'person', grantId: 'g', sessionUid: 'u', authTime: 9, iat: 9 };
const CONTEXT = {
  model: 'AccessToken',
  expiresAt: 99,
  consumedAt: null,
  token: TOKEN,
  account: ACCOUNT,
  session: { id: 's', payload: '{"uid":"u"}', expiresAt: 50, content: { uid: 'u' } },
  grant: { content: { openid: { scope: 'openid' } }, expiresAt: 99 },
};

describe('records that a request presents', () => {
  let ctx: { state: object; query: object; oidc: object } | undefined;
  let reads: unknown[][];
  let context: unknown;

  beforeEach(() => {
    ctx = { state: {}, query: { client_id: 'app' }, oidc: { route: 'userinfo' } };
    reads = [];
    context = CONTEXT;
    jest.spyOn(Provider, 'ctx', 'get').mockImplementation(() => ctx as never);
  });
  afterEach(() => void jest.restoreAllMocks());

  function prefetched() {
    const reading =
      (name: string, result: () => unknown = () => `stored ${name}`) =>
      async (...args: unknown[]) => {
        reads.push([name, ...args]);
        return result();
      };
    const names = ['find', 'findSession', 'readSession', 'replace', 'destroy', 'destroySession', 'destroyByGrant'];
    const stored = {
      ...Object.fromEntries(names.map((name) => [name, reading(name)])),
      findTokenContext: reading('findTokenContext', () => context),
      findSingleUse: reading('findSingleUse', () => context),
      readSignedIn: reading('readSignedIn', () => context && { read: 'the session', context }),
    };
    const { records, accounts } = prefetchRecords(stored as never, { find: reading('account') } as never);
    return { records: records as unknown as Record<string, (...args: unknown[]) => Promise<unknown>>, accounts };
  }
  const changes = ['replace', 'destroy', 'destroySession', 'destroyByGrant'];

  it.each([
    ['AccessToken', 'findTokenContext'],
    ['ClientCredentials', 'findTokenContext'],
    ['RefreshToken', 'findSingleUse'],
    ['AuthorizationCode', 'findSingleUse'],
  ])('%s is read with its session, grant and account, in one query', async (model, query) => {
    context = { ...CONTEXT, model };
    const { records, accounts } = prefetched();
    const all = async () => [
      ...[
        await records['find']?.(model, 't'),
        await records['findSession']?.('u'),
        await records['find']?.('Grant', 'g'),
      ],
      await accounts.find('person'),
    ];
    const expected = [
      { ...TOKEN, jti: 't' },
      { uid: 'u', jti: 's', exp: 50 },
      { openid: { scope: 'openid' }, jti: 'g' },
    ];
    expect(await all()).toEqual([...expected, ACCOUNT]);
    expect(await all()).toEqual([...expected, ACCOUNT]);
    expect(reads).toEqual([[query, 't']]);
    await records['find']?.(model, 'another');
    expect(reads).toEqual([
      [query, 't'],
      [query, 'another'],
    ]);
  });

  it('what belongs to another token is read by itself, as is everything outside of a request', async () => {
    const { records, accounts } = prefetched();
    await records['find']?.('AccessToken', 't');
    expect([
      ...[await records['findSession']?.('other'), await records['find']?.('Grant', 'other')],
      ...[await records['find']?.('Interaction', 'g'), await accounts.find('other')],
    ]).toEqual(['stored findSession', 'stored find', 'stored find', 'stored account']);
    ctx = undefined;
    expect([
      ...[await records['find']?.('AccessToken', 't'), await records['findSession']?.('u')],
      ...[await accounts.find('person'), await records['readSession']?.({ id: 's' })],
    ]).toEqual(['stored find', 'stored findSession', 'stored account', 'stored readSession']);
  });

  it.each<[what: string, context: unknown]>([
    ['is none', undefined],
    ['is of another kind', { ...CONTEXT, model: 'RefreshToken' }],
    ['belongs to a sign-in that was ended', { ...CONTEXT, account: { ...ACCOUNT, sessionsNotBefore: 10 } }],
  ])('a token that %s is not found', async (_what, found) => {
    context = found;
    expect(await prefetched().records['find']?.('AccessToken', 't')).toBeUndefined();
  });

  it('the session of a sign-in that was ended is none', async () => {
    ctx = { state: {}, query: { client_id: 'app' }, oidc: { route: 'authorization' } };
    context = { ...CONTEXT, account: { ...ACCOUNT, sessionsNotBefore: 10 } };
    const { records } = prefetched();
    await records['readSession']?.({ id: 's' });
    expect(await records['findSession']?.('u')).toBeUndefined();
  });

  it('a record that was used has the time of its use', async () => {
    context = { ...CONTEXT, model: 'RefreshToken', consumedAt: 33 };
    expect(await prefetched().records['find']?.('RefreshToken', 't')).toEqual({ ...TOKEN, jti: 't', consumed: 33 });
  });

  it('a session without grant and account does as well', async () => {
    context = { ...CONTEXT, session: undefined, grant: undefined, account: undefined };
    const { records, accounts } = prefetched();
    await records['find']?.('AccessToken', 't');
    expect([
      ...[await records['findSession']?.('u'), await records['find']?.('Grant', 'g'), await accounts.find('person')],
    ]).toEqual(['stored findSession', 'stored find', 'stored account']);
  });

  it.each(changes)('is read again after %s', async (change) => {
    const { records, accounts } = prefetched();
    await records['find']?.('AccessToken', 't');
    expect(await records[change]?.('a', 'b')).toBe(`stored ${change}`);
    expect(await accounts.find('person')).toBe('stored account');
    await records['find']?.('AccessToken', 't');
    expect(reads).toEqual([
      ['findTokenContext', 't'],
      [change, 'a', 'b'],
      ['account', 'person'],
      ['findTokenContext', 't'],
    ]);
  });

  it('is read again after a change, even if it was read while the change was stored', async () => {
    const { records } = prefetched();
    const changing = records['destroy']?.('AccessToken', 't');
    await Promise.all([changing, records['find']?.('AccessToken', 't')]);
    await records['find']?.('AccessToken', 't');
    expect(reads.filter(([name]) => name === 'findTokenContext')).toHaveLength(2);
  });

  it('an authorization request reads its session with account and grant, others the session alone', async () => {
    const { records, accounts } = prefetched();
    expect(await records['readSession']?.({ id: 's' })).toBe('stored readSession');
    if (ctx) ctx.oidc = { route: 'authorization' };
    expect(await records['readSession']?.({ uid: 'u' })).toBe('stored readSession');
    expect(await records['readSession']?.({ id: 's' })).toBe('the session');
    expect([await accounts.find('person'), await records['find']?.('Grant', 'g')]).toEqual([
      ACCOUNT,
      { openid: { scope: 'openid' }, jti: 'g' },
    ]);
    expect(reads).toEqual([
      ['readSession', { id: 's' }],
      ['readSession', { uid: 'u' }],
      ['readSignedIn', 's', 'app'],
    ]);
    context = undefined;
    expect(await records['readSession']?.({ id: 'gone' })).toBeUndefined();
  });
});
