// SEC-58: strangers who begin to sign in at the demo fill no memory.

import { describe, expect, it } from '@jest/globals';
import type { SessionData } from 'express-session';
import { SessionStore } from '../../src/demo/session-store.ts';

const data = { cookie: { originalMaxAge: null } } as SessionData;

describe('SEC-58 the sessions of the demo', () => {
  const found = (store: SessionStore, id: string) => {
    let kept: SessionData | null | undefined;
    store.get(id, (_error, session) => {
      kept = session;
    });
    return kept;
  };

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
