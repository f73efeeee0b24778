// SEC-17, SEC-40: a password that is typed at a terminal: it is not shown, can be corrected, and Ctrl+C gives it up.

import { EventEmitter } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readPasswordHash } from '#cli/accounts/account-fields.ts';
import { matchingHashes } from '#shared/crypto/secret-hash.ts';

describe('a password that is typed', () => {
  const own = process.stdin;
  let written: string;
  let told: unknown[];
  let terminal: EventEmitter;

  beforeEach(() => {
    written = '';
    told = [];
    terminal = Object.assign(new EventEmitter(), {
      isTTY: true,
      setRawMode: (raw: boolean) => void told.push(raw),
      setEncoding: (encoding: string) => void told.push(encoding),
      pause: () => void told.push('pause'),
    });
    Object.defineProperty(process, 'stdin', { value: terminal, configurable: true });
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => {
      written += String(text);
      return true;
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
    Object.defineProperty(process, 'stdin', { value: own, configurable: true });
  });

  /** Types the keys in these pieces; resolves with the hash. */
  const type = (...pieces: string[]) => {
    const made = readPasswordHash({ email: 'zoe@n.example', name: 'Zoé' });
    for (const piece of pieces) terminal.emit('data', piece);
    return made;
  };

  it.each([
    ['by return', ['tortue violette 8', '7\r']],
    ['by a line feed, after which nothing counts', ['tortue violette 87\nxyz']],
    ['with corrections', ['tortux\u007fe violette 8\b87\r']],
  ])('ends %s', async (_how, pieces) => {
    const hash = await type(...pieces);
    expect(await matchingHashes('tortue violette 87', [hash])).toEqual([hash]);
    expect(written).toBe('Password (not shown): \n');
    expect(told).toEqual([true, 'utf8', false, 'pause']);
    expect(terminal.listenerCount('data')).toBe(0);
  });

  it('is given up by Ctrl+C', async () => {
    await expect(type('tortue', '\u0003')).rejects.toMatchObject({
      name: 'Refusal',
      message: 'Interrupted: nothing was changed.',
    });
    expect([written, told]).toEqual(['Password (not shown): \n', [true, 'utf8', false, 'pause']]);
  });

  it('is refused where it is no good one', async () => {
    await expect(type('court\r')).rejects.toThrow('fewer than 12 characters');
  });
});
