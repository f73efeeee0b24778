// The folder that a backup, a restore or an export is made in before it gets its name: no end of the process leaves a part of it behind.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { explainDisk, openStaging } from '#server/staging-folder.ts';
import { Refusal } from '#shared/operator-messages.ts';

describe('staging folder', () => {
  let parent: string;
  let target: string;
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'hygie-staging-'));
    target = join(parent, 'backup');
  });
  afterEach(() => rmSync(parent, { recursive: true, force: true }));

  /** A process that opens a staging folder, writes a file there, and ends in a way of its own. */
  function inProcess(end: string): void {
    const module = join(import.meta.dirname, '../../src/server/staging-folder.ts');
    const script = `
    import { writeFileSync } from 'node:fs';
    import { openStaging } from ${JSON.stringify(module)};
    const staging = await openStaging(${JSON.stringify(target)}, 0);
    writeFileSync(staging.folder + '/part', 'x');
    ${end}`;
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
    if (stderr.includes('SyntaxError')) throw new Error(stderr);
  }

  describe('a staging folder', () => {
    it.each([
      ['finished', 'await staging.finish();', ['backup']],
      ['discarded', 'await staging.discard();', []],
      ['left by an end of the process', 'process.exit(1);', []],
      ['left by an error', 'throw new Error("of the test");', []],
      ['left by the end of the program', '', []],
      ['finished, and the process ends', 'await staging.finish(); process.exit(0);', ['backup']],
    ])('%s', (_, end, left) => {
      inProcess(end);
      expect(readdirSync(parent)).toEqual(left);
    });

    it('that a killed process left is removed by a later one, an hour after its last change', async () => {
      inProcess('process.kill(process.pid, "SIGKILL");');
      const [unfinished = ''] = readdirSync(parent);
      const before = Date.now() / 1000 - 3601;
      for (const path of ['part', '.']) {
        await (await openStaging(target, 0)).discard();
        expect(readdirSync(parent)).toEqual([unfinished]);
        utimesSync(join(parent, unfinished, path), before, before);
      }
      await (await openStaging(target, 0)).discard();
      expect(readdirSync(parent)).toEqual([]);
    });

    it('replaces an empty folder, and refuses one with content and a disk without room', async () => {
      mkdirSync(target);
      const handlers = process.listenerCount('exit');
      const staging = await openStaging(target, 0);
      expect(process.listenerCount('exit')).toBe(handlers + 1);
      writeFileSync(join(staging.folder, 'part'), 'x');
      await staging.finish();
      await (await openStaging(join(parent, 'other'), 0)).discard();
      expect(process.listenerCount('exit')).toBe(handlers);
      expect(readFileSync(join(target, 'part'), 'utf8')).toBe('x');
      await expect(openStaging(target, 0)).rejects.toThrow(`${target} is not empty.`);
      await expect(openStaging(join(parent, 'other'), 2 ** 60)).rejects.toThrow(
        /^The disk of .* MiB free, and \d+ MiB are needed\.\nRemedy: make room/,
      );
      expect(readdirSync(parent)).toEqual(['backup']);
    });
  });

  describe('an error of the disk', () => {
    it.each([
      [{ code: 'ENOSPC' }],
      [{ code: 'EDQUOT' }],
      [{ code: 'SQLITE_FULL' }],
      [{ message: 'pg_dump: error: No space left on device' }],
      ...['EACCES', 'EPERM', 'ENOTDIR'].map((code) => [{ code, path: '/backups/.hygie-unfinished-1' }]),
      [{ code: 'EROFS', path: '/backups' }],
    ] as [{ code?: string; path?: string }][])('%j is said in words', (error) => {
      const words = error.path
        ? `/backups/backup cannot be written (${error.code}): give the account of this command the right to it.`
        : 'The disk of /backups/backup is full: nothing of backup is left behind.\nRemedy: make room there, or name a folder on a larger disk.';
      const said = explainDisk(Object.assign(new Error(), error), '/backups/backup');
      expect(said).toEqual(new Refusal(words));
    });

    it.each([{ code: 'EACCES', path: '/elsewhere/file' }, { code: 'EACCES' }, { code: 'ENOENT', path: '/backups/x' }])(
      '%j is left as it is',
      (error) => {
        const given = Object.assign(new Error(), error);
        expect(explainDisk(given, '/backups/backup')).toBe(given);
      },
    );
  });
});
