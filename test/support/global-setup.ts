// Starts what the whole test run shares: a real PostgreSQL, and a data folder that is filled once.

// Its environment is that of all processes of the run: their threads and commands find their modules compiled.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../../src/compile-cache.js';
import { ENVIRONMENT } from '#config/environment/environment.ts';
import { SHIPPED_CONFIG } from './config/shipped.ts';
import { makeMigrated } from './databases.ts';
import './jest/preload.ts';
import { startPostgres } from './postgres.ts';
import { makeTemplate } from './service-template.ts';
import { gatherTemporaryFiles } from './temporary-folder.ts';

/** For Jest's workers, which run every test file (`workerIdleMemoryLimit`) unless somebody asks for `--runInBand`. */
const WORKER_OPTIONS = [
  '--experimental-vm-modules',
  '--disable-warning=ExperimentalWarning',
  '--max-semi-space-size=32',
  `--import=${import.meta.resolve('./jest/preload.ts')}`,
  `--import=${import.meta.resolve('./jest/code-cache.ts')}`,
];

export default async function setup(): Promise<void> {
  gatherTemporaryFiles();
  leaveOperatorAlone();
  await Promise.all([startPostgres(), makeTemplate(), makeMigrated(join(tmpdir(), 'migrated', 'hygie.sqlite'))]);
  process.env['NODE_OPTIONS'] = [process.env['NODE_OPTIONS'], ...WORKER_OPTIONS].filter(Boolean).join(' ');
  // As the service itself (`src/launch.js`), for the processes of the tests. PostgreSQL may run under another account.
  process.umask(0o077);
}

/** What an operator has exported for the service, such as its database, is not for tests; nor are this checkout's data and edits. */
function leaveOperatorAlone(): void {
  for (const name of Object.keys(ENVIRONMENT)) delete process.env[name];
  Object.assign(process.env, {
    NODE_ENV: 'test',
    HYGIE_CONFIG: SHIPPED_CONFIG,
    HYGIE_DATA: join(tmpdir(), 'hygie-no-data'),
    // Commands that messages name are those of `npm run`, also where a debugger or a tool has started Jest.
    npm_package_json: join(import.meta.dirname, '../../package.json'),
  });
}
