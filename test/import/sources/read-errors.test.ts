// Directory data, section 4: a file that cannot be read is named, with what is wrong in words and the remedy, whichever step
// meets the error; errors that may go away later differ from those that somebody must correct.

import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ImportError, MachineError, toReadError } from '#import/collect/import-error.ts';
import { listInputs } from '#import/sources/inputs.ts';
import { zip } from '#support/import/archive.ts';
import { benchForEach } from '#support/import/bench.ts';
import { activity, registerText } from '#support/import/register-files.ts';

const bench = benchForEach();

const content = registerText('activities', [activity()]);
const messageOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'read',
    (error: Error) => (error instanceof ImportError ? '' : 'raw ') + error.message.replaceAll(`${bench.folder}/`, ''),
  );

describe('directory data 4: files that cannot be read', () => {
  it.each([
    ['ENOENT', ImportError, 'f: is not there any more, or has a name that is not UTF-8.'],
    ['EISDIR', ImportError, 'f: is a folder now.'],
    ['EACCES', MachineError, 'f: may not be read. Give the user who runs Hygie the right to read it.'],
    ['EIO', MachineError, 'f: cannot be read: its disk fails.'],
    ['ESTALE', MachineError, 'f: is gone from its network folder.'],
    ['EMFILE', MachineError, 'f: cannot be opened: the process has too many open files.'],
    ['EPROTO', MachineError, 'f: cannot be read (EPROTO).'],
  ])('%s', (code, kind, message) => {
    const error = toReadError(Object.assign(new Error('raw'), { code, syscall: 'read' }), 'f') as Error;
    expect(error).toBeInstanceOf(kind);
    expect(error instanceof MachineError).toBe(kind === MachineError);
    expect(error.message).toContain(message);
    const own = new Error('of our own');
    expect(toReadError(own, 'f')).toBe(own);
  });

  it('gone, or another thing in its place, between being listed and being read', async () => {
    for (const [name, bytes] of [
      ['pa.txt', content],
      ['pa.zip', zip('pa.txt', Buffer.from(content))],
    ] as const) {
      const [input] = await listInputs([bench.file(name, bytes)]);
      const read = async () => {
        for await (const _ of (await input?.open(() => {})) ?? []);
      };
      rmSync(join(bench.folder, name));
      expect(await messageOf(read())).toMatch(new RegExp(`^${name}: is not there any more`));
      mkdirSync(join(bench.folder, name));
      expect(await messageOf(read())).toMatch(new RegExp(`^${name}: (is a folder now|was changed while it was read)`));
    }
  });

  it('links that lead nowhere or in circles, and paths through files', async () => {
    const folder = join(bench.folder, 'in');
    mkdirSync(folder);
    symlinkSync('round', join(folder, 'round'));
    expect(await messageOf(bench.run([folder]))).toBe(
      'in/round: is a link that leads back to itself. Repair it, or remove it from the folder.',
    );
    bench.file('pa.txt', content);
    expect(await messageOf(bench.run([join(bench.folder, 'pa.txt', 'inner')]))).toBe(
      'pa.txt/inner: is not there: a part of its path is a file. Check the path.',
    );
  });
});

describe('operations: an import that finds no register says what it found', () => {
  it('nothing, one file, several, and one that is packed', async () => {
    const folder = join(bench.folder, 'in');
    mkdirSync(folder);
    const run = () => messageOf(bench.run([folder]));
    expect(await run()).toMatch(/^There is no file to read\. Give the files/);
    writeFileSync(join(folder, 'a.txt'), '');
    expect(await run()).toMatch(/^in\/a\.txt: is empty\. Known are/);
    for (const name of ['b', 'c', 'd', 'e', 'f', 'g']) writeFileSync(join(folder, `${name}.txt`), 'x');
    expect(await run()).toMatch(
      /^None of these is a register that Hygie knows: in\/a\.txt, in\/b\.txt, .*in\/e\.txt, 2 more\. Give the files/,
    );
    writeFileSync(join(folder, 'e.7z'), "7z\xbc\xaf'\x1c0000", 'latin1');
    expect(await run()).toMatch(/^in\/e\.7z: is packed by 7-Zip/);
  });
});
