// Damages to archives, and to the checksums beside files.

import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { FILE_KEYS } from '#sandbox/shipped-edition.ts';
import { type EditionFiles, nameOf } from '#support/damage/edition-files.ts';
import { zip } from '#support/import/archive.ts';
import type { Damage, Expectation } from './damage.ts';

function ofFile(
  name: string,
  renewal: Expectation,
  change: (name: string, content: Buffer) => [string, Buffer][],
): Damage {
  return {
    name,
    renewal,
    apply: (files, { draw }): EditionFiles => {
      const file = nameOf(files, draw.one(FILE_KEYS));
      const changed = new Map(files);
      changed.delete(file);
      for (const [one, content] of change(file, files.get(file) as Buffer)) changed.set(one, content);
      return changed;
    },
  };
}

const sha256 = (content: Buffer) => createHash('sha256').update(content).digest('hex');
/** More than `directory.largestUnpacked` of the trials. */
const BOMB_BYTES = 33 << 20;

export const ARCHIVES: readonly Damage[] = [
  ofFile('in a zip archive', 'same', (name, content) => [[`${name}.zip`, zip(name, content)]]),
  ofFile('in a zip archive that is cut', /unreadable/, (name, content) => [
    [`${name}.zip`, zip(name, content).subarray(0, -40)],
  ]),
  ofFile('in a zip archive with a wrong checksum', /unreadable/, (name, content) => {
    const archive = zip(name, content);
    archive[14] = (archive[14] ?? 0) ^ 1;
    const central = archive.lastIndexOf(Buffer.from([80, 75, 1, 2]));
    archive[central + 16] = (archive[central + 16] ?? 0) ^ 1;
    return [[`${name}.zip`, archive]];
  }),
  ofFile('in a zip archive within another', /registers|partial|unreadable/, (name, content) => [
    [`${name}.zip`, zip(`${name}.zip`, zip(name, content))],
  ]),
  ofFile('a small archive of many zeros', /unreadable|registers|partial/, (name) => [
    [`${name}.gz`, gzipSync(Buffer.alloc(BOMB_BYTES), { level: 1 })],
  ]),
  ofFile('a checksum beside it', 'same', (name, content) => [
    [name, content],
    [`${name}.sha256`, Buffer.from(`${sha256(content)}  ${name}\n`)],
  ]),
  ofFile('another checksum beside it', /unreadable/, (name, content) => [
    [name, content],
    [`${name}.sha256`, Buffer.from(`${sha256(Buffer.from('other'))}  ${name}\n`)],
  ]),
  ofFile('one letter changed, and its checksum beside it', /unreadable/, (name, content) => {
    const changed = Buffer.from(content);
    const at = changed.lastIndexOf('A');
    changed[at] = 66;
    return [
      [name, changed],
      [`${name}.sha256`, Buffer.from(`${sha256(content)}  ${name}\n`)],
    ];
  }),
];
