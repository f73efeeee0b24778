// How the directory of a service is opened and closed, and what the log says of its threads, its memory and its editions.

import { beforeEach, describe, expect, it, jest } from '@jest/globals';

type Told = Record<string, (...given: never[]) => unknown>;
let opened: Record<string, Told & { threads?: number; checks?: unknown; folder?: string }> = {};
let closed: string[] = [];
const close = (name: string) => async () => void closed.push(name);
const index = await import('#search-index/index.ts');
jest.unstable_mockModule('#search-index/index.ts', () => ({
  ...index,
  startReadAhead: (options: Told) => {
    opened['readAhead'] = options;
    return { holds: () => true, read: () => {}, close: close('readAhead') };
  },
  startSearchThreads: (options: Told) => {
    opened['threads'] = options;
    return { open: () => {}, load: () => ({ waiting: 1, running: 2, refused: 3 }), close: close('threads') };
  },
}));
const corrections = await import('#store/snapshots/corrections.ts');
jest.unstable_mockModule('#store/snapshots/corrections.ts', () => ({
  ...corrections,
  watchCorrections: async (options: Told) => {
    opened['corrections'] = options;
    return { current: () => ({ hidden: new Set(['Practitioner/1']) }), close: close('corrections') };
  },
}));
const current = await import('#store/snapshots/current-snapshot.ts');
jest.unstable_mockModule('#store/snapshots/current-snapshot.ts', () => ({
  ...current,
  watchCurrentSnapshot: async (options: Told) => {
    opened['snapshots'] = options;
    const state = { current: () => undefined, isReadAhead: () => false, behind: () => 0, createdAt: () => undefined };
    return { ...state, close: close('snapshots') };
  },
}));
const judgements = await import('#store/snapshots/judgements.ts');
jest.unstable_mockModule('#store/snapshots/judgements.ts', () => ({
  ...judgements,
  judgementOf: async (_: unknown, id: string) => (id === 'a' ? { statistics: { elements: { name: 7 } } } : undefined),
}));
const obstacles = { fetch: undefined as string | undefined, rebuild: undefined as string | undefined };
jest.unstable_mockModule('#server/bring-directory.ts', () => ({
  distributeDirectory: () => ({
    fetch: { obstacleTo: () => obstacles.fetch, close: close('fetch') },
    switched: () => void closed.push('switched'),
    close: close('distribution'),
  }),
  rebuildInBackground: () => ({ obstacleTo: () => obstacles.rebuild, close: close('rebuild') }),
}));
const { openWithClosers } = await import('#server/process/closers.ts');
const { openDirectory } = await import('#server/open-directory.ts');

let said: unknown[] = [];
const log = Object.fromEntries(
  ['info', 'warn', 'error'].map((level) => [level, (...line: unknown[]) => void said.push([level, ...line])]),
);
const open = (searchThreads: number | 'auto' = 'auto') =>
  openWithClosers(async (closers) => {
    const settings = { directory: { searchThreads }, processes: 1, dataFolder: '/data', keys: {}, audit: {} };
    const options = { database: {}, settings, log, audit: { record: () => {} }, metrics: undefined };
    return { directory: await openDirectory(options as never, closers), close: closers.close };
  });

beforeEach(() => {
  [opened, closed, said] = [{}, [], []];
  [obstacles.fetch, obstacles.rebuild] = [undefined, undefined];
});

describe('the directory of a service', () => {
  it('is closed in the opposite order, what a look may wait for first', async () => {
    const { close: end, directory } = await open();
    expect([...directory.hidden()]).toEqual(['Practitioner/1']);
    expect([await directory.filled('a'), await directory.filled('b')]).toEqual([{ name: 7 }, undefined]);
    await end();
    expect(closed).toEqual(['readAhead', 'snapshots', 'threads', 'distribution', 'corrections']);
    expect([opened['snapshots']?.folder, opened['threads']?.checks]).toEqual(['/data/directory', expect.anything()]);
  });

  it('has as many threads as the operator wants', async () => {
    await open(7);
    expect(opened['threads']?.threads).toBe(7);
  });

  it('has the obstacle of a fetch before that of a rebuild, and ends both', async () => {
    await open();
    const { obstacleTo, close: end } = (opened['snapshots'] as Told)['prepare'] as unknown as Told;
    expect(obstacleTo?.()).toBeUndefined();
    obstacles.rebuild = 'rebuilding';
    expect(obstacleTo?.()).toBe('rebuilding');
    obstacles.fetch = 'fetching';
    expect(obstacleTo?.()).toBe('fetching');
    await end?.();
    expect(closed).toEqual(['fetch', 'rebuild']);
  });

  it('says what happens to its threads, its memory and its editions', async () => {
    await open();
    const { readAhead, threads, corrections, snapshots } = opened;
    const error = new Error('x');
    for (const event of ['read', 'lost', 'failed', 'too-large'])
      readAhead?.['onEvent']?.({ event, snapshot: 'a', ...(event === 'read' && { milliseconds: 2.6 }) } as never);
    threads?.['onDeath']?.(error as never, 3 as never);
    threads?.['onOverload']?.(5 as never);
    corrections?.['onError']?.(error as never);
    snapshots?.['onError']?.(error as never);
    snapshots?.['onChange']?.('b' as never);
    expect(said).toEqual([
      ['info', { snapshot: 'a', milliseconds: 3 }, 'the directory was read into memory'],
      ['info', { snapshot: 'a' }, 'part of the directory had left memory and was read again'],
      ['warn', { snapshot: 'a' }, 'the directory cannot be read into memory'],
      [
        'warn',
        { snapshot: 'a' },
        'the directory is larger than four fifths of the memory available for it, in bytes: it is not kept in memory, and searches wait for the disk',
      ],
      ['error', { err: error, jobs: 3 }, 'a search thread died, another one takes its place'],
      ['warn', { refused: 5 }, 'searches are refused with 503, or were not done in time: the directory is overloaded'],
      ['error', { err: error }, 'the corrections of the directory cannot be read'],
      ['error', { err: error }, 'the directory cannot be opened'],
      ['info', { snapshot: 'b' }, 'the directory is served'],
    ]);
    expect(closed).toEqual(['switched']);
  });
});
