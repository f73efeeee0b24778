// The supply chain: exact versions, what the lock file holds, licences, install scripts by name, the bill of materials.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from '@jest/globals';
import { newFolder } from '#support/new-folder.ts';
import { isAllowed } from '#tools/supply-chain/allowed-licences.ts';
import { judgeAdvisories, judgeSignatures } from '#tools/supply-chain/audit-answers.ts';
import { lockedPackages, ROOT } from '#tools/supply-chain/locked-packages.ts';

type Versions = Record<string, string>;

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  dependencies: Versions;
  devDependencies: Versions;
  allowScripts: Record<string, boolean>;
};
const packages = lockedPackages();
const production = packages.filter(({ dev }) => !dev);
const named = (list: readonly { name: string; version: string }[]) =>
  [...new Set(list.map(({ name, version }) => `${name}@${version}`))].sort();

/** A folder with the tools and what they import, and nothing of the packages. */
function folderWithTools(): string {
  const root = newFolder();
  for (const part of [
    'tools/supply-chain',
    'src/cli/support/output-errors.ts',
    'test/support/script-help.ts',
    'package.json',
  ]) {
    cpSync(join(ROOT, part), join(root, part), { recursive: true });
  }
  return root;
}

describe('supply chain', () => {
  it('versions are exact, and npm install writes them so', () => {
    const wanted = Object.entries({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(wanted.filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
    expect(read('.npmrc')).toMatch(/^save-exact=true$/m);
    expect(read('.npmrc')).not.toMatch(/registry\s*=|\/\/|_auth/);
  });

  it('the lock file has a hash (SHA-512) of all that production installs', () => {
    expect(named(production.filter(({ integrity }) => !integrity?.startsWith('sha512-')))).toEqual([]);
    // Bundled ones are content of the package that bundles them; binaries for other platforms are not in every registry.
    const unknown = packages.filter(({ integrity, inBundle, optional }) => !integrity && !inBundle && !optional);
    expect(named(unknown)).toEqual([]);
  });

  it('the Node of the container is the one that the tests run on', () => {
    expect(read('Dockerfile')).toContain(`FROM node:${manifest.devDependencies['node']}-`);
  });

  it('no package has a script at its installation that is not allowed or refused by name; none of production has one', () => {
    const scripted = packages.filter(({ hasInstallScript }) => hasInstallScript);
    expect(scripted.filter(({ dev }) => !dev)).toEqual([]);
    expect(scripted.length).toBeGreaterThan(0);
    expect(scripted.map(({ name }) => name).filter((name) => !(name in manifest.allowScripts))).toEqual([]);
    const installed = new Set(packages.map(({ name }) => name));
    expect(Object.keys(manifest.allowScripts).filter((name) => !installed.has(name))).toEqual([]);
  });

  it('allows or refuses each script exactly as the table of the handbook', () => {
    const table = read('docs/operating/supply-chain.md').matchAll(/^\| `([^`]+)` +\| (yes|no) +\| (\S.*?) *\|$/gm);
    const rows = [...table].map(([, name = '', allowed]) => ({ name, allowed: allowed === 'yes' }));
    const rowsOf = (name: string) =>
      rows.filter((row) => (row.name.endsWith('/*') ? name.startsWith(row.name.slice(0, -1)) : name === row.name));
    const entries = Object.entries(manifest.allowScripts);
    const said = entries.map(([name]) => [name, rowsOf(name).map(({ allowed }) => allowed)]);
    expect(said).toEqual(entries.map(([name, allowed]) => [name, [allowed]]));
    expect(rows.filter((row) => !entries.some(([name]) => rowsOf(name).includes(row)))).toEqual([]);
    const production = new Set(packages.flatMap(({ name, dev }) => (dev ? [] : [name])));
    expect(entries.filter(([name, allowed]) => allowed && production.has(name))).toEqual([]);
  });

  it('every licence is allowed, and a forbidden one is found', () => {
    const elsewhere = (one: (typeof packages)[number]) => one.dev && one.optional === true && one.licence === undefined;
    expect(named(packages.filter((one) => !isAllowed(one) && !elsewhere(one)))).toEqual([]);
    const of = (licence: string) => isAllowed({ name: 'one', licence, dev: false });
    expect([of('(MIT OR GPL-3.0-only)'), of('MIT AND (ISC OR GPL-3.0-only)')]).toEqual([true, true]);
    const refused = [
      'GPL-3.0-only',
      'MIT AND GPL-3.0-only',
      '(MIT',
      'MIT ISC',
      '',
      'UNLICENSED',
      'LGPL-3.0-or-later',
      'AGPL-3.0-only',
      'CC0-1.0',
      'MPL-2.0',
    ];
    expect(refused.filter((licence) => of(licence))).toEqual([]);
    expect(isAllowed({ name: 'one', dev: true })).toBe(false);
  });

  it('npm run sbom lists exactly what production installs, each with its version, licence and hash', () => {
    interface Component {
      name: string;
      version: string;
      hashes: readonly { alg: string; content: string }[];
      licenses: readonly unknown[];
    }
    const printed = execFileSync(process.execPath, [join(ROOT, 'tools/supply-chain/sbom.ts')], { encoding: 'utf8' });
    const { specVersion, metadata, components } = JSON.parse(printed) as {
      specVersion: string;
      metadata: { component: Pick<Component, 'name' | 'version'> };
      components: readonly Component[];
    };
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect([specVersion, metadata.component]).toEqual(['1.5', expect.objectContaining({ name: 'hygie', version })]);
    expect(named(components)).toEqual(named(production));
    expect(components.filter(({ hashes, licenses }) => hashes[0]?.alg !== 'SHA-512' || licenses.length === 0)).toEqual(
      [],
    );
    expect(printed).not.toContain(ROOT);
  });
});

it('npm run licences ends with 1 where one is not allowed, and names the package', () => {
  const root = folderWithTools();
  const run = (license: string) => {
    const lock = { packages: { '': {}, 'node_modules/one': { version: '1.0.0', license } } };
    writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock));
    const file = join(root, 'tools/supply-chain/licences.ts');
    const { status, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
    return [status, stderr];
  };
  expect(run('MIT')).toEqual([0, '1 packages, 0 with a licence that is not allowed\n']);
  expect(run('GPL-3.0-only')).toEqual([1, expect.stringMatching(/1 with a licence .*\n {2}one: GPL-3\.0-only\n$/)]);
});

it.each(['sbom', 'licences', 'audit'])('npm run %s without a lock file says so, and the remedy', (command) => {
  const root = folderWithTools();
  const file = join(root, 'tools/supply-chain', `${command}.ts`);
  const { status, stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8' });
  expect([status, stdout]).toEqual([1, '']);
  expect(stderr).toMatch(/^\S+package-lock\.json is not there\. Remedy: .*\n$/);
});

it.each(['sbom', 'licences'])('npm run %s ends quietly when its reader has enough', async (command) => {
  const child = spawn(process.execPath, [join(ROOT, 'tools/supply-chain', `${command}.ts`)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stdout.destroy();
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  expect(code).toBe(0);
  // npm may warn of this machine's own settings.
  expect(stderr).not.toMatch(/EPIPE|^\s+at |cannot be written/m);
});

describe('npm run audit', () => {
  const advisory = { title: 'Bad', url: 'https://example.org/1', severity: 'high', range: '<9' };
  it('names each advisory once, and whether production has it', () => {
    const vulnerabilities = {
      express: { name: 'express', via: [advisory] },
      'express-openid-connect': { name: 'express-openid-connect', via: ['express'] },
      jest: { name: 'jest', via: [advisory] },
    };
    expect(judgeAdvisories(JSON.stringify({ vulnerabilities }), new Set(['express']))).toEqual({
      state: 'faults',
      lines: [
        'express <9 (production, high): Bad https://example.org/1',
        'jest <9 (development, high): Bad https://example.org/1',
      ],
    });
    expect(judgeAdvisories('{"vulnerabilities":{}}', new Set()).state).toBe('clean');
  });

  it('an invalid or missing signature is a fault; provenance is listed', () => {
    const one = { name: 'jose', version: '6.0.0' };
    const judged = (answer: object) => judgeSignatures(JSON.stringify(answer));
    expect(judged({ invalid: [{ ...one, code: 'EATTESTATIONVERIFY' }], missing: [] })).toMatchObject({
      state: 'faults',
    });
    expect(judged({ invalid: [], missing: [one] })).toEqual({
      state: 'faults',
      lines: ['jose@6.0.0: has no signature'],
    });
    const clean = judged({ invalid: [], missing: [], verified: [one] });
    expect(clean).toEqual({ state: 'clean', lines: ['every signature holds; provenance of 1: jose@6.0.0'] });
  });

  it.each(['', 'not json', '{"message":"405 Method Not Allowed","error":{"summary":""}}'])(
    'skips the check if the registry gives no answer: %j',
    (answer) => {
      expect(judgeAdvisories(answer, new Set()).state).toBe('skipped');
      expect(judgeSignatures(answer).state).toBe('skipped');
    },
  );
});
