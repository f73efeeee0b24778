// A snapshot whose calls are answered by search threads. `search-threads.ts` makes it, with the function that gives a call to a thread. A
// look-up of one id or identifier may be answered in the calling thread instead (`point-lookup.ts`).

import { closedWhenIdle } from '#search-index/closed-when-idle.ts';
import type { GoneResource, SearchPage, Snapshot, Spellings, StoredResource } from '#search-index/snapshot.ts';
import type { Call, Description } from './messages.ts';

/**
 * Gives a call to a search thread, or answers it in the calling thread. The promise rejects with the error of the call, with `Unavailable`,
 * or with `Abandoned`.
 */
type Submit = (call: Call, abandoned?: () => boolean) => Promise<unknown>;

/**
 * Makes a snapshot that passes its calls to `submit`.
 * @param closed called once after `close` was called and the last call has ended
 */
export function threadedSnapshot(
  { id, counts, history }: Description,
  submit: Submit,
  closed: () => Promise<void>,
): Snapshot {
  const { isClosing, during, close } = closedWhenIdle(closed);
  const call = async (one: Call, abandoned?: () => boolean): Promise<unknown> => {
    if (isClosing()) throw new Error(`the snapshot ${id} is closed`);
    return during(() => submit(one, abandoned));
  };
  return {
    id,
    search: (query, options) =>
      call({ method: 'search', arguments: [query] }, options?.abandoned) as Promise<SearchPage>,
    codes: (...args) => call({ method: 'codes', arguments: args }) as ReturnType<Snapshot['codes']>,
    spellings: (...args) => call({ method: 'spellings', arguments: args }) as Promise<Spellings>,
    read: (...args) => call({ method: 'read', arguments: args }) as Promise<StoredResource | undefined>,
    gone: (...args) => call({ method: 'gone', arguments: args }) as Promise<GoneResource | undefined>,
    scan: (...args) => call({ method: 'scan', arguments: args }) as Promise<string>,
    listGone: (...args) => call({ method: 'listGone', arguments: args }) as Promise<GoneResource[]>,
    counts: async () => counts,
    history: async () => history,
    close,
  };
}
