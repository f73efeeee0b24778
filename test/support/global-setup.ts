// Starts what the whole test run shares: a real PostgreSQL, and a data folder that is filled once.

// Its environment is that of all processes of the run: their threads and commands find their modules compiled.
import '../../src/compile-cache.js';
import { restoreHashCost } from './hash-cost.ts';
import { startPostgres } from './postgres.ts';
import { makeTemplate } from './service-template.ts';
import { keepTemporaryFilesInMemory } from './temporary-folder.ts';

export default async function setup(): Promise<void> {
  keepTemporaryFilesInMemory();
  await Promise.all([startPostgres(), makeTemplate()]);
  restoreHashCost();
  // As the service itself (`src/launch.js`), for the processes of the tests. PostgreSQL may run under another account.
  process.umask(0o077);
}
