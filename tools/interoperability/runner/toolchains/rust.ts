// Rust: one package; each driver is a binary of it. Its lock file would name the registry, and is left out: what the drivers use
// themselves is pinned in Cargo.toml.

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

export const rust: Toolchain = {
  title: 'Rust',
  missing: () => missingOf('cargo'),
  prepare: async () => {
    const folder = await copySources('rust');
    const fetched = await build('cargo', ['fetch'], folder);
    if (!fetched.ok) return NOT_FETCHED;
    const built = await build('cargo', ['build', '--offline', '--target-dir', cached('rust-target')], folder);
    if (!built.ok) throw faultOf('cargo build', built);
    return undefined;
  },
  version: (driver) => {
    const required = readFileSync(join(sources('rust'), 'Cargo.toml'), 'utf8');
    const version = new RegExp(`^${driver.package} = .*"=([\\d.]+)"`, 'm').exec(required)?.[1];
    if (!version) throw new Error(`Cargo.toml has no ${driver.package}`);
    return version;
  },
  command: ({ entry }) => ({ command: cached('rust-target', 'debug', entry), args: [] }),
  trust: async ({ certificate }) => ({ SSL_CERT_FILE: certificate }),
};
