// The worker thread in which a mapper runs. It exchanges messages with the main thread, and sends its resources directly to the threads
// that write the snapshot (`openWriterQueue`).

import { constants, getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { openWriterQueue } from '#search-index/index.ts';
import { createMapper } from './mapper.ts';
import type { FromMapper, MapperStart, ToMapper } from './worker-pool.ts';

/** Number that is added to the niceness of this thread, which lowers its priority. */
const STEP_BACK = 9;

if (parentPort === null) throw new Error('this file runs as a thread of an import');
const port = parentPort;
const send = (message: FromMapper) => port.postMessage(message);
// The mappers get a lower priority than the threads that write the snapshot, because those have more work and the import has to wait for
// them. The priority is only lowered on Linux, because elsewhere `setPriority` affects the whole process.
if (process.platform === 'linux') setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + STEP_BACK));
const { job, number, handle } = workerData as MapperStart;
const mapper = createMapper(job, number);
const queue = openWriterQueue(handle);

port.on('message', async ({ phase, texts }: ToMapper) => {
  if (texts) queue.loadDictionaries(texts);
  for (const [at, bucket] of mapper.share(phase).entries()) {
    send({ bucket: await mapper.map(phase, bucket, queue.add) });
    if (at === 0 && !texts) send({ learned: await queue.freezeDictionaries() });
  }
  await queue.flush();
  send({ ended: { candidates: phase === 'people' ? mapper.endPeople() : [], notes: mapper.notes() } });
});
