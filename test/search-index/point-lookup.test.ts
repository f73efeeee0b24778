// When look-ups go to the threads: after one that waited for the disk, and not after one that waited for a core.

import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { pointLookups } from '#search-index/threads/point-lookup.ts';
import { createSnapshotWriter } from '#search-index/write/writer.ts';
import { edition } from '#support/directory/edition.ts';
import { newFolder } from '#support/new-folder.ts';
import { until } from '#support/until.ts';

/** Look-ups on a clock of their own. `answer` says whether they answered here; a look-up takes `lasts` ms and reads the disk `reads` times. */
async function lookups() {
  const folder = newFolder();
  const writer = createSnapshotWriter({ folder, id: 'lookups' });
  for (const resource of edition()) await writer.add(resource);
  const clock = { time: 0, disk: 5, lasts: 0, reads: 0 };
  const opened = pointLookups(join(folder, (await writer.finish()).file), {}, () => true, undefined, {
    now: () => {
      clock.time += clock.lasts;
      return clock.time;
    },
    diskReads: () => {
      clock.disk += clock.reads;
      return clock.disk;
    },
  });
  const answer = async () => {
    const answered = opened.answer({ method: 'read', arguments: ['Practitioner', 'prat-1'] });
    await answered;
    return answered !== undefined;
  };
  await until(answer, 'the file is open');
  return { clock, answer, close: opened.close };
}

it('a look-up that took long without a read of the disk is followed by others', async () => {
  const { clock, answer, close } = await lookups();
  clock.lasts = 400;
  for (let count = 0; count < 5; count++) expect(await answer()).toBe(true);
  await close();
});

it('a look-up that took long and read the disk sends the others to the threads, for ten seconds', async () => {
  const { clock, answer, close } = await lookups();
  Object.assign(clock, { lasts: 400, reads: 3 });
  expect(await answer()).toBe(true);
  Object.assign(clock, { lasts: 0, reads: 0 });
  expect(await answer()).toBe(false);
  clock.time += 9000;
  expect(await answer()).toBe(false);
  clock.time += 1001;
  expect(await answer()).toBe(true);
  await close();
});

it('reads of the disk without a long look-up, and earlier ones, send nothing to the threads', async () => {
  const { clock, answer, close } = await lookups();
  Object.assign(clock, { lasts: 1, reads: 3 });
  for (let count = 0; count < 5; count++) expect(await answer()).toBe(true);
  // Long after the last look-up: what was read in between is none of the next one's.
  Object.assign(clock, { lasts: 400, reads: 0, disk: 1000 });
  clock.time += 60_000;
  expect(await answer()).toBe(true);
  expect(await answer()).toBe(true);
  await close();
});
