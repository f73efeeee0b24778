// `npm run -s sbom`: prints what production installs, on any platform, as CycloneDX (JSON, 1.5), from the lock file and without network.
//
// `npm sbom --omit=dev` itself leaves out every package that one of development needs as well, express among them (npm 11). So npm
// is given the packages of production alone, in a folder of the service's name, which becomes that of the product.

import '#support/script-help.ts';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { handleOutputErrors } from '#cli/support/output-errors.ts';
import { lockedPackages, ROOT, readLock } from './locked-packages.ts';

handleOutputErrors();

const { devDependencies: _, ...manifest } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  name: string;
  devDependencies: unknown;
};
const lock = readLock();
const { devDependencies: __, ...root } = lock.packages[''] as { devDependencies?: unknown };
const packages = lockedPackages()
  .filter(({ dev }) => !dev)
  .map(({ path, licence }) => [path, { ...lock.packages[path], license: licence }] as const);

const temporary = mkdtempSync(join(tmpdir(), 'hygie-sbom-'));
try {
  const folder = join(temporary, manifest.name);
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
  const ofProduction = { ...lock, packages: { '': root, ...Object.fromEntries(packages) } };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(ofProduction));
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
  process.stdout.write(execFileSync('npm', args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 26 }));
} finally {
  rmSync(temporary, { recursive: true, force: true });
}
