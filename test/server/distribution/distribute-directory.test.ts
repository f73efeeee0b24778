// When an instance stores the edition in force for others, and what it says of it. Real machines: `two-machines.system.test.ts`.

import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';

const actual = await import('#store/snapshots/distribution.ts');
type StoreOptions = { signal: AbortSignal; begin(): Promise<boolean>; onProgress(): Promise<boolean> };
let done: string[] = [];
let store: (options: StoreOptions) => Promise<{ bytes: number; through: number } | undefined>;
let current: { id: string } | undefined;
let distributed = true;
const distribution = { has: () => false, fetch: jest.fn<() => Promise<object>>() };
jest.unstable_mockModule('#store/snapshots/distribution.ts', () => ({
  ...actual,
  distributionFor: () => (distributed ? distribution : undefined),
  storeIfLacking: (_database: unknown, from: unknown, { id }: { id: string }, options: StoreOptions) => {
    expect(from).toBe(distribution);
    done.push(`store ${id}`);
    return store(options);
  },
}));
const registry = await import('#store/snapshots/registry.ts');
jest.unstable_mockModule('#store/snapshots/registry.ts', () => ({
  ...registry,
  findCurrentSnapshot: async () => current,
  pruneFolder: async (_database: unknown, folder: string) => void done.push(`prune ${folder}`),
}));
const lease = {
  take: async (seconds: number) => {
    done.push(`take ${seconds}`);
    return true;
  },
  release: async () => void done.push('release'),
};
jest.unstable_mockModule('#store/database/lease.ts', () => ({
  openLease: (_database: unknown, name: string) => {
    done.push(`lease ${name}`);
    return lease;
  },
}));
const rebuilding = jest.fn<() => Promise<object>>();
const child = await import('#server/directory-watch/import-in-child-process.ts');
jest.unstable_mockModule('#server/directory-watch/import-in-child-process.ts', () => ({
  ...child,
  rebuildInChildProcess: rebuilding,
}));
const index = await import('#search-index/index.ts');
let older = true;
jest.unstable_mockModule('#search-index/index.ts', () => ({ ...index, isOfOlderLayout: () => older }));
const { distributeDirectory, rebuildInBackground } = await import('#server/bring-directory.ts');

let said: unknown[][] = [];
const log = {
  info: (...line: unknown[]) => void said.push(line),
  error: (...line: unknown[]) => void said.push(line),
};
const options = { database: {} as never, settings: { dataFolder: '/data' } as never, log: log as never };
const settled = () => jest.advanceTimersByTimeAsync(0);

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick'] });
  [done, said, current, distributed, older] = [[], [], { id: 'a' }, true, true];
  store = async () => undefined;
});
afterEach(() => void jest.useRealTimers());

