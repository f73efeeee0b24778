// Numbers set aside on disk come back as they were, however many there are and however often they are read.

import { mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createByteSpool, createNumberSpool } from '../../src/search-index/write/spill-file.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hygie-spool-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.each([0, 1, 65_535, 65_536, 65_537, 200_000])('a spool of %i numbers', (count) => {
  const expected = Uint32Array.from({ length: count }, (_, at) => (at * 2_654_435_761) % 2 ** 32);

  it('gives them one by one, again and again, then all at once, and leaves no file', () => {
    const spool = createNumberSpool(join(folder, 'numbers'));
    for (let at = 0; at < count; at += 1000) {
      if (at % 3000 === 0) spool.pushAll(expected.subarray(at, at + 1000));
      else for (const number of expected.subarray(at, at + 1000)) spool.push(number);
    }
    expect(spool.length()).toBe(count);
    for (let time = 0; time < 2; time++) {
      const next = spool.reader();
      expect(expected.every((number) => next() === number)).toBe(true);
    }
    expect(Buffer.from(spool.take().buffer).equals(Buffer.from(expected.buffer))).toBe(true);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('gives bytes too, and leaves no file when it is discarded', () => {
    const spool = createByteSpool(join(folder, 'bytes'));
    const bytes = new Uint8Array(expected);
    spool.pushAll(bytes);
    expect(Buffer.from(spool.take()).equals(Buffer.from(bytes))).toBe(true);
    const unwanted = createByteSpool(join(folder, 'unwanted'));
    unwanted.pushAll(bytes);
    unwanted.discard();
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a spool whose file was cut off', () => {
  it('says so', () => {
    const spool = createNumberSpool(join(folder, 'numbers'));
    for (let at = 0; at < 70_000; at++) spool.push(at);
    truncateSync(join(folder, 'numbers'), 1000);
    expect(() => spool.reader()()).toThrow('is the disk full?');
    expect(() => spool.take()).toThrow('is the disk full?');
    spool.discard();
  });
});
