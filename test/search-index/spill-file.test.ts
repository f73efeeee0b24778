// Numbers spilled to disk come back as they were, however many there are and however often they are read.

import { mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createByteSpill, createNumberSpill } from '#search-index/write/spill-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hygie-spill-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.each([0, 1, 65_535, 65_536, 65_537, 200_000])('a spill of %i numbers', (count) => {
  const expected = Uint32Array.from({ length: count }, (_, at) => (at * 2_654_435_761) % 2 ** 32);

  it('gives them one by one, again and again, then all at once, and leaves no file', () => {
    const spill = createNumberSpill(join(folder, 'numbers'));
    for (const number of expected) spill.push(number);
    expect(spill.length()).toBe(count);
    for (let time = 0; time < 2; time++) {
      const next = spill.reader();
      expect(expected.every((number) => next() === number)).toBe(true);
    }
    expect(Buffer.from(spill.take().buffer).equals(Buffer.from(expected.buffer))).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('gives bytes too, and leaves no file when it is discarded', () => {
    const spill = createByteSpill(join(folder, 'bytes'));
    const bytes = new Uint8Array(expected);
    for (const byte of bytes) spill.push(byte);
    expect(Buffer.from(spill.take()).equals(Buffer.from(bytes))).toBe(true);
    const unwanted = createByteSpill(join(folder, 'unwanted'));
    for (const byte of bytes) unwanted.push(byte);
    unwanted.discard();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a spill file that was cut off', () => {
  it('throws an error that names the file and asks for the disk', () => {
    const spill = createNumberSpill(join(folder, 'numbers'));
    for (let at = 0; at < 70_000; at++) spill.push(at);
    truncateSync(join(folder, 'numbers'), 1000);
    expect(() => spill.reader()()).toThrow('is the disk full?');
    expect(() => spill.take()).toThrow('is the disk full?');
    spill.discard();
  });
});
