// SEC-63: the data folder and every file in it are private, those of an existing installation included. On real files; as
// processes, too, under the umasks that systems start services with.

import { spawn } from 'node:child_process';
import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { databaseRemedy } from '#server/database-remedy.ts';
import { keepPrivate } from '#server/private-data-folder.ts';
import { installation } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { filledInstallation, serve } from '#support/cli/serving.ts';
import { newFolder } from '#support/new-folder.ts';

/** Processes start, import and end. */
const SLOW = 60_000;

/** Paths that others than the owner may read or write. */
function open(folder: string): string[] {
  const inside = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
  return [folder, ...inside].filter(
    (path) => (lstatSync(path).mode & 0o077) !== 0 && !lstatSync(path).isSymbolicLink(),
  );
}

/** As an installation of the releases before: everything readable. */
function publish(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name);
    chmodSync(path, statSync(path).isDirectory() ? 0o755 : 0o644);
  }
  chmodSync(folder, 0o755);
}

describe('SEC-63 as processes', () => {
  it.each([0o000, 0o022])(
    'an existing readable folder is mended, and everything made since is private: umask %i',
    async (umask) => {
      const place = filledInstallation();
      const data = join(place.folder, 'data');
      publish(data);
      const before = open(data).length;
      expect(before).toBeGreaterThan(3);
      const own = process.umask(umask);
      const running = await serve(place).finally(() => process.umask(own));
      try {
        await running.outputMatching(/answers at/);
        await running.outputMatching(/could be read by others: made private \(0700, files 0600\): .*directory/);
        expect(readdirSync(data)).toEqual(
          expect.arrayContaining(['hygie.sqlite', 'hygie.sqlite-wal', 'hygie.sqlite-shm']),
        );
        expect(open(data)).toEqual([]);
      } finally {
        running.child.kill('SIGTERM');
        await running.ended;
      }
      expect(open(data)).toEqual([]);
    },
    SLOW,
  );

  it(
    'a new folder, and what an import leaves in it, is private whatever the umask; nothing is said then',
    async () => {
      const folder = newFolder();
      const data = join(folder, 'not', 'there', 'yet');
      const seeds = new URL('../../seeds/edition', import.meta.url).pathname;
      const hygie = `${process.execPath} ${new URL('../../src/launch.js', import.meta.url).pathname}`;
      const script = `umask 000; ${hygie} migrate && ${hygie} directory import ${seeds}`;
      const child = spawn('sh', ['-c', script], { env: { PATH: process.env['PATH'], HYGIE_DATA: data } });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
      const code = await new Promise((resolve) => child.on('close', resolve));
      expect([code, output.includes('made private')]).toEqual([0, false]);
      expect(readdirSync(data, { recursive: true, encoding: 'utf8' }).length).toBeGreaterThan(3);
      expect(open(data)).toEqual([]);
    },
    SLOW,
  );
});

describe('SEC-63 keepPrivate', () => {
  let folder: string;
  let data: string;
  let said: string[];
  beforeEach(() => {
    folder = newFolder();
    data = join(folder, 'data');
    mkdirSync(join(data, 'directory'), { recursive: true });
    for (const name of ['hygie.sqlite', 'hygie.sqlite-wal', 'directory/a.sqlite']) writeFileSync(join(data, name), '');
    publish(data);
    said = [];
  });
  const keep = (mode: 'production' | 'development', dataFolder = data) =>
    keepPrivate({ dataFolder, mode }, (line) => void said.push(line));

  it('follows links of the own account: of the folder itself, and of the one with the snapshots', () => {
    renameSync(join(data, 'directory'), join(folder, 'other-disk'));
    symlinkSync(join(folder, 'other-disk'), join(data, 'directory'));
    symlinkSync(data, join(folder, 'link'));
    keep('production', join(folder, 'link'));
    expect([...open(data), ...open(join(folder, 'other-disk'))]).toEqual([]);
  });

  // Only root can make a link somebody else's.
  const asRoot = process.geteuid?.() === 0 ? it : it.skip;
  asRoot('refuses links that others have put there while they could, and follows those of root', () => {
    const [database, elsewhere] = [join(data, 'hygie.sqlite'), join(folder, 'elsewhere')];
    rmSync(database);
    symlinkSync(elsewhere, database);
    keep('production');
    lchownSync(database, 65_534, 65_534);
    expect(() => keep('production')).toThrow(/links or files of another account.*hygie\.sqlite.*Remedy: remove them/s);
    keep('development');
    expect(said.at(-1)).toMatch(/links or files of another account/);
  });

  asRoot(
    'refuses files and folders that others have put there while they could; not those of the owner of the folder',
    () => {
      for (const name of ['key-secret', 'directory']) {
        if (name === 'key-secret') writeFileSync(join(data, name), 'planted');
        lchownSync(join(data, name), 65_534, 65_534);
        expect(() => keep('production')).toThrow(
          new RegExp(`files of another account.*${name}.*Remedy: remove them`, 's'),
        );
        said.length = 0;
        keep('development');
        expect(said.join('\n')).toMatch(/files of another account/);
        lchownSync(join(data, name), 0, 0);
      }
      // As root works on the folder of the service.
      for (const path of [data, join(data, 'key-secret')]) lchownSync(path, 65_534, 65_534);
      keep('production');
    },
  );

  // As in a container that runs under another number than the owner of the mounted folder.
  const asAnother = (work: () => void) => {
    chmodSync(folder, 0o755);
    if (process.geteuid?.() !== 0) return work();
    process.seteuid?.(65_534);
    try {
      work();
    } finally {
      process.seteuid?.(0);
    }
  };
  // Of somebody else: root makes one, others find the system's.

  it('one that may not be made: the remedy says how, and whose it has to be', () => {
    const missing = join(folder, 'missing');
    const remedy = new RegExp(`Remedy: make it for .* install -d -m 0700 -o \\d+ ${missing}`);
    asAnother(() => {
      if (process.getuid?.() !== 0) chmodSync(folder, 0o555);
      expect(() => keep('production', missing)).toThrow(remedy);
    });
    chmodSync(folder, 0o755);
    const refused = Object.assign(new Error('mkdir'), { code: 'EACCES', syscall: 'mkdir' });
    const database = { engine: 'sqlite', file: join(missing, 'hygie.sqlite') } as const;
    expect(`Remedy: ${databaseRemedy(refused, database)}`).toMatch(remedy);
  });
});

describe('SEC-63 check', () => {
  it('names secrets in files that everybody may read, and configuration that everybody may change', async () => {
    const place = installation();
    const file = join(place.folder, 'config', 'secret');
    const check = async () => (await inProcess(place)(['check'])).stdout;
    const client = { id: 'app', name: 'App', type: 'server', callbackUrls: ['https://app.example/'] };
    place.configure('clients.yaml', JSON.stringify({ clients: [{ ...client, secrets: [{ file: 'secret' }] }] }));
    writeFileSync(file, 'a secret of the tests that opens nothing');
    expect(await check()).not.toContain('everybody');
    chmodSync(file, 0o644);
    chmodSync(join(place.folder, 'config', 'clients.yaml'), 0o666);
    const notes = await check();
    expect(notes).toContain(`everybody on this machine can read ${file}, which holds a secret: chmod 600 ${file}`);
    expect(notes).toMatch(/everybody on this machine can change \S+clients\.yaml/);
  });
});
