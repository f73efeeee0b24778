// SEC-58: strangers who begin to sign in at the demo fill no memory.

import { describe, expect, it } from '@jest/globals';
import type { SessionData } from 'express-session';
import type { Ending } from '#demo/session.ts';
import { SessionStore } from '#demo/session-store.ts';

const data = { cookie: { originalMaxAge: null } } as SessionData;

function found(store: SessionStore, id: string): SessionData | null | undefined {
  let kept: SessionData | null | undefined;
  store.get(id, (_error, session) => {
    kept = session;
  });
  return kept;
}

describe('SEC-58 the sessions of the demo', () => {
  it('are so many at most: the one that was not used for the longest time goes', () => {
    const store = new SessionStore(3);
    for (const id of ['a', 'b', 'c']) store.set(id, data);
    expect(found(store, 'a')).toEqual(data);
    store.set('d', data);
    expect(['a', 'b', 'c', 'd'].filter((id) => found(store, id))).toEqual(['a', 'c', 'd']);
    store.destroy('a');
    expect(found(store, 'a')).toBeNull();
  });
});

describe('SEC-38 the sessions that a logout token names', () => {
  const signedIn = (sub: string, sid: string) =>
    ({ ...data, demoPerson: { claims: { sub, sid }, accessToken: 'token' } }) as unknown as SessionData;
  const ending = (claims: object) => ({ header: {}, claims, request: '', at: 0 }) as unknown as Ending;
  const filled = () => {
    const store = new SessionStore();
    store.set('desk', signedIn('anne', 'one'));
    store.set('phone', signedIn('anne', 'two'));
    store.set('other', signedIn('bruno', 'three'));
    return store;
  };
  const signedInTo = (store: SessionStore) => ['desk', 'phone', 'other'].filter((id) => found(store, id)?.demoPerson);

  it('end with their tokens: one by its sid, all of a person without one', () => {
    const store = filled();
    store.endSignIns(ending({ sub: 'anne', sid: 'one' }));
    expect(signedInTo(store)).toEqual(['phone', 'other']);
    expect(JSON.stringify(found(store, 'desk'))).not.toContain('token');
    store.endSignIns(ending({ sub: 'anne' }));
    expect(signedInTo(store)).toEqual(['other']);
    // A session of somebody else is not ended by its sid.
    store.endSignIns(ending({ sub: 'anne', sid: 'three' }));
    expect(signedInTo(store)).toEqual(['other']);
  });

  it('are not brought back by a request that was under way', () => {
    const store = filled();
    const read = found(store, 'desk') as SessionData;
    store.endSignIns(ending({ sub: 'anne', sid: 'one' }));
    store.set('desk', read);
    expect(signedInTo(store)).toEqual(['phone', 'other']);
    expect(found(store, 'desk')?.demoEnding).toBeDefined();
  });
});
