// "Nothing holds up a sign-in": a snapshot is brought into memory before it is searched, within what memory allows.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it, jest } from '@jest/globals';
import { availableMemory, type ReadAheadEvent, startReadAhead } from '#search-index/read-ahead/read-ahead.ts';
import { readAll, readLost, STRETCH } from '#search-index/read-ahead/residency.ts';
import { newFolder } from '#support/new-folder.ts';

const folder = newFolder();
const BYTES = 3 * STRETCH + 1000;
const file = join(folder, 'snapshot');
writeFileSync(file, Buffer.alloc(BYTES, 'x'));

async function events(
  work: (read: (path: string) => Promise<void>, seen: ReadAheadEvent[]) => Promise<void>,
  available = 1e12,
) {
  const seen: ReadAheadEvent[] = [];
  const options = { onEvent: (event: ReadAheadEvent) => seen.push(event), available: () => available };
  const readAhead = startReadAhead({ ...options, everyMs: 5, small: 1000 });
  await work(readAhead.read, seen);
  await readAhead.close();
  return seen.map(({ event }) => event);
}

describe('read-ahead of a snapshot', () => {
  it('reads all of the file, and says how much and for how long', async () => {
    const seen: ReadAheadEvent[] = [];
    const readAhead = startReadAhead({ onEvent: (event) => seen.push(event), small: 1000 });
    await readAhead.read(file);
    await readAhead.close();
    expect(seen).toEqual([{ event: 'read', bytes: BYTES, milliseconds: expect.any(Number) }]);
  });

  it('does not read a file that memory cannot hold, and says so once', async () => {
    const seen = await events(async (read) => {
      await read(file);
      await new Promise((resolve) => setTimeout(resolve, 60));
    }, BYTES);
    expect(seen).toEqual(['too-large']);
  });

  it('takes four fifths of what is available, and no more', async () => {
    expect(await events((read) => read(file), BYTES * 1.24)).toEqual(['too-large']);
    expect(await events((read) => read(file), BYTES * 1.26)).toEqual(['read']);
    const exact = join(folder, 'exact');
    writeFileSync(exact, Buffer.alloc(8000));
    expect(await events((read) => read(exact), 10_000)).toEqual(['read']);
    expect(await events((read) => read(exact), 9999)).toEqual(['too-large']);
  });

  it('holds the file that it read last, until memory is short', async () => {
    const other = join(folder, 'second');
    writeFileSync(other, Buffer.alloc(BYTES));
    let available = 1e12;
    let short = () => {};
    const told = new Promise<void>((resolve) => {
      short = resolve;
    });
    const onEvent = ({ event }: ReadAheadEvent) => event === 'too-large' && short();
    const readAhead = startReadAhead({ onEvent, available: () => available, everyMs: 5, small: 1000 });
    const held = () => [file, other].map(readAhead.holds);
    expect(held()).toEqual([false, false]);
    await readAhead.read(file);
    expect(held()).toEqual([true, false]);
    await readAhead.read(other);
    expect(held()).toEqual([false, true]);
    available = 0;
    await told;
    expect(held()).toEqual([false, false]);
    await readAhead.close();
  });

  it('resolves without the file as well, and when it is closed meanwhile', async () => {
    expect(await events((read) => read(join(folder, 'missing')))).toEqual(['failed']);
    const readAhead = startReadAhead({ small: 1000 });
    const reading = readAhead.read(file);
    await readAhead.close();
    await reading;
  });

  it.each([
    [undefined, 'the thread ended early'],
    ['out of memory', 'out of memory'],
  ])('says that its thread ended (%j), and starts another', async (fault, error) => {
    const seen: ReadAheadEvent[] = [];
    const readAhead = startReadAhead({ onEvent: (event) => seen.push(event), small: 1000 });
    const post = jest.spyOn(Worker.prototype, 'postMessage').mockImplementation(function (this: Worker) {
      if (fault) this.emit('error', new Error(fault));
      void this.terminate();
    });
    await readAhead.read(file);
    post.mockRestore();
    expect([seen, readAhead.holds(file)]).toEqual([[{ event: 'failed', error }], false]);
    await readAhead.read(file);
    await readAhead.close();
    expect([seen.at(-1)?.event, readAhead.holds(file)]).toEqual(['read', true]);
  });

  it('looks again whether the file is in memory, and goes on when it is gone', async () => {
    const other = join(folder, 'other');
    writeFileSync(other, Buffer.alloc(BYTES));
    const seen = await events(async (read) => {
      await read(other);
      rmSync(other);
      await read(file);
      await new Promise((resolve) => setTimeout(resolve, 50));
    });
    expect(seen.filter((event) => event === 'read')).toHaveLength(2);
  });

  it('reads whole stretches again, or none, and ends when it is told to', () => {
    expect(readAll(file, () => false)).toBe(BYTES);
    const lost = readLost(file, () => false);
    expect([0, 1000]).toContain(lost % STRETCH);
    expect(lost).toBeLessThanOrEqual(BYTES);
    expect([readAll(file, () => true), readLost(file, () => true)]).toEqual([0, 0]);
  });
});

