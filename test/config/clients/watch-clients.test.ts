// operations.md: edits of clients.yaml take effect without a restart; an edit with issues is refused whole.

import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type ConfigIssue, loadWatchedClients, type Watch, watchClients } from '#config/index.ts';
import type { Settings } from '#config/settings.ts';
import { folderWith } from '#support/config/folder.ts';

const file = (...ids: string[]) =>
  JSON.stringify({
    clients: ids.map((id) => ({ id, name: id, type: 'browser', callbackUrls: ['https://a.example/'] })),
  });

let watch: Watch | undefined;

type Event = { ids: string[] } | { issues: readonly ConfigIssue[] };

/** Watches the folder; `next` resolves with each event in turn, `events` are all so far. */
async function watched(folder: string, beforeWatching = () => {}, mode: Settings['mode'] = 'development') {
  const settings = { mode, configFolder: folder } as const;
  const { loaded } = await loadWatchedClients(settings);
  beforeWatching();
  const events: Event[] = [];
  const queue: Event[] = [];
  const waiting: ((event: Event) => void)[] = [];
  const emit = (event: Event) => {
    events.push(event);
    const wake = waiting.shift();
    if (wake) wake(event);
    else queue.push(event);
  };
  watch = watchClients(
    settings,
    (clients) => emit({ ids: clients.map(({ id }) => id) }),
    (error) => emit({ issues: error.issues }),
    {},
    loaded,
  );
  await watch.ready;
  const next = () => {
    const event = queue.shift();
    return event ? Promise.resolve(event) : new Promise<Event>((resolve) => waiting.push(resolve));
  };
  return { next, events };
}

describe('operations.md: edits take effect without a restart', () => {
  afterEach(() => watch?.close());

  it('a good edit gives all clients; one with issues all of them; a repaired one the clients again', async () => {
    const folder = folderWith({ 'clients.yaml': file('a') });
    const path = join(folder, 'clients.yaml');
    const { next } = await watched(folder);
    writeFileSync(path, file('a', 'b'));
    expect(await next()).toEqual({ ids: ['a', 'b'] });
    writeFileSync(path, file('a', 'a', 'b c'));
    expect(await next()).toEqual({
      issues: [expect.objectContaining({ path: 'clients[2].id' }), expect.objectContaining({ path: 'clients[1].id' })],
    });
    writeFileSync(path, file('a', 'c'));
    expect(await next()).toEqual({ ids: ['a', 'c'] });
  });

  it('an edit between loading and watching is not lost', async () => {
    const folder = folderWith({ 'clients.yaml': file('a') });
    const { next } = await watched(folder, () => writeFileSync(join(folder, 'clients.yaml'), file('early')));
    expect(await next()).toEqual({ ids: ['early'] });
  });

  it('a start without the file is no issue; that it comes is an edit', async () => {
    const folder = folderWith({});
    const { next, events } = await watched(folder);
    expect(events).toEqual([]);
    writeFileSync(join(folder, 'clients.yaml'), file('first'));
    expect(await next()).toEqual({ ids: ['first'] });
  });

  it('an editor that writes beside and renames is noticed', async () => {
    const folder = folderWith({ 'clients.yaml': file('a') });
    const { next } = await watched(folder);
    writeFileSync(join(folder, 'clients.yaml.tmp'), file('renamed'));
    renameSync(join(folder, 'clients.yaml.tmp'), join(folder, 'clients.yaml'));
    expect(await next()).toEqual({ ids: ['renamed'] });
  });

  it('a mounted volume that swaps a symbolic link is noticed', async () => {
    const folder = folderWith({});
    for (const version of ['one', 'two']) {
      mkdirSync(join(folder, version));
      writeFileSync(join(folder, version, 'clients.yaml'), file(version));
    }
    symlinkSync('one', join(folder, '..data'));
    symlinkSync(join('..data', 'clients.yaml'), join(folder, 'clients.yaml'));
    const { next } = await watched(folder);
    symlinkSync('two', join(folder, '..data_tmp'));
    renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
    expect(await next()).toEqual({ ids: ['two'] });
  });

  it.each(['development', 'production'] as const)(
    'SEC-79 in %s a removed file is an issue and no empty list',
    async (mode) => {
      const folder = folderWith({ 'clients.yaml': file('a') });
      const { next } = await watched(folder, undefined, mode);
      rmSync(join(folder, 'clients.yaml'));
      expect(await next()).toEqual({ issues: [expect.objectContaining({ problem: 'The file is gone.' })] });
      writeFileSync(join(folder, 'clients.yaml'), file('a', 'b'));
      expect(await next()).toEqual({ ids: ['a', 'b'] });
    },
  );

  it('an emptied file is a save cut short: refused, while an empty list is a wish', async () => {
    const folder = folderWith({ 'clients.yaml': file('a') });
    const { next } = await watched(folder);
    writeFileSync(join(folder, 'clients.yaml'), '\n');
    expect(await next()).toEqual({ issues: [expect.objectContaining({ problem: 'The file is empty.' })] });
    writeFileSync(join(folder, 'clients.yaml'), 'clients: []\n');
    expect(await next()).toEqual({ ids: [] });
  });

  it('a file that cannot be read says so, and is not called empty', async () => {
    const folder = folderWith({ 'clients.yaml': file('a') });
    const path = join(folder, 'clients.yaml');
    const { next } = await watched(folder);
    writeFileSync(path, Buffer.from([0xff, 0xfe]));
    expect(await next()).toEqual({ issues: [expect.objectContaining({ problem: 'The file is not UTF-8 text.' })] });
    mkdirSync(`${path}.folder`);
    rmSync(path);
    renameSync(`${path}.folder`, path);
    const problem = 'The file cannot be read (EISDIR).';
    while (!JSON.stringify(await next()).includes(problem));
  });

  it('a secret whose file comes after the edit, and changes later, is noticed', async () => {
    const folder = folderWith({ 'clients.yaml': file('a') });
    const { next, events } = await watched(folder);
    const server = {
      id: 's',
      name: 'S',
      type: 'server',
      secrets: [{ file: 's.secret' }],
      callbackUrls: ['https://s.example/'],
    };
    writeFileSync(join(folder, 'clients.yaml'), JSON.stringify({ clients: [server] }));
    expect(await next()).toEqual({ issues: [expect.objectContaining({ path: 'clients[0].secrets[0].file' })] });
    writeFileSync(join(folder, 's.secret'), 'first');
    expect(await next()).toEqual({ ids: ['s'] });
    writeFileSync(join(folder, 's.secret'), 'second');
    expect(await next()).toEqual({ ids: ['s'] });
    expect(events).toHaveLength(3);
  });

  it('writing the same text again is no edit', async () => {
    const folder = folderWith({ 'clients.yaml': file('a') });
    const { next, events } = await watched(folder);
    writeFileSync(join(folder, 'clients.yaml'), file('a'));
    writeFileSync(join(folder, 'unrelated.txt'), 'x');
    await new Promise((resolve) => setTimeout(resolve, 400));
    writeFileSync(join(folder, 'clients.yaml'), file('b'));
    expect(await next()).toEqual({ ids: ['b'] });
    expect(events).toHaveLength(1);
  });
});
