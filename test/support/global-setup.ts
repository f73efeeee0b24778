// Starts what the whole test run shares: a real PostgreSQL, and a data folder that is filled once.

import { startPostgres } from './postgres.ts';
import { makeTemplate } from './service-template.ts';

export default async function setup(): Promise<void> {
  await Promise.all([startPostgres(), makeTemplate()]);
  // As the service itself (`src/launch.js`), for the processes of the tests. PostgreSQL may run under another account.
  process.umask(0o077);
}
