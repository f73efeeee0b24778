// Limits: queues that are fair to each client, rates, and networks that count as one.

import { SocketAddress } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fairQueue, OWN, type QueueKey, queueKeyOf } from '#shared/fair-queue.ts';
import { prefixesOf } from '#shared/network-prefix.ts';
import { consume, memoryLimiter, remainingWait } from '#shared/rate-limits.ts';

class Full extends Error {}

/** A queue whose tasks note that they began, and end one by one. */
function observed(sizes: { running: number; waiting: number }) {
  const queue = fairQueue({ ...sizes, refusal: () => new Full() });
  const began: string[] = [];
  const refused: string[] = [];
  const ends: (() => void)[] = [];
  return {
    began,
    refused,
    isFull: queue.isFull,
    enter: (name: string, queueKey: QueueKey) => {
      const task = () =>
        new Promise<void>((end) => {
          began.push(name);
          ends.push(end);
        });
      queue(queueKey, task).catch((error: unknown) => {
        expect(error).toBeInstanceOf(Full);
        refused.push(name);
      });
    },
    /** Ends the task that began first, and lets the next one begin. */
    endOne: async () => {
      ends.shift()?.();
      await new Promise(setImmediate);
    },
    ended: () => ends.length === 0,
  };
}

const ipv4 = (network: number, host: number) => queueKeyOf(`10.0.${network}.${host}`);
/** Of the /48 `network`, the /64 `subnet`. */
const ipv6 = (network: number, subnet: number) =>
  queueKeyOf(`2001:db8:${network.toString(16)}:${subnet.toString(16)}::1`);

describe('SEC-59 the fair queue', () => {
  it('behind k flooding networks a new one waits for one turn of each, and is never turned away', async () => {
    const flood = fc.array(fc.tuple(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 0, max: 200 })), {
      minLength: 1,
      maxLength: 200,
      size: 'max',
    });
    await fc.assert(
      fc.asyncProperty(flood, fc.boolean(), fc.nat(20), async (entries, v6, served) => {
        const queue = observed({ running: 2, waiting: 30 });
        const queueKey = v6 ? ipv6 : ipv4;
        for (const [network, host] of entries) queue.enter(`${network}`, queueKey(network, host));
        for (let turn = 0; turn < served; turn += 1) await queue.endOne();
        // Full again, where the flood is large enough for that.
        for (const [network, host] of entries) queue.enter(`${network}`, queueKey(network, host));
        const before = queue.began.length;
        queue.enter('new', queueKey(99, 1));
        // They go on flooding all the while.
        while (![...queue.began, ...queue.refused].includes('new')) {
          for (const [network, host] of entries.slice(0, 40)) queue.enter(`${network}`, queueKey(network, host + 1));
          await queue.endOne();
        }
        const ahead = queue.began.slice(before, queue.began.indexOf('new'));
        expect(ahead).toHaveLength(new Set(ahead).size);
        expect(queue.refused).not.toContain('new');
      }),
      { numRuns: 25 },
    );
  });

  it('everything that enters is served or turned away, once; no more wait than there are places', async () => {
    const entry = fc.record({ network: fc.nat(4), host: fc.nat(4), known: fc.boolean(), end: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 120, size: 'max' }), async (entries) => {
        const queue = observed({ running: 2, waiting: 10 });
        for (const [index, { network, host, known, end }] of entries.entries()) {
          queue.enter(`${index}`, queueKeyOf(`10.0.${network}.${host}`, known ? `device ${host}` : undefined));
          if (end) await queue.endOne();
          await new Promise(setImmediate);
          const open = index + 1 - queue.refused.length - queue.began.length;
          expect(open).toBeLessThanOrEqual(20);
        }
        while (!queue.ended()) await queue.endOne();
        const all = [...queue.began, ...queue.refused].map(Number).sort((a, b) => a - b);
        expect(all).toEqual(entries.map((_, index) => index));
      }),
      { numRuns: 60 },
    );
  });

  it('who is told that it is full would be turned away at once, and nobody else', async () => {
    const entry = fc.record({ network: fc.nat(2), host: fc.nat(2), known: fc.boolean(), end: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { maxLength: 60, size: 'max' }), async (entries) => {
        const queue = observed({ running: 2, waiting: 5 });
        for (const [index, { network, host, known, end }] of entries.entries()) {
          const queueKey = queueKeyOf(`10.0.${network}.${host}`, known ? `device ${host}` : undefined);
          const full = queue.isFull(queueKey);
          queue.enter(`${index}`, queueKey);
          await new Promise(setImmediate);
          expect(queue.refused.includes(`${index}`)).toBe(full);
          if (end) await queue.endOne();
        }
        expect(queue.isFull(OWN)).toBe(false);
      }),
      { numRuns: 60 },
    );
  });

  it('one network alone may use all places', async () => {
    const queue = observed({ running: 2, waiting: 10 });
    for (let one = 0; one < 13; one += 1) queue.enter(`${one}`, ipv4(1, 1));
    await queue.endOne();
    expect(queue.refused).toEqual(['12']);
  });

  it('within a /48 each /64 gets its turn, and the fullest /64 gives up its places', async () => {
    const queue = observed({ running: 1, waiting: 10 });
    for (let one = 0; one < 11; one += 1) queue.enter('flood', ipv6(1, 1));
    queue.enter('neighbour', ipv6(1, 2));
    await queue.endOne();
    await queue.endOne();
    expect(queue.began).toEqual(['flood', 'flood', 'neighbour']);
    expect(queue.refused).toEqual(['flood']);
  });

  it('known browsers go first but for every fourth turn; their places are their own', async () => {
    const queue = observed({ running: 1, waiting: 4 });
    queue.enter('first', ipv4(1, 1));
    for (let one = 0; one < 4; one += 1) {
      queue.enter('stranger', ipv4(1, 1));
      queue.enter('known', queueKeyOf('10.0.1.1', `device ${one}`));
    }
    for (let turn = 0; turn < 8; turn += 1) await queue.endOne();
    expect(queue.began.slice(1).join(' ')).toMatch(/^(known )+stranger (known )+(stranger ?)+$/);
    expect(queue.refused).toEqual([]);
  });

  it('the service’s own work is never turned away', async () => {
    const queue = observed({ running: 1, waiting: 1 });
    for (let one = 0; one < 9; one += 1) queue.enter('own', OWN);
    while (!queue.ended()) await queue.endOne();
    expect(queue.began).toHaveLength(9);
  });

  it('a task that fails gives its turn on', async () => {
    const queue = fairQueue({ running: 1, waiting: 1, refusal: () => new Full() });
    await expect(queue(ipv4(1, 1), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(queue(ipv4(1, 1), async () => 'next')).resolves.toBe('next');
  });
});