describe('memory that files may take', () => {
  const reader = (files: Record<string, string>) => (path: string) => files[path] ?? '';
  const machine = 'MemTotal: 8000 kB\nMemAvailable:    4000 kB\n';

  it.each([
    ['the machine alone', {}, 4000 * 1024],
    [
      'a container (cgroup 2), what files take already not counted',
      {
        '/proc/self/cgroup': '0::/\n',
        '/sys/fs/cgroup/memory.max': '2000000\n',
        '/sys/fs/cgroup/memory.current': '1500000\n',
        '/sys/fs/cgroup/memory.stat': 'anon 300000\ninactive_file 1000000\nactive_file 200000\n',
      },
      1_700_000,
    ],
    [
      'a service of systemd (cgroup 2)',
      {
        '/proc/self/cgroup': '0::/system.slice/hygie.service\n',
        '/sys/fs/cgroup/system.slice/hygie.service/memory.max': '1000000\n',
        '/sys/fs/cgroup/system.slice/hygie.service/memory.current': '400000\n',
      },
      600_000,
    ],
    [
      'a container whose group has another name outside',
      {
        '/proc/self/cgroup': '0::/docker/1\n',
        '/sys/fs/cgroup/memory.max': '2000000\n',
        '/sys/fs/cgroup/memory.current': '500000\n',
      },
      1_500_000,
    ],
    [
      'the same for cgroup 1, among other controllers',
      {
        '/proc/self/cgroup': '5:cpu:/x\n4:cpuset,memory,pids:/docker/1\n',
        '/sys/fs/cgroup/memory/memory.limit_in_bytes': '2000000\n',
        '/sys/fs/cgroup/memory/memory.usage_in_bytes': '500000\n',
        '/sys/fs/cgroup/memory/docker/1/memory.limit_in_bytes': '1000000\n',
        '/sys/fs/cgroup/memory/docker/1/memory.usage_in_bytes': '400000\n',
      },
      600_000,
    ],
    [
      'a group that uses more than it may, or less than its files are',
      {
        '/proc/self/cgroup': '0::/\n4:memory:/x\n',
        '/sys/fs/cgroup/memory.max': '2000000\n',
        '/sys/fs/cgroup/memory.current': '100\n',
        '/sys/fs/cgroup/memory.stat': 'inactive_file 1000\n',
        '/sys/fs/cgroup/memory/x/memory.limit_in_bytes': '1000\n',
        '/sys/fs/cgroup/memory/x/memory.usage_in_bytes': '5000\n',
      },
      0,
    ],
    [
      'a group whose files are more than it uses',
      {
        '/sys/fs/cgroup/memory.max': '2000000\n',
        '/sys/fs/cgroup/memory.current': '100\n',
        '/sys/fs/cgroup/memory.stat': 'inactive_file 1000\n',
      },
      2_000_000,
    ],
    [
      'a group without a limit (cgroup 2)',
      {
        '/sys/fs/cgroup/memory.max': 'max\n',
        '/sys/fs/cgroup/memory.current': '400000\n',
      },
      4000 * 1024,
    ],
    [
      'cgroup 1',
      {
        '/proc/self/cgroup': '4:memory:/docker/1\n',
        '/sys/fs/cgroup/memory/memory.limit_in_bytes': '1000000\n',
        '/sys/fs/cgroup/memory/memory.usage_in_bytes': '900000\n',
        '/sys/fs/cgroup/memory/memory.stat': 'inactive_file 1\ntotal_inactive_file 300000\ntotal_active_file 100000\n',
      },
      500_000,
    ],
  ])('%s', (_case, files, bytes) => {
    expect(availableMemory(reader({ '/proc/meminfo': machine, ...files }))).toBe(bytes);
  });

  it('is known of this machine', () => {
    expect(availableMemory()).toBeGreaterThan(0);
  });
});
