// Starts and runs the mappers of an edition. A small edition, or any edition on a machine with one core, has a single mapper, which runs in
// this thread. Every other edition has up to three mappers, each in a worker thread (`mapper-thread.ts`).

import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { CollectorNotes } from '#import/collect/collector.ts';
import { fromThread } from '#import/collect/import-error.ts';
import { type Dictionaries, releaseMemory, type SnapshotWriter, type WriterHandle } from '#search-index/index.ts';
import type { MailboxCandidate } from './mailbox-owners.ts';
import { type BucketDone, createMapper, type MapperJob, type Phase } from './mapper.ts';

interface WorkerPool {
  /**
   * Maps all buckets of people, and calls `onBucket` after each bucket. Returns the structures in the lines of people that may own
   * mailboxes.
   */
  people(onBucket: OnBucket): Promise<MailboxCandidate[]>;
  /** Maps all buckets of structures, and calls `onBucket` after each bucket. */
  structures(onBucket: OnBucket): Promise<void>;
  /** Returns the findings of all mappers. Call this after both phases. */
  notes(): CollectorNotes[];
  /** Ends the threads, even if they are still working. */
  close(): Promise<void>;
}

/** @param done the share (0-1) of the buckets of this phase that are done */
type OnBucket = (bucket: BucketDone, done: number) => void;

export type PoolJob = Omit<MapperJob, 'mappers'>;

/**
 * Minimum number of buckets of people from which threads are used. With fewer buckets, starting the threads would cost more than they save.
 */
const THREADS_FROM = 4;
/**
 * Maximum number of mappers. More mappers would not make an import faster, because it would have to wait for the threads that write the
 * snapshot.
 */
const MOST_MAPPERS = 3;
/**
 * Maximum size of the young generation in the heap of a mapper thread, in megabytes. Most garbage of a mapper is young, so a larger young
 * generation would only hold more garbage. The size is set here, because flags of the command line only apply to the main thread.
 */
const YOUNG = 16;

/** Returns the number of mappers. A single mapper works in this thread. Several mappers work in threads of their own. */
function mappersFor(buckets: number): number {
  return buckets < THREADS_FROM ? 1 : Math.min(MOST_MAPPERS, availableParallelism());
}

export function startWorkerPool(poolJob: PoolJob, writer: SnapshotWriter): WorkerPool {
  const job = { ...poolJob, mappers: mappersFor(poolJob.buckets.people) };
  const pool = job.mappers === 1 ? mapInThisThread(job, writer) : mapInThreads(job, writer);
  let notes: CollectorNotes[] = [];
  const run = async (phase: Phase, onBucket: OnBucket): Promise<PhaseEnd[]> => {
    let done = 0;
    const ends = await pool.run(phase, (bucket) => onBucket(bucket, ++done / job.buckets[phase]));
    notes = ends.map((end) => end.notes);
    return ends;
  };
  return {
    people: async (onBucket) => (await run('people', onBucket)).flatMap(({ candidates }) => candidates),
    async structures(onBucket) {
      await run('structures', onBucket);
    },
    notes: () => notes,
    close: pool.close,
  };
}

interface Mappers {
  run(phase: Phase, onBucket: (bucket: BucketDone) => void): Promise<PhaseEnd[]>;
  close(): Promise<void>;
}

function mapInThisThread(job: MapperJob, writer: SnapshotWriter): Mappers {
  const mapper = createMapper(job, 0);
  return {
    async run(phase, onBucket) {
      const all = async () => {
        for (const bucket of mapper.share(phase)) {
          onBucket(await mapper.map(phase, bucket, writer.add));
          await setImmediate();
        }
        // All resources must be written when this function ends, because the caller may then declare a type of resources as complete.
        await writer.flush();
      };
      await Promise.race([all(), writer.failure]);
      return [{ candidates: phase === 'people' ? mapper.endPeople() : [], notes: mapper.notes() }];
    },
    close: () => mapper.close(),
  };
}

function mapInThreads(job: MapperJob, writer: SnapshotWriter): Mappers {
  const threads = Array.from({ length: job.mappers }, (_, number) => startMapper(job, number, writer));
  const [first, ...others] = threads as [MapperThread, ...MapperThread[]];
  const failures = [writer.failure, ...threads.map(({ failure }) => failure)];
  return {
    run(phase, onBucket) {
      // Frees the garbage in this thread. Much of it comes from reading the files and, before the second phase, from the results about
      // people.
      if (job.large) releaseMemory();
      const learned = Promise.withResolvers<Dictionaries>();
      const ends = Promise.all([
        first.run({ phase }, onBucket, learned.resolve),
        ...others.map(async (thread) => thread.run({ phase, texts: await learned.promise }, onBucket)),
      ]);
      return Promise.race([ends, ...failures]);
    },
    async close() {
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}

type MapperThread = ReturnType<typeof startMapper>;

export interface MapperStart {
  job: MapperJob;
  number: number;
  handle: WriterHandle;
}

/**
 * The message that begins a phase. `texts` are the texts that are repeated in many resources. The first mapper gets none, because it learns
 * these texts from its first bucket. The other mappers wait for them.
 */
export interface ToMapper {
  phase: Phase;
  texts?: Dictionaries;
}

export type FromMapper = { learned: Dictionaries } | { bucket: BucketDone } | { ended: PhaseEnd };

/** The result of a mapper at the end of a phase. `candidates` are the structures that may own mailboxes. */
interface PhaseEnd {
  candidates: readonly MailboxCandidate[];
  notes: CollectorNotes;
}

function startMapper(job: MapperJob, number: number, writer: SnapshotWriter) {
  const handle = writer.handle();
  const worker = new Worker(new URL('./mapper-thread.ts', import.meta.url), {
    workerData: { job, number, handle } satisfies MapperStart,
    transferList: handle.ports,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG },
  });
  const failure = new Promise<never>((_, reject) => {
    worker.on('error', (error) => reject(fromThread(error)));
    worker.on('exit', () => reject(new Error('a thread of the import ended early')));
  });
  failure.catch(() => {});
  return {
    worker,
    failure,
    run(
      message: ToMapper,
      onBucket: (bucket: BucketDone) => void,
      onLearned: (texts: Dictionaries) => void = () => {},
    ): Promise<PhaseEnd> {
      const { promise, resolve, reject } = Promise.withResolvers<PhaseEnd>();
      const onMessage = (answer: FromMapper) => {
        try {
          if ('learned' in answer) onLearned(answer.learned);
          else if ('bucket' in answer) onBucket(answer.bucket);
          else {
            worker.off('message', onMessage);
            resolve(answer.ended);
          }
        } catch (error) {
          // `onBucket` throws if the import was interrupted.
          reject(error);
        }
      };
      worker.on('message', onMessage);
      worker.postMessage(message);
      return promise;
    },
  };
}
