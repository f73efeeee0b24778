// Directory import: however files are packed, they are read, or refused by name and with the remedy that helps; what macOS and
// downloads leave beside them in an archive hinders nobody.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createCollector } from '#import/collect/collector.ts';
import { recogniseInputs } from '#import/registers/recognise-inputs.ts';
import { listInputs } from '#import/sources/inputs.ts';
import { zip } from '#support/import/archive.ts';
import { activity, registerText } from '#support/import/register-files.ts';

const NAME = 'PS_LibreAcces_Personne_activite_202610080830.txt';
const content = Buffer.from(registerText('activities', [activity()]));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'hygie-packed-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Imports a file of this name; returns its sources and warnings, or why it is refused. */
async function reading(name: string, bytes: Buffer) {
  const path = join(folder, name);
  await writeFile(path, bytes);
  const collector = createCollector();
  try {
    const sources = await recogniseInputs(await listInputs([path]), collector);
    return { sources: sources.map(({ report }) => report.name.slice(path.length)), warnings: collector.warnings() };
  } catch (error) {
    return { refused: (error as Error).message.replaceAll(path, 'FILE') };
  }
}

/** An archive whose headers say something else: flags and method of its only member. */
function headed(flags: number, method: number, archive = zip(NAME, content)): Buffer {
  const central = archive.indexOf(Buffer.from([80, 75, 1, 2]));
  archive.writeUInt16LE(flags, 6);
  archive.writeUInt16LE(method, 8);
  archive.writeUInt16LE(flags, central + 8);
  archive.writeUInt16LE(method, central + 10);
  return archive;
}

describe('import: members of a zip archive that are not read', () => {
  it.each([
    ['encrypted', headed(1, 8), `FILE!${NAME}: is encrypted.`],
    ['encrypted by AES', headed(1, 99), `FILE!${NAME}: is encrypted.`],
    ['encrypted with its list', headed(0x41, 8), 'FILE: the zip archive cannot be listed'],
    ['Deflate64', headed(0, 9), `FILE!${NAME}: is packed by method 9`],
    ['bzip2', headed(0, 12), `FILE!${NAME}: is packed by method 12`],
    ['Zstandard', headed(0, 93), `FILE!${NAME}: is packed by method 93`],
    ['a method to come', headed(0, 77), `FILE!${NAME}: is packed by method 77`],
    ['names that lead out of it', zip(`../${NAME}`, content), 'FILE: the zip archive cannot be listed'],
  ])('%s: the refusal says so, and to unpack it', async (_what, archive, start) => {
    const { refused } = await reading('a.zip', archive);
    expect(refused).toContain(start);
    expect(refused).toMatch(/Unpack the archive/);
    expect(refused).not.toMatch(/damaged|Download/);
  });
});

describe('import: files packed by something else, or twice', () => {
  const tar = Buffer.alloc(1024);
  tar.write('ustar', 257);
  it.each([
    ['7-Zip', 'a.7z', Buffer.from("7z\xbc\xaf'\x1c0000", 'latin1')],
    ['xz', `${NAME}.xz`, Buffer.from('\xfd7zXZ\x000000', 'latin1')],
    ['bzip2', `${NAME}.bz2`, Buffer.from('BZh91AY&SY')],
    ['Zstandard', `${NAME}.zst`, Buffer.from('\x28\xb5\x2f\xfd0000', 'latin1')],
    ['tar', 'a.tar.gz', gzipSync(tar)],
    ['gzip', 'a.zip', zip(`${NAME}.gz`, gzipSync(content))],
    ['zip', 'a.zip', zip('inner.zip', zip(NAME, content))],
  ])('%s: the refusal names it', async (packing, name, bytes) => {
    expect((await reading(name, bytes)).refused).toMatch(new RegExp(`^FILE.*: is packed by ${packing}, .*Unpack it`));
  });
});

describe('import: what stands beside a register in an archive', () => {
  it('macOS’s own files under the register’s name, unfinished downloads and hidden files are left alone', async () => {
    const names = [NAME, `__MACOSX/._${NAME}`, `__MACOSX/a/${NAME}`, `.${NAME}`, `${NAME}.part`, 'empty/'];
    expect(await reading('a.zip', zip(names, content))).toEqual({ sources: [`!${NAME}`], warnings: [] });
  });

  it('names in folders, of any characters: read, and shown without control characters', async () => {
    const odd = await reading('a.zip', headed(0x800, 8, zip(`a/b c/\u001b[31m\n${NAME}`, content)));
    expect(odd.sources).toEqual([`!a/b c/\\x1b[31m\\x0a${NAME}`]);
    const beside = await reading('b.zip', headed(0x800, 8, zip('lisez\u001b[31m\n.txt', Buffer.from('bonjour'))));
    expect(beside.refused).toContain('FILE!lisez\\x1b[31m\\x0a.txt: is not a register');
  });
});
