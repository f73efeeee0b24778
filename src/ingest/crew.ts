// Owns who maps the buckets of an edition: this thread alone for a small one, else threads of their own, each with a lane
// into the snapshot. Does not own the mapping (`mapper.ts`) nor the order of the passes (`import.ts`).

import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { releaseMemory } from '../shared/release-memory.ts';
import type { LaneTicket, PackedTexts, SnapshotWriter } from '../store/directory/snapshot.ts';
import { type BucketDone, createMapper, type MapperJob, type PeopleFindings, type Phase } from './mapper.ts';
import type { CollectorNotes } from './report.ts';

export interface Crew {
  /** Maps all buckets of people; tells of each that is done. */
  people(onBucket: OnBucket): Promise<PeopleFindings[]>;
  /** Maps all buckets of structures. */
  structures(onBucket: OnBucket): Promise<void>;
  /** What was noticed, once both are through. */
  notes(): CollectorNotes[];
  /** Ends its threads, whatever they are at. */
  close(): Promise<void>;
}

/** @param done share of the phase, 0-1 */
export type OnBucket = (bucket: BucketDone, done: number) => void;

export type CrewJob = Omit<MapperJob, 'mappers'>;

/** Buckets of people below which the start of a thread would cost more than it saves. */
const THREADS_FROM = 4;
/** Beyond that the snapshot's own threads are what is waited for. */
const MOST_MAPPERS = 4;
/** The young generation of a mapper's heap, megabytes: its garbage is young, and lies in every thread. */
const YOUNG = 32;

/** How many threads map an edition of so many buckets, this one included. */
function mappersFor(buckets: number): number {
  return buckets < THREADS_FROM ? 1 : Math.min(MOST_MAPPERS, availableParallelism());
}

/** Starts the mappers: number 0 is this thread, and shows the others what repeats in resources. */
export function startCrew(crewJob: CrewJob, writer: SnapshotWriter): Crew {
  const job = { ...crewJob, mappers: mappersFor(crewJob.buckets.people) };
  if (job.mappers > 1) releaseMemory();
  const mapper = createMapper(job, 0);
  const threads = Array.from({ length: job.mappers - 1 }, (_, at) => startMapper(job, at + 1, writer));
  const failures = [writer.failure, ...threads.map(({ failure }) => failure)];

  const run = async (phase: Phase, onBucket: OnBucket): Promise<PhaseEnd[]> => {
    let done = 0;
    const tell = (bucket: BucketDone) => onBucket(bucket, ++done / job.buckets[phase]);
    const learned = Promise.withResolvers<PackedTexts>();
    const here = async (): Promise<PhaseEnd> => {
      for (const [at, bucket] of mapper.share(phase).entries()) {
        tell(await mapper.map(phase, bucket, writer.add));
        if (at === 0 && threads.length > 0) learned.resolve(await writer.learned());
        await setImmediate();
      }
      if (threads.length > 0) await writer.flush();
      return { ...(phase === 'people' && { findings: mapper.endPeople() }), notes: mapper.notes() };
    };
    const elsewhere = threads.map(async (thread) => thread.run({ phase, texts: await learned.promise }, tell));
    return Promise.race([Promise.all([here(), ...elsewhere]), ...failures]);
  };
  let notes: CollectorNotes[] = [];
  return {
    async people(onBucket) {
      return (await run('people', onBucket)).map(({ findings }) => findings as PeopleFindings);
    },
    async structures(onBucket) {
      notes = (await run('structures', onBucket)).map((end) => end.notes);
    },
    notes: () => notes,
    async close() {
      mapper.close();
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}

export interface MapperStart {
  job: MapperJob;
  number: number;
  lane: LaneTicket;
}

/** Begin a phase, with what repeats. */
export interface ToMapper {
  phase: Phase;
  texts: PackedTexts;
}

export type FromMapper = { bucket: BucketDone } | { ended: PhaseEnd };

/** What a mapper has to say at the end of a phase. */
export interface PhaseEnd {
  findings?: PeopleFindings;
  notes: CollectorNotes;
}

function startMapper(job: MapperJob, number: number, writer: SnapshotWriter) {
  const lane = writer.lane();
  const worker = new Worker(new URL('./mapper-thread.ts', import.meta.url), {
    workerData: { job, number, lane } satisfies MapperStart,
    transferList: lane.ports,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG },
  });
  const failure = new Promise<never>((_, reject) => {
    worker.on('error', reject);
    worker.on('exit', () => reject(new Error('a thread of the import ended early')));
  });
  failure.catch(() => {});
  return {
    worker,
    failure,
    run(message: ToMapper, onBucket: (bucket: BucketDone) => void): Promise<PhaseEnd> {
      const { promise, resolve, reject } = Promise.withResolvers<PhaseEnd>();
      const onMessage = (answer: FromMapper) => {
        try {
          if ('bucket' in answer) onBucket(answer.bucket);
          else {
            worker.off('message', onMessage);
            resolve(answer.ended);
          }
        } catch (error) {
          reject(error);
        }
      };
      worker.on('message', onMessage);
      worker.postMessage(message);
      return promise;
    },
  };
}
