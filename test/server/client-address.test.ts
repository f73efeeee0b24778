// Which address a request comes from, with and without trusted proxies: what a client writes itself is never believed.

import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { addressOf } from '../../src/server/client-address.ts';

const from = (forwarded?: string) =>
  ({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress: '192.0.2.1' } }) as unknown as IncomingMessage;

describe('address of a request', () => {
  it.each([
    [0, undefined, '192.0.2.1'],
    [0, '203.0.113.7', '192.0.2.1'],
    [1, '203.0.113.7', '203.0.113.7'],
    [1, '198.51.100.9, 203.0.113.7', '203.0.113.7'],
    [2, '198.51.100.9, 203.0.113.7, 10.0.0.1', '203.0.113.7'],
    [2, '203.0.113.7', '203.0.113.7'],
    [1, undefined, '192.0.2.1'],
    [1, ' , ', '192.0.2.1'],
  ])('%s proxies, X-Forwarded-For %s: %s', (proxies, forwarded, expected) => {
    expect(addressOf(from(forwarded), proxies)).toBe(expected);
  });
});
