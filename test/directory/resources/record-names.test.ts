// OpenID Connect Core 5.1, given_name and family_name out of the directory (FHIR STU3 HumanName): which of several records, which
// of several names, one reading for each edition, and nothing that fails with the directory.

import { describe, expect, it } from '@jest/globals';
import { createPersonNames } from '#directory/resources/record-names.ts';

/** An edition that holds these records and counts how often it is read. */
function edition(id: string, records: Record<string, object[]>) {
  const read = async (_type: string, key: string) => {
    snapshot.reads += 1;
    const name = records[key];
    return name && { json: JSON.stringify({ resourceType: 'Practitioner', id: key, name }) };
  };
  const snapshot = { id, reads: 0, read: read as never };
  return snapshot;
}

const MARTIN = [{ use: 'official', family: 'MARTIN', given: ['Jeanne', 'Marie'], prefix: ['DR'] }];

describe('names of a person in the directory', () => {
  it('are those of the first record that is there, read once', async () => {
    const current = edition('1', { b: MARTIN, c: [{ family: 'OTHER' }] });
    const names = createPersonNames({ current: () => current });
    for (let times = 0; times < 3; times += 1) {
      expect(await names(['a', 'b', 'c'])).toEqual({ given: 'Jeanne Marie', family: 'MARTIN' });
    }
    expect(current.reads).toBe(2);
  });

  it('follow a renewal of the directory, and one that comes while they are read', async () => {
    const [first, second] = [
      edition('1', { a: MARTIN }),
      edition('2', { a: [{ family: 'DURAND', given: ['Jeanne'] }] }),
    ];
    let current = first;
    const names = createPersonNames({ current: () => current });
    const reading = names(['a']);
    current = second;
    expect(await names(['a'])).toEqual({ given: 'Jeanne', family: 'DURAND' });
    await reading;
    expect(await names(['a'])).toEqual({ given: 'Jeanne', family: 'DURAND' });
  });

  it('are the official ones; a text alone is no family name', async () => {
    const current = edition('1', { a: [{ use: 'old', family: 'OLD' }, ...MARTIN], b: [{ text: 'Jeanne Martin' }] });
    const names = createPersonNames({ current: () => current });
    expect(await names(['a'])).toEqual({ given: 'Jeanne Marie', family: 'MARTIN' });
    expect(await names(['b'])).toBeUndefined();
  });

  it('are none without a directory, and while it cannot be read; then they come', async () => {
    expect(await createPersonNames({ current: () => undefined })(['a'])).toBeUndefined();
    let broken = true;
    const whole = edition('1', { a: MARTIN });
    const read = (type: never, id: string) =>
      broken
        ? Promise.reject(new Error('disk'))
        : (whole.read as (type: never, id: string) => Promise<never>)(type, id);
    const names = createPersonNames({ current: () => ({ id: '1', read: read as never }) });
    expect(await names(['a'])).toBeUndefined();
    broken = false;
    expect(await names(['a'])).toEqual({ given: 'Jeanne Marie', family: 'MARTIN' });
  });

  it('nobody waits for them while searches hold up the directory; they are there for the next token, read once', async () => {
    const { promise: disk, resolve: answer } = Promise.withResolvers<object>();
    let reads = 0;
    const read = async (_type: string, id: string) => {
      reads += 1;
      return id === 'a' ? disk : { json: JSON.stringify({ name: [{ family: 'OTHER' }] }) };
    };
    const names = createPersonNames({ current: () => ({ id: '1', read: read as never }) }, { within: 1 });
    expect(await Promise.all([names(['a', 'b']), names(['a', 'b'])])).toEqual([undefined, undefined]);
    expect(reads).toBe(1);
    answer({ json: JSON.stringify({ name: MARTIN }) });
    await disk;
    expect(await names(['a', 'b'])).toEqual({ given: 'Jeanne Marie', family: 'MARTIN' });
    expect(reads).toBe(1);
  });
});
