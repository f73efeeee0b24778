// Go: one module; each driver is a command of it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  build,
  cached,
  copySources,
  faultOf,
  missingOf,
  NOT_FETCHED,
  sources,
} from '#tools/interoperability/runner/cache.ts';
import type { Toolchain } from '#tools/interoperability/runner/driver.ts';

export const go: Toolchain = {
  title: 'Go',
  missing: () => missingOf('go'),
  prepare: async ({ entry }) => {
    const folder = await copySources('go');
    const fetched = await build('go', ['mod', 'download'], folder);
    if (!fetched.ok) return NOT_FETCHED;
    const built = await build('go', ['build', '-o', `${cached('go-bin')}/`, `./cmd/${entry}`], folder);
    if (!built.ok) throw faultOf('go build', built);
    return undefined;
  },
  version: (driver) => {
    const required = readFileSync(join(sources('go'), 'go.mod'), 'utf8');
    const version = new RegExp(`^\\s*(?:require )?${driver.package} v(\\S+)`, 'm').exec(required)?.[1];
    if (!version) throw new Error(`go.mod has no ${driver.package}`);
    return version;
  },
  command: ({ entry }) => ({ command: join(cached('go-bin'), entry), args: [] }),
  trust: async ({ certificate }) => ({ SSL_CERT_FILE: certificate }),
};
