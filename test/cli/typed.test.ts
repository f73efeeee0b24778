// Remedies name commands as they can be typed where the process runs: a clone has no command `hygie`.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from '@jest/globals';
import { typed, typedName } from '../../src/shared/command-name.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '');
const folder = mkdtempSync(join(tmpdir(), 'hygie-typed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const installed = (...below: string[]) => {
  const bin = join(folder, ...below);
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'hygie'), '');
  chmodSync(join(bin, 'hygie'), 0o755);
  return bin;
};

describe('operations.md: how commands are typed here', () => {
  it('hygie where it is installed, npx hygie within the clone, else the file itself', () => {
    const ofNpm = installed('node_modules', '.bin');
    expect(typedName(['/usr/bin', installed('bin')].join(delimiter), root)).toBe('hygie');
    expect(typedName(ofNpm, root)).toBe('npx hygie');
    expect(typedName(ofNpm, join(root, 'config'))).toBe('npx hygie');
    expect(typedName(ofNpm, folder)).toBe(`node ${join(root, 'src', 'launch.js')}`);
  });

  it('touches command lines only', () => {
    const text =
      'Run `hygie keys encrypt`. See: hygie --help\nnpx hygie check; hygie is a name; npm run -s hygie -- check';
    expect(typed(text)).toBe(
      'Run `npx hygie keys encrypt`. See: npx hygie --help\nnpx hygie check; hygie is a name; npm run -s hygie -- check',
    );
  });
});