// SEC-39: the memory of a limiter does not grow with the number of those who are counted.
const RULE = { keyPrefix: 'test', points: 2, duration: 60 };

it.each(['consume', 'penalty'] as const)(
  'SEC-39 a limiter in memory keeps the latest 20,000 keys (%s), and those in use',
  async (count) => {
    const limiter = memoryLimiter(RULE);
    for (const key of ['first', 'used', 'asked']) await limiter[count](key);
    for (let other = 0; other < 19_999; other += 1) {
      await limiter[count](`other-${other}`);
      if (other === 10_000) await limiter[count]('used');
      if (other === 10_000) await remainingWait(limiter, 'asked');
    }
    expect(await limiter.get('first')).toBeNull();
    expect(await limiter.get('used')).toMatchObject({ consumedPoints: 2 });
    expect(await limiter.get('asked')).toMatchObject({ consumedPoints: 1 });
    expect(await limiter.get('other-19998')).toMatchObject({ consumedPoints: 1 });
    expect(await consume(limiter, 'used')).toBeGreaterThan(0);
    for (let key = 0; key < 19_999; key += 1) await limiter.delete(`other-${key}`);
    for (const key of ['used', 'asked']) await limiter.delete(key);
  },
);

describe('SEC-59 the networks of a client address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
    ['::ffff:192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
    ['::FFFF:c000:0207', '192.0.2.7', '192.0.2.0/24'],
    ['64:ff9b::192.0.2.7', '192.0.2.7', '192.0.2.0/24'],
    ['2001:0DB8:0001:0002:3::9', '2001:db8:1:2', '2001:db8:1::/48'],
    ['2001:db8::', '2001:db8:0:0', '2001:db8:0::/48'],
    ['1:2:3:4:5:6:192.0.2.7', '1:2:3:4', '1:2:3::/48'],
    ['::192.0.2.7', '0:0:0:0', '0:0:0::/48'],
    ['::1', '0:0:0:0', '0:0:0::/48'],
    ['fe80::1%eth0', 'fe80:0:0:0', 'fe80:0:0::/48'],
  ])('%s lies in %s and %s', (address, narrow, wide) => {
    expect(prefixesOf(address)).toEqual({ narrow, wide });
  });

  it.each(['', 'x', '192.0.2.7:443', '[2001:db8::1]', '256.0.0.1', '1:2:3', 'unknown', '%', '2001:db8::1::'])(
    '%j is no address: all such are one network',
    (address) => {
      expect(prefixesOf(address)).toEqual({ narrow: 'unknown', wide: 'unknown' });
    },
  );

  it('every notation of an IPv6 address lies in the same networks', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const canonical = new SocketAddress({ address, family: 'ipv6' }).address;
        expect(prefixesOf(address)).toEqual(prefixesOf(canonical));
        expect(prefixesOf(address.toUpperCase())).toEqual(prefixesOf(canonical));
      }),
    );
  });
});
