// Programs that systems have: each driver is a script for sh, and its `package` the program that it drives.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { missingOf, sources } from '#tools/interoperability/runner/cache.ts';
import type { Toolchain } from '#tools/interoperability/runner/driver.ts';

export const shell: Toolchain = {
  title: 'Command line',
  missing: () => missingOf('sh', 'sed'),
  prepare: async (driver) => missingOf(driver.package),
  version: (driver) => {
    if (missingOf(driver.package)) return '';
    const said = execFileSync(driver.package, ['--version'], { encoding: 'utf8' });
    return /\d+(?:\.\d+)+/.exec(said)?.[0] ?? '';
  },
  command: ({ entry }) => ({ command: 'sh', args: [join(sources('shell'), entry)] }),
  trust: async ({ certificate }) => ({ CURL_CA_BUNDLE: certificate }),
};
