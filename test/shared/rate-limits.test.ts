// SEC-39: the memory of a limiter does not grow with the number of those who are counted.

import { describe, expect, it } from '@jest/globals';
import { consume, memoryLimiter, remainingWait } from '#shared/rate-limits.ts';

const RULE = { keyPrefix: 'test', points: 2, duration: 60 };

describe('SEC-39 a limiter in memory', () => {
  it.each(['consume', 'penalty'] as const)('keeps the latest 20,000 keys (%s), and those in use', async (count) => {
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
  });
});
