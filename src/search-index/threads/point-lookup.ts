// Looks up one resource by its id or an identifier in the calling thread. This takes some 15 microseconds and two to four page reads, which
// is less than a message to another thread takes. It is only done while the file is known to be in memory: reading a page from a disk takes
// 0.1 to 10 ms, and during that time the calling thread could not answer other requests.

import { isWideKey } from '#search-index/file-layout.ts';
import { openSnapshot } from '#search-index/read/reader.ts';
import type { ResourceChecks, Snapshot } from '#search-index/snapshot.ts';
import type { Call } from './messages.ts';

/**
 * The file is no longer in memory if a look-up took more than SLOW milliseconds and the process read from a disk meanwhile. Then no look-up
 * is made here for REST milliseconds. The count of disk reads before the look-up may be up to FRESH milliseconds old, because asking for
 * the count takes a third of the time of a look-up.
 */
const [SLOW, REST, FRESH] = [8, 10_000, 1000];
/**
 * The time in milliseconds, and how often the process has read from a disk. The time alone does not show a disk read, because a look-up is
 * also slow if the process has to wait for a core.
 */
const CLOCK = { now: () => performance.now(), diskReads: () => process.resourceUsage().fsRead };
const OWN_KEYS: ReadonlySet<string> = new Set(['id', 'identifier']);

interface PointLookups {
  /** Answers a call here. Returns undefined if a thread should answer it instead. */
  answer(call: Call): Promise<unknown> | undefined;
  close(): Promise<void>;
}

function isPointLookup(call: Call): call is Extract<Call, { method: 'read' | 'search' }> {
  if (call.method === 'read') return true;
  if (call.method !== 'search') return false;
  const [{ clauses, exactly, order }] = call.arguments;
  const [clause, ...others] = clauses;
  if (clause?.match !== 'exact' || others.length > 0 || exactly !== undefined || order?.by === 'updated') return false;
  const [key, ...more] = clause.anyOf;
  return OWN_KEYS.has(clause.field) && clause.not !== true && key !== undefined && more.length === 0 && !isWideKey(key);
}

/**
 * Makes the function that looks up resources in a file.
 * @param isInMemory checks whether the file is known to be in memory
 * @param ready the snapshot, if the calling thread has already opened it; otherwise the first look-up opens the snapshot here, but is
 * itself answered by a thread
 */
export function pointLookups(
  file: string,
  checks: Partial<ResourceChecks>,
  isInMemory: (file: string) => boolean,
  ready?: Snapshot,
  clock = CLOCK,
): PointLookups {
  let here: Promise<Snapshot | undefined> | undefined = ready && Promise.resolve(ready);
  let restsUntil = 0;
  let [reads, readsAt] = [0, Number.NEGATIVE_INFINITY];
  const open = () => {
    here ??= openSnapshot(file, checks).catch(() => undefined);
    void here.then((snapshot) => {
      ready = snapshot;
    });
  };
  return {
    answer(call) {
      const began = clock.now();
      if (!isPointLookup(call) || began < restsUntil || !isInMemory(file)) return undefined;
      if (!ready) {
        open();
        return undefined;
      }
      if (began - readsAt > FRESH) [reads, readsAt] = [clock.diskReads(), began];
      // `read` and `search` wait for nothing in such a look-up: they have read the file when they return, or in the same turn of the event
      // loop. So the measured time is that of the look-up.
      const answered: Promise<unknown> =
        call.method === 'read' ? ready.read(...call.arguments) : ready.search(...call.arguments);
      const note = () => {
        const ended = clock.now();
        if (ended - began > SLOW && clock.diskReads() > reads) restsUntil = ended + REST;
      };
      answered.then(note, note);
      return answered;
    },
    async close() {
      await (await here)?.close();
    },
  };
}
