// Starts the threads that build a large snapshot, one for each resource type. At the end, the thread of the first type adds the files of
// the others to its own.

import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { TABLE_OF } from '#search-index/file-layout.ts';
import { RESOURCE_TYPES, type ResourceType } from '#search-index/snapshot.ts';
import type { BuilderOptions, BuildResult } from './builder.ts';
import type { BuilderStart, FromBuilder, ToBuilder } from './builder-thread.ts';
import type { TypeResult } from './type-builder.ts';

/** Builders that run in other threads. */
export interface BuilderThreads {
  /** Opens a queue: returns one port for each type, in the order of `RESOURCE_TYPES`. Each port takes the batches of its type. */
  ports(): MessagePort[];
  complete(type: ResourceType): void;
  finish(): Promise<BuildResult>;
  /** Rejects if a thread fails. */
  failure: Promise<never>;
  abandon(): Promise<void>;
}

/** Megabytes of the young generation of a builder's heap. They are enough, because a builder makes little garbage. */
const YOUNG = 16;

/** Starts the threads. The first type is built in the file of the snapshot, each other type in a file of its own beside it. */
export function startBuilderThreads(options: BuilderOptions): BuilderThreads {
  const threads = RESOURCE_TYPES.map((type, at) =>
    startThread(type, at === 0 ? options : { ...options, file: `${options.file}.${TABLE_OF[type]}` }),
  );
  const [main, ...others] = threads as [BuilderThread, ...BuilderThread[]];
  const failure = Promise.race(threads.map((thread) => thread.failure));
  failure.catch(() => {});

  const finish = async (): Promise<BuildResult> => {
    const results: BuildResult = {};
    await Promise.all(
      others.map(async (thread) => {
        results[thread.type] = await thread.finish([]);
      }),
    );
    results[main.type] = await main.finish(others.map(({ file }) => file));
    return results;
  };
  return {
    failure,
    ports: () => threads.map((thread) => thread.port()),
    complete(type) {
      threads.find((thread) => thread.type === type)?.complete();
    },
    finish: () => Promise.race([finish(), failure]),
    async abandon() {
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}

type BuilderThread = ReturnType<typeof startThread>;

function startThread(type: ResourceType, options: BuilderOptions) {
  const worker = new Worker(new URL('./builder-thread.ts', import.meta.url), {
    workerData: { type, options } satisfies BuilderStart,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG },
  });
  const finished = Promise.withResolvers<TypeResult>();
  worker.on('message', ({ finished: result }: FromBuilder) => finished.resolve(result));
  const failure = new Promise<never>((_, reject) => {
    worker.on('error', reject);
    worker.on('exit', (code) => {
      if (code !== 0) reject(new Error('a thread that builds the snapshot ended early'));
    });
  });
  failure.catch(() => {});
  const post = (message: ToBuilder, moved: MessagePort[] = []) => worker.postMessage(message, moved);
  return {
    type,
    file: options.file,
    worker,
    failure,
    port(): MessagePort {
      const { port1, port2 } = new MessageChannel();
      post({ queue: port1 }, [port1]);
      return port2;
    },
    complete(): void {
      post('complete');
    },
    finish(parts: readonly string[]): Promise<TypeResult> {
      post({ finish: parts });
      return finished.promise;
    },
  };
}
