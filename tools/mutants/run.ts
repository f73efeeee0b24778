// Draws single faults from lines of `src`, puts one at a time into a copy of this checkout, and tells whether the tests of the same
// folder notice it.
//   npm run mutants -- [--count 40] [--seed 1] [--in sign-in,server] [--show]
// Half of the faults are drawn from src/openid/sign-in, src/openid/account and src/server. A fault that the tests of the mirrored folder miss
// is tried with those of the folder above, up to the whole half. --show lists the faults and runs nothing. Exit code 1: a fault was missed.

import '#support/script-help.ts';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDraw, type Draw } from '#support/draw.ts';
import { type Mutation, mutationsOf } from './mutations.ts';

const ROOT = join(import.meta.dirname, '../..');
const HALF_FROM = ['src/openid/sign-in', 'src/openid/account', 'src/server'];
/** Catalogues of texts and what only a browser runs. */
const LEFT_OUT = /^src\/(web\/(messages|scripts)|demo)\//;
/** Of one run of tests, in milliseconds. A fault that makes tests hang is noticed by that. */
const PATIENCE = 300_000;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    in: { type: 'string' },
    show: { type: 'boolean', default: false },
  },
});

interface Fault extends Mutation {
  file: string;
}

function sourceFiles(): string[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${name}`)
    .filter((file) => file.endsWith('.ts') && !LEFT_OUT.test(file))
    .sort();
}

/** Draws a line of code first, so that a long file has as many faults as it has lines, then one of its mutations. */
function drawFaults(files: readonly string[], count: number, draw: Draw): Fault[] {
  const lines = files.flatMap((file) => {
    const byLine = Map.groupBy(mutationsOf(file, readFileSync(join(ROOT, file), 'utf8')), ({ line }) => line);
    return [...byLine.values()].map((mutations) => ({ file, mutations }));
  });
  return draw.some(lines, count).map(({ file, mutations }) => ({ file, ...draw.one(mutations) }));
}

/** The folders of tests that stand for a file: the mirrored one first, then those above it. */
function testFolders(file: string): string[] {
  const folders: string[] = [];
  for (
    let folder = dirname(file).replace(/^src/, 'test');
    folder !== 'test' && folder !== '.';
    folder = dirname(folder)
  )
    if (existsSync(join(ROOT, folder))) folders.push(folder);
  return folders;
}

function notices(copy: string, folder: string): boolean {
  const run = (script: string) =>
    spawnSync('npm', ['run', '-s', script, '--', `${folder}/`, '--bail', '--passWithNoTests'], {
      cwd: copy,
      timeout: PATIENCE,
      stdio: 'ignore',
    }).status !== 0;
  return run('test') || run('test:system');
}

const draw = createDraw(Number(values.seed));
const count = Number(values.count);
const files = sourceFiles();
const within = (folders: readonly string[]) =>
  files.filter((file) => folders.some((one) => file.startsWith(`${one}/`)));
const chosen = values.in
  ?.split(',')
  .map((name) => (existsSync(join(ROOT, 'src', name)) ? `src/${name}` : `src/openid/${name}`));
const faults = chosen
  ? drawFaults(within(chosen), count, draw)
  : [...drawFaults(within(HALF_FROM), Math.ceil(count / 2), draw), ...drawFaults(files, Math.floor(count / 2), draw)];
const describe = ({ file, line, kind, text }: Fault) => `${file}:${line} ${kind} (${text})`;

if (values.show) for (const fault of faults) console.log(describe(fault));
else {
  const copy = mkdtempSync(join(tmpdir(), 'hygie-mutants-'));
  execFileSync('git', ['clone', '-q', ROOT, copy]);
  const link = (option: string) => spawnSync('cp', [option, join(ROOT, 'node_modules'), `${copy}/`]).status === 0;
  // Hard links where the temporary folder is on the same disk.
  if (!link('-al')) link('-a');
  let missed = 0;
  for (const fault of faults) {
    const path = join(copy, fault.file);
    const source = readFileSync(path, 'utf8');
    writeFileSync(path, source.slice(0, fault.start) + fault.text + source.slice(fault.end));
    const folder = testFolders(fault.file).find((one) => notices(copy, one));
    writeFileSync(path, source);
    if (folder === undefined) missed += 1;
    console.log(`${folder ? `noticed by ${folder}` : 'MISSED'}: ${describe(fault)}`);
  }
  rmSync(copy, { recursive: true, force: true });
  console.log(`\n${faults.length - missed} passed, ${missed} failed`);
  process.exitCode = missed > 0 ? 1 : 0;
}
