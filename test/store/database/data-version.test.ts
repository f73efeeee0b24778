// What is read from SQLite is kept until the next commit.

import { describe, expect, it } from '@jest/globals';
import { cacheUntilCommit } from '#store/database/data-version.ts';

describe('kept readings', () => {
  it('a reading is kept until the next commit, unless nothing was found or it belongs to a commit before', async () => {
    let version = 1;
    const asked: string[] = [];
    let answer = () => {};
    const find = async (key: string) => {
      asked.push(key);
      if (key === 'late')
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
      return key === 'none' ? undefined : { key };
    };
    const cached = cacheUntilCommit({ current: () => version }, find);
    for (const key of ['a', 'a', 'none', 'none', 'b']) await cached(key);
    expect(asked.splice(0)).toEqual(['a', 'none', 'none', 'b']);
    const late = cached('late');
    version = 2;
    expect(await cached('a')).toEqual({ key: 'a' });
    answer();
    expect(await late).toEqual({ key: 'late' });
    const again = cached('late');
    answer();
    await again;
    await cached('a');
    expect(asked).toEqual(['late', 'a', 'late']);
    expect(cacheUntilCommit(undefined, find)).toBe(find);
  });

  it('five thousand readings are kept, and then begin anew', async () => {
    let asked = 0;
    const cached = cacheUntilCommit({ current: () => 1 }, async (key) => {
      asked += 1;
      return { key };
    });
    for (let at = 0; at < 5000; at++) await cached(String(at));
    await cached('0');
    expect(asked).toBe(5000);
    await cached('more');
    await cached('0');
    expect(asked).toBe(5002);
  });
});
