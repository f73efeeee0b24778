// When a snapshot is stored for others, stored again, or brought here; how far that is; and what a row without a seal says. Fakes stand for
// the database and the files.

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { bring, type Distribution, storeAndConfirm, storeIfLacking } from '#store/snapshots/distribution.ts';
import { PART_BYTES, partsOf, WrongPart } from '#store/snapshots/parts.ts';
import { findSnapshot, registerSnapshot, type SnapshotEntry } from '#store/snapshots/registry.ts';
import { openTestDatabase } from '#support/databases.ts';
import { databaseOfMachines, machineForEach, newFile, newMachine } from '#support/directory/machines.ts';
import { openedForEach } from '#support/opened.ts';
import { snapshotEntry } from '#support/store/snapshot-entry.ts';

const ENTRY = snapshotEntry('a', 1, { checksum: 'c' });

describe('a snapshot whose file is here', () => {
  const opened = openedForEach(() => openTestDatabase('sqlite'));
  /** What is asked of a distribution, which gives these answers. */
  function distribution(
    answers: Partial<{ has: boolean; state: 'stored' | 'lacking' | 'foreign'; seal: string | undefined }> = {},
  ) {
    const asked: string[] = [];
    const { has = true, state = 'lacking', seal = 'sealed' } = answers;
    const fake = {
      has: () => has,
      state: async () => state,
      store: async (entry: SnapshotEntry, options: object) => {
        asked.push(`store ${entry.id} ${Object.keys(options)}`);
        return { bytes: 9, through: 5, seal: 'seal' in answers ? undefined : seal };
      },
    } as unknown as Distribution;
    return { fake, asked };
  }
  const sealOf = async () => (await findSnapshot(opened.database, 'a'))?.seal;

  it('is stored where others cannot fetch it, and its seal recorded', async () => {
    await registerSnapshot(opened.database, ENTRY);
    const { fake, asked } = distribution();
    const onProgress = () => {};
    expect(await storeIfLacking(opened.database, fake, ENTRY, { onProgress })).toEqual({ bytes: 9, through: 5 });
    expect([asked, await sealOf()]).toEqual([['store a onProgress'], 'sealed']);
    const unsealed = distribution({ seal: undefined });
    expect(await storeIfLacking(opened.database, unsealed.fake, ENTRY)).toEqual({ bytes: 9, through: 5 });
    expect(await sealOf()).toBe('sealed');
  });

  it('is not stored where its checksum is unknown, its file is not here, it is stored, or somebody says no', async () => {
    const { checksum: _, ...unknown } = ENTRY;
    const cases = [
      [distribution(), unknown],
      [distribution({ has: false }), ENTRY],
      [distribution({ state: 'stored' }), ENTRY],
      [distribution({ state: 'foreign' }), ENTRY],
    ] as const;
    for (const [{ fake, asked }, entry] of cases)
      expect([await storeIfLacking(opened.database, fake, entry), asked]).toEqual([undefined, []]);
    const refused = distribution();
    expect(await storeIfLacking(opened.database, refused.fake, ENTRY, { begin: async () => false })).toBeUndefined();
    expect(refused.asked).toEqual([]);
  });

  it('comes into force as it is where nothing is distributed, and else when it is stored and the lock still held', async () => {
    const steps: string[] = [];
    const confirm = async () => void steps.push('confirm');
    expect(await storeAndConfirm(undefined, ENTRY, { confirm })).toEqual(ENTRY);
    const states = ['lacking', 'stored'] as const;
    const fake = {
      store: async () => {
        steps.push('store');
        return { bytes: 9, through: 5, seal: `seal ${steps.length}` };
      },
      state: async (entry: SnapshotEntry) => {
        steps.push(`state of ${entry.seal}`);
        return states[steps.filter((step) => step.startsWith('state')).length - 1] as 'lacking';
      },
    };
    expect(await storeAndConfirm(fake as never, ENTRY, { confirm })).toEqual({ ...ENTRY, seal: 'seal 5' });
    const round = (seal: string) => ['store', 'confirm', `state of ${seal}`];
    expect(steps).toEqual(['confirm', ...round('seal 2'), ...round('seal 5')]);
  });

  it('is brought here once; an error is passed on', async () => {
    let tries = 0;
    const fetch = async () => {
      tries += 1;
      return { bytes: 9, through: 5 };
    };
    for (let times = 0; times < 2; times += 1) await bring({ has: () => tries > 0, fetch }, ENTRY);
    expect(tries).toBe(1);
    const failing = { has: () => false, fetch: () => Promise.reject(new Error('away')) };
    await expect(bring(failing, ENTRY)).rejects.toThrow('away');
  });
});

describe('the parts of a snapshot', () => {
  const test = databaseOfMachines();
  const one = machineForEach(test);

  it('are a mebibyte each, and each says how far the work is', async () => {
    expect([0, 1, PART_BYTES, PART_BYTES + 1].map(partsOf)).toEqual([0, 1, 1, 2]);
    expect(new WrongPart('x')).toMatchObject({
      name: 'WrongPart',
      message: expect.stringMatching(/^x; where the snapshot's file is, \S.* directory verify stores it anew$/),
    });
    const entry = await newFile(one, 'a', randomBytes(1.5 * PART_BYTES));
    const done: number[] = [];
    const options = { onProgress: (share: number) => done.push(share) };
    const { seal, bytes, through } = await one.store(entry, options);
    expect([done, bytes, through > 1.4 * PART_BYTES, seal?.length]).toEqual([[0.5, 1], 1.5 * PART_BYTES, true, 31]);
    const sealed = { ...entry, seal: seal ?? '' };
    expect([await one.state(entry), await one.state(sealed)]).toEqual(['lacking', 'stored']);
    const other = newMachine(test.database);
    done.length = 0;
    expect([await other.fetch(sealed, options), done]).toEqual([{ bytes, through: bytes }, [0.5, 1]]);
    // Without a secret nothing is sealed.
    const bare = newMachine(test.database, []);
    await newFile(bare, 'b', randomBytes(9));
    expect([await bare.state(entry), await bare.state(sealed)]).toEqual(['stored', 'foreign']);
    await expect(bare.fetch(sealed)).rejects.toThrow(
      'the snapshot a is not sealed by the secret of this instance: it is of another service, was changed, or an instance has another HYGIE_KEY_SECRET; it is not fetched',
    );
    await expect(other.fetch(entry)).rejects.toThrow(
      'the snapshot a has no seal: no instance has stored all of it yet; an instance that serves it with directory.distribution: database does, or the command directory verify on its machine',
    );
    const short = { ...entry, bytes: entry.bytes + 1 };
    await expect(one.store(short)).rejects.toThrow('a.sqlite is shorter than its row in the database says');
  });
});
