// The Knex command line (`npx knex migrate:status`, `migrate:latest`, `seed:run`) with the settings of the service. The seeds are
// fictional people, for development only.

import { join } from 'node:path';
import type { Knex } from 'knex';
import { ConfigurationError, loadSettings } from './src/config/index.ts';
import { knexConfiguration, openDatabase } from './src/store/database/connection.ts';

export default async function configuration(): Promise<Knex.Config> {
  // As in `src/launch.js`.
  process.umask(0o077);
  const settings = await loadSettings(process.env);
  if (!settings.demo && process.argv.includes('seed:run')) {
    throw new ConfigurationError([
      {
        file: 'environment',
        path: 'NODE_ENV',
        problem: 'The seeds are fictional people, and the demo is off.',
        remedy: 'Run seed:run in development only; real accounts come with `npm run -s hygie -- accounts`.',
      },
    ]);
  }
  // Creates the folder of an SQLite file, as the service does.
  await openDatabase(settings.database).destroy();
  return {
    ...knexConfiguration(settings.database),
    seeds: { directory: join(import.meta.dirname, 'seeds'), extension: 'ts', loadExtensions: ['.ts'] },
  };
}
