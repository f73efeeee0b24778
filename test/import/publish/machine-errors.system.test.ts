// Directory data, section 4, faults of the machine, with real processes: a full disk, a limit of file sizes, a folder that
// cannot be written, two imports at once, a database that fails at the switch, and the order in which the disk is written.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { listSnapshots, readPointer } from '#store/snapshots/registry.ts';
import { type Installation, installation, type Outcome } from '#support/cli/hygie.ts';
import { inProcess } from '#support/cli/in-process.ts';
import { launch } from '#support/cli/serving.ts';
import { openTestDatabase } from '#support/databases.ts';
import { activity, openBench, registerText } from '#support/import/register-files.ts';
import { openedForAll } from '#support/opened.ts';
import { rounds } from '#support/rounds.ts';

const LAUNCH = fileURLToPath(new URL('../../../src/launch.js', import.meta.url));
const people = (count: number, given: string) =>
  registerText(
    'activities',
    Array.from({ length: count }, (_, index) => activity({ 1: String(19000000000 + index), 8: given })),
  );

/** A mount namespace of our own, where the machine allows one to anybody. */
const namespaces = spawnSync('unshare', ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=1m tmpfs /tmp']).status === 0;
const itWithMounts = namespaces ? it : it.skip;
const itWithTrace = spawnSync('strace', ['--seccomp-bpf', '-f', '-o', '/dev/null', 'true']).status === 0 ? it : it.skip;

let dataFolder: string;
let hygie: Installation['hygie'];
const edition = (name: string) => join(installed.folder, name);
/** Runs a script of the shell beside the installation; $IMPORT imports the large edition, $DATA is the data folder. */
const shell = (command: string, args: readonly string[], script: string, more = {}): Outcome & { lines: string[] } => {
  const { status, stdout, stderr } = spawnSync(command, [...args, script], {
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'] ?? '',
      HYGIE_CONFIG: join(installed.folder, 'config'),
      HYGIE_DATA: dataFolder,
      DATA: dataFolder,
      FOLDER: installed.folder,
      HYGIE: `${process.execPath} ${LAUNCH}`,
      IMPORT: `${process.execPath} ${LAUNCH} directory import --accept partial,changed,names-changed,common-values,growth ${edition('large.txt')}`,
      ...more,
    },
  });
  return { code: status, stdout, stderr, lines: stdout.split('\n') };
};

const installed = installation();
beforeAll(async () => {
  dataFolder = join(installed.folder, 'data');
  installed.configure('service.yaml', 'directory: { keep: 0 }');
  writeFileSync(edition('small.txt'), people(300, 'Zoé'));
  writeFileSync(edition('large.txt'), people(1000, 'Léa'));
  hygie = inProcess(installed);
  expect(
    await hygie([
      'directory',
      'import',
      '--accept',
      'partial,changed,names-changed,common-values,growth',
      edition('small.txt'),
    ]),
  ).toMatchObject({ code: 0 });
});

const current = async (): Promise<string | undefined> => {
  const database = openDatabase({ engine: 'sqlite', file: join(dataFolder, 'hygie.sqlite') });
  const pointer = await readPointer(database);
  await database.destroy();
  return pointer.current;
};
const listing = (folder: string) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();