describe('the edition in force', () => {
  const ONCE = ['prune /data/directory', 'store a', 'release'];

  it('is looked at at the start, every minute, and when another one is served; not after the end', async () => {
    const opened = distributeDirectory(options);
    await settled();
    expect(done).toEqual(['lease distribution', ...ONCE]);
    await jest.advanceTimersByTimeAsync(59_999);
    expect(done).toHaveLength(4);
    await jest.advanceTimersByTimeAsync(1);
    expect(done.slice(4)).toEqual(ONCE);
    opened?.switched();
    await settled();
    expect(done.slice(7)).toEqual(ONCE);
    await opened?.close();
    opened?.switched();
    await jest.advanceTimersByTimeAsync(120_000);
    expect(done.slice(10)).toEqual(['release']);
  });

  it('is stored under a lease of a minute, which is renewed after each part, and said when it is done', async () => {
    store = async ({ begin, onProgress, signal }) => {
      expect([await begin(), await onProgress(), signal.aborted]).toEqual([true, true, false]);
      jest.advanceTimersByTime(2600);
      return { bytes: 10, through: 7 };
    };
    const opened = distributeDirectory(options);
    await settled();
    expect(done).toEqual(['lease distribution', 'prune /data/directory', 'store a', 'take 60', 'take 60', 'release']);
    expect(said).toEqual([
      [{ snapshot: 'a', bytes: 10, stored: 7, seconds: 3 }, 'the directory was stored for others'],
    ]);
    await opened?.close();
  });

  it('whose file is damaged is said and not read again; another error is tried again, and said once', async () => {
    const errors = [new actual.NotDistributed('damaged'), new Error('away'), new Error('away')];
    store = async () => Promise.reject(errors.shift());
    const opened = distributeDirectory(options);
    await settled();
    opened?.switched();
    await settled();
    expect(done.filter((one) => one === 'store a')).toHaveLength(1);
    current = { id: 'b' };
    for (const _ of [1, 2]) {
      opened?.switched();
      await settled();
    }
    expect(done.filter((one) => one === 'store b')).toHaveLength(2);
    expect(said.map(([entry, message]) => [(entry as { err: Error }).err.message, message])).toEqual([
      ['damaged', 'the directory cannot be distributed'],
      ['away', 'the directory cannot be distributed'],
    ]);
    await opened?.close();
  });

  it('that is stored when the instance ends is abandoned without a word', async () => {
    store = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('abandoned'))));
    const opened = distributeDirectory(options);
    await settled();
    await opened?.close();
    expect(said).toEqual([]);
  });

  it('is fetched where it is lacking, and said', async () => {
    const opened = distributeDirectory(options);
    distribution.fetch.mockImplementation(async () => {
      jest.advanceTimersByTime(1700);
      return { bytes: 9, through: 5 };
    });
    expect(opened?.fetch.obstacleTo({ id: 'c' } as never)).toBe('fetching');
    await settled();
    distribution.fetch.mockRejectedValue(new Error('away'));
    expect(opened?.fetch.obstacleTo({ id: 'd' } as never)).toBe('fetching');
    await settled();
    expect(said).toEqual([
      [{ snapshot: 'c', bytes: 9, fetched: 5, seconds: 2 }, 'the directory was fetched'],
      [{ err: new Error('away') }, 'the edition of the directory in force cannot be fetched'],
    ]);
    await opened?.close();
  });

  it('is left to the operator where the settings say so', () => {
    distributed = false;
    expect(distributeDirectory(options)).toBeUndefined();
  });
});

describe('an edition of an earlier layout', () => {
  const entry = { id: 'a', file: 'a.sqlite' } as never;

  it('is rebuilt under a lease of a minute, which is renewed every 20 seconds, and said', async () => {
    const rebuilt = rebuildInBackground(options);
    const result = Promise.withResolvers<object>();
    rebuilding.mockReturnValue(result.promise);
    expect(rebuilt.obstacleTo(entry)).toBe('rebuilding');
    await jest.advanceTimersByTimeAsync(19_999);
    expect(done).toEqual(['lease distribution', 'take 60']);
    await jest.advanceTimersByTimeAsync(1);
    expect(done).toEqual(['lease distribution', 'take 60', 'take 60']);
    result.resolve({ rebuilt: 'b' });
    await settled();
    expect(done.slice(3)).toEqual(['release']);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(done).toHaveLength(4);
    expect(said).toEqual([
      [{ snapshot: 'a' }, 'the directory has the layout of an earlier release: its index is being rebuilt'],
      [{ snapshot: 'b', before: 'a', seconds: 20 }, 'the index of the directory is rebuilt'],
    ]);
    await rebuilt.close();
  });

  it.each([
    [{ cause: 'machine', message: 'no room' }, 'not rebuilt', ['no room']],
    [{ cause: 'busy', message: 'process 1' }, 'rebuilding', []],
  ])('that cannot be rebuilt (%j) is %s', async (failure, obstacle, errors) => {
    const rebuilt = rebuildInBackground(options);
    rebuilding.mockResolvedValue(failure);
    rebuilt.obstacleTo(entry);
    await settled();
    expect(rebuilt.obstacleTo(entry)).toBe(obstacle);
    const failed = said.filter(([, message]) => message === 'the index of the directory cannot be rebuilt');
    expect(failed.map(([one]) => (one as { err: Error }).err.message)).toEqual(errors);
    await rebuilt.close();
  });

  it('is rebuilt elsewhere while another instance has the lease; one of this release needs nothing', async () => {
    const rebuilt = rebuildInBackground({ ...options });
    rebuilding.mockClear();
    const { take } = lease;
    lease.take = async () => false;
    expect(rebuilt.obstacleTo(entry)).toBe('rebuilding');
    await settled();
    expect([rebuilt.obstacleTo(entry), rebuilding.mock.calls, said]).toEqual(['rebuilding', [], []]);
    lease.take = take;
    older = false;
    expect(rebuilt.obstacleTo(entry)).toBeUndefined();
    await rebuilt.close();
  });
});