describe('directory data 4: the disk', () => {
  itWithMounts('full: named with its remedy, nothing changes; with room, the next one succeeds (needs unshare)', () => {
    // Full before anything is written, then while the snapshot is built.
    const { lines, stderr } = shell(
      'unshare',
      ['-rm', 'sh', '-c'],
      `cp -a "$DATA" "$FOLDER/copy"; mount -t tmpfs -o size=950k tmpfs "$DATA"; cp -a "$FOLDER/copy/." "$DATA"
       before=$(ls -R "$DATA")
       try() { $IMPORT > /dev/null; echo "exit $?"; [ "$before" = "$(ls -R "$DATA")" ] && echo untouched; }
       try; mount -o remount,size=1345k "$DATA"; try
       mount -o remount,size=64m "$DATA"; $HYGIE directory status --json | grep '"current"'
       $IMPORT > /dev/null; echo "exit $?"; ls "$DATA" "$DATA/directory"`,
    );
    expect(stderr.match(/data: the disk .*/g)).toEqual([
      expect.stringMatching(/the disk has \d+ kB free, and the import needs up to \d+ kB\. Make room/),
      expect.stringMatching(/the disk is full\. An import needs free space of about three times/),
    ]);
    expect(lines.slice(0, 4)).toEqual(['exit 1', 'untouched', 'exit 1', 'untouched']);
    expect(lines[4]).toMatch(/"current": "\d{8}T/);
    expect(lines).toContain('exit 0');
    expect(lines.join()).not.toMatch(/unfinished|pending|directory-import-|holder/);
  });

  it('a limit of file sizes (ulimit -f)', async () => {
    const before = { current: await current(), files: listing(dataFolder) };
    const { code, stderr } = shell('sh', ['-c'], 'ulimit -f 800; exec $IMPORT');
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /data: (the quota of the disk, or the limit of file sizes|the disk cannot be written).*ulimit -f|quota/,
    );
    expect({ current: await current(), files: listing(dataFolder) }).toEqual(before);
  });

  itWithMounts('a data folder that cannot be written (needs unshare)', async () => {
    const { settings, close } = await openTestDatabase('postgresql');
    const script = 'mount --bind "$DATA" "$DATA"; mount -o remount,bind,ro "$DATA"; $IMPORT';
    const onSqlite = shell('unshare', ['-rm', 'sh', '-c'], script);
    expect(onSqlite.code).toBe(1);
    expect(onSqlite.stderr).toMatch(/SQLITE_(READONLY|CANTOPEN)\w*\).*\n.*Remedy: look at .*hygie\.sqlite/);
    const url = settings.engine === 'postgresql' ? settings.url : '';
    const onPostgres = shell('unshare', ['-rm', 'sh', '-c'], script, { DATABASE_URL: url });
    expect(onPostgres.code).toBe(1);
    expect(onPostgres.stderr).toMatch(
      /data\S*: cannot be written\. Give the user who runs Hygie the right to write there/,
    );
    await close();
  });

  itWithTrace('is written in the order that a power cut needs (needs strace)', async () => {
    const trace = join(installed.folder, 'trace');
    const copy = join(installed.folder, 'traced');
    const calls = 'trace=fsync,fdatasync,rename,unlink,unlinkat';
    cpSync(dataFolder, copy, { recursive: true });
    // The one after it drops the first.
    const anew = ['directory', 'import', '--accept', 'other-people,partial,changed,names-changed,common-values,growth'];
    expect(await hygie([...anew, edition('large.txt')], { env: { HYGIE_DATA: copy } })).toMatchObject({ code: 0 });
    const { code } = shell(
      'sh',
      ['-c'],
      `export HYGIE_DATA="${copy}"; exec strace --seccomp-bpf -f -y -e ${calls} -o "${trace}" $HYGIE ${anew.join(' ')} ${edition('small.txt')}`,
    );
    expect(code).toBe(0);
    const lines = shell('cat', [], trace).lines;
    const at = (pattern: RegExp, from = 0) => lines.findIndex((line, index) => index >= from && pattern.test(line));
    const content = at(/fsync\(.*\.sqlite\.unfinished>/);
    const renamed = at(/rename\(".*\.sqlite\.unfinished", ".*\.sqlite"/);
    const name = at(/fsync\(.*\/traced\/directory>/);
    const pointer = at(/f(data)?sync\(.*hygie\.sqlite-wal>/, name);
    const dropped = at(/unlink(at)?\(.*\/traced\/directory\/\w+-\w+\.sqlite"/);
    expect(content).toBeGreaterThan(-1);
    expect([content, renamed, name, pointer, dropped]).toEqual(
      [content, renamed, name, pointer, dropped].sort((a, b) => a - b),
    );
  });
});

describe('directory data 4: two imports at once', () => {
  /** Starts an import and stops it in the middle: anew, should it come to its end before, which leaves nothing. */
  const begin = async (folder: string, env: Record<string, string> = {}) => {
    const reads = () =>
      readdirSync(folder).some(
        (name) => name.startsWith('directory-import-') && existsSync(join(folder, name, 'people-0')),
      );
    for (const _try of rounds(20)) {
      const first = launch(
        installed,
        [
          'directory',
          'import',
          '--accept',
          'partial,changed,names-changed,common-values,growth',
          '--dry-run',
          edition('large.txt'),
        ],
        { HYGIE_DATA: folder, ...env },
      );
      while (!reads() && first.child.exitCode === null) await setTimeout(2);
      first.child.kill('SIGSTOP');
      // By now it stands still.
      await setTimeout(20);
      if (reads() && first.child.exitCode === null) return first;
      first.child.kill('SIGCONT');
      if ((await first.ended) !== 0) throw new Error(first.output());
    }
    throw new Error('every import came to its end before it was stopped');
  };

  it('one wins, the other names the holder of the lock', async () => {
    const first = await begin(dataFolder);
    const second = await hygie([
      'directory',
      'import',
      '--accept',
      'partial,changed,names-changed,common-values,growth',
      edition('large.txt'),
    ]);
    expect(second).toMatchObject({ code: 1, stdout: expect.stringContaining('Judgement: refused') });
    expect(second.stderr).toMatch(
      new RegExp(`^Another import is running \\(process ${first.child.pid} on \\S+\\)\\. Wait`, 'm'),
    );
    first.child.kill('SIGCONT');
    expect(await first.ended).toBe(0);
  });

  it('of two data folders with one PostgreSQL database', async () => {
    const { settings, close } = await openTestDatabase('postgresql');
    const env = { DATABASE_URL: settings.engine === 'postgresql' ? settings.url : '' };
    const [one, two] = ['one', 'two'].map((name) => join(installed.folder, name)) as [string, string];
    for (const folder of [one, two]) mkdirSync(folder);
    const first = await begin(one, env);
    const second = await hygie(
      ['directory', 'import', '--accept', 'partial,changed,names-changed,common-values,growth', edition('large.txt')],
      { env: { ...env, HYGIE_DATA: two } },
    );
    expect(second.stderr).toMatch(
      new RegExp(`^Another import is running \\(process ${first.child.pid} on \\S+\\)`, 'm'),
    );
    first.child.kill('SIGCONT');
    expect(await first.ended).toBe(0);
    await close();
  });
});

describe('directory data 4: the database fails at the switch', () => {
  const bench = openedForAll(openBench);
  beforeAll(async () => {
    await bench.run([bench.file('a.txt', people(49, 'Zoé'))]);
  });

  /** The bench's database, whose transactions end in an error, made or not. */
  const failing = (made: boolean): Database =>
    new Proxy(bench.database, {
      get(target, key) {
        if (key !== 'transaction') return Reflect.get(target, key, target);
        return async (work: (transaction: unknown) => Promise<unknown>) => {
          if (made) await target.transaction(work as never);
          throw new Error('the connection was lost');
        };
      },
    });
  const state = async () => ({
    ...(await readPointer(bench.database)),
    rows: (await listSnapshots(bench.database)).map(({ file }) => file).sort(),
    files: readdirSync(join(bench.dataFolder, 'directory')).sort(),
  });

  it('before the switch was made: the directory and its folder are as before', async () => {
    const before = await state();
    const path = bench.file('b.txt', people(49, 'Léa'));
    await expect(bench.run([path], { database: failing(false) })).rejects.toThrow('the connection was lost');
    expect(await state()).toEqual(before);
  });

  it('after it was made: the new snapshot keeps its file', async () => {
    const before = await state();
    const path = bench.file('b.txt', people(49, 'Léa'));
    await expect(bench.run([path], { database: failing(true) })).rejects.toThrow('the connection was lost');
    const after = await state();
    expect(after.previous).toBe(before.current);
    expect(after.files).toEqual(after.rows);
    expect((await bench.read('Practitioner', '819000000000'))?.['name']).toMatchObject([{ given: ['Léa'] }]);
    expect((await bench.run([path])).outcome).toBe('unchanged');
  });
});
