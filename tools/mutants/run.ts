// Draws single faults from lines of `src`, puts one at a time into a copy of this checkout, and tells which test file of the same folder
// notices it.
//   npm run mutants -- [--count 40] [--seed 1] [--in sign-in,server] [--only 3,17] [--workers 1] [--copy FOLDER] [--quick] [--show]
// Half of the faults are drawn from src/openid/sign-in, src/openid/account and src/server. The tests of the mirrored folder (or the nearest
// one above it) run, the most related files first, up to the first that fails; it counts if it passes without the fault. Of the files of
// `npm run test:system` only the three most related run. If all pass, the folders above follow within `server`, `sign-in` and so on, and
// what notices there is told apart. --only judges some faults of a draw, by number. --copy keeps the copy for further runs. --quick runs
// `npm test` alone. --show lists the faults and runs nothing. Exit code 1: the tests of a folder missed a fault.

import '#support/script-help.ts';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDraw, type Draw } from '#support/draw.ts';
import { type Mutation, mutationsOf } from './mutations.ts';
import { firstFailure } from './run-tests.ts';
import { inFewestRuns, mostRelatedFirst, testFilesIn, testFolders } from './test-files.ts';

const ROOT = join(import.meta.dirname, '../..');
const HALF_FROM = ['src/openid/sign-in', 'src/openid/account', 'src/server'];
/** Catalogues of texts and what only a browser runs. */
const LEFT_OUT = /^src\/(web\/(messages|scripts)|demo)\//;
/** Test files that run before all others of their folder; of those of `npm run test:system`, which take minutes, no others run. */
const RELATED = 3;
/** Times that a fault is tried again without a file that fails by itself. */
const MOST_DOUBTS = 4;

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
    in: { type: 'string' },
    only: { type: 'string' },
    workers: { type: 'string', default: '1' },
    copy: { type: 'string' },
    quick: { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
  },
});

interface Fault extends Mutation {
  number: number;
  file: string;
}

function sourceFiles(): string[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((name) => `src/${name}`)
    .filter((file) => file.endsWith('.ts') && !LEFT_OUT.test(file))
    .sort();
}

/** Draws a line of code first, so that a long file has as many faults as it has lines, then one of its mutations. */
function drawFaults(files: readonly string[], count: number, draw: Draw): Omit<Fault, 'number'>[] {
  const lines = files.flatMap((file) => {
    const byLine = Map.groupBy(mutationsOf(file, readFileSync(join(ROOT, file), 'utf8')), ({ line }) => line);
    return [...byLine.values()].map((mutations) => ({ file, mutations }));
  });
  return draw.some(lines, count).map(({ file, mutations }) => ({ file, ...draw.one(mutations) }));
}

/** The whole draw, numbered from 1 on. */
function drawAll(): Fault[] {
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
  return faults.map((fault, index) => ({ ...fault, number: index + 1 }));
}

function describe({ number, file, line, kind, start, end, text }: Fault): string {
  const replaced = readFileSync(join(ROOT, file), 'utf8').slice(start, end);
  return `${number}. ${file}:${line} ${kind}: ${replaced.replace(/\s+/g, ' ')} -> ${text.replace(/\s+/g, ' ')}`;
}

function prepareCopy(): string {
  const copy = values.copy ?? mkdtempSync(join(tmpdir(), 'hygie-mutants-'));
  if (existsSync(join(copy, 'package.json'))) {
    execFileSync('git', ['fetch', '-q', ROOT, 'HEAD'], { cwd: copy });
    execFileSync('git', ['reset', '-q', '--hard', 'FETCH_HEAD'], { cwd: copy });
    return copy;
  }
  execFileSync('git', ['clone', '-q', ROOT, copy]);
  const link = (option: string) => spawnSync('cp', [option, join(ROOT, 'node_modules'), `${copy}/`]).status === 0;
  // Hard links where the temporary folder is on the same disk.
  if (!link('-al')) link('-a');
  return copy;
}

/** What noticed a fault: a test file, or the guards of a run of several, and whether it passes without the fault. */
interface Notice {
  by: string;
  real: boolean;
}

/** Test files that passed without a fault. */
const sound = new Set<string>();

/**
 * Runs tests on the fault, the most related first and `npm test` before `npm run test:system`, up to the first failure. Those after the most
 * related run in lists where `together` says so, which is quicker.
 */
async function noticing(
  copy: string,
  fault: Fault,
  tests: readonly string[],
  together: boolean,
): Promise<Notice | undefined> {
  const workers = Number(values.workers);
  const path = join(copy, fault.file);
  const source = readFileSync(path, 'utf8');
  const sorted = mostRelatedFirst(copy, fault.file, tests);
  const quick = sorted.filter((test) => !test.endsWith('.system.test.ts'));
  const system = sorted.filter((test) => test.endsWith('.system.test.ts'));
  const rest = quick.slice(RELATED);
  const groups = [
    quick.slice(0, RELATED),
    rest.length > 0 && together ? inFewestRuns(copy, quick) : rest,
    values.quick ? [] : system.slice(0, RELATED),
  ];
  for (const group of groups.filter(({ length }) => length > 0)) {
    writeFileSync(path, source.slice(0, fault.start) + fault.text + source.slice(fault.end));
    const failed = await firstFailure(copy, group, workers);
    writeFileSync(path, source);
    if (failed === undefined) continue;
    // What fails without the fault as well proves nothing.
    const real =
      sound.has(failed) || (await firstFailure(copy, group.includes(failed) ? [failed] : group, workers)) === undefined;
    if (real && group.includes(failed)) sound.add(failed);
    return { by: failed, real };
  }
  return undefined;
}

async function judge(copy: string, fault: Fault): Promise<{ folder?: string; by?: string; doubts: string[] }> {
  const seen = new Set<string>();
  const doubts: string[] = [];
  for (const folder of testFolders(copy, fault.file)) {
    let rest = testFilesIn(copy, folder).filter((test) => !seen.has(test));
    for (const test of rest) seen.add(test);
    for (let tries = 0; tries < MOST_DOUBTS && rest.length > 0; tries++) {
      const notice = await noticing(copy, fault, rest, tries === 0);
      if (!notice) break;
      if (notice.real) return { folder, by: notice.by, doubts };
      doubts.push(notice.by);
      rest = rest.filter((test) => test !== notice.by);
    }
  }
  return { doubts };
}

// The tests run in a group of processes of their own, which ends with this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const only = values.only?.split(',').map(Number);
// Described now, because somebody may work on this checkout while its copy is tested.
const faults = drawAll()
  .filter(({ number }) => !only || only.includes(number))
  .map((fault) => ({ ...fault, described: describe(fault) }));

if (values.show) for (const { described } of faults) console.log(described);
else {
  const copy = prepareCopy();
  let missed = 0;
  for (const fault of faults) {
    const { folder, by, doubts } = await judge(copy, fault);
    const mirrored = folder !== undefined && folder === testFolders(copy, fault.file)[0];
    if (!mirrored) missed += 1;
    const verdict = by === undefined ? 'MISSED' : `${mirrored ? 'noticed' : 'MISSED in its folder, noticed'} by ${by}`;
    console.log(`${verdict}: ${fault.described}`);
    for (const test of doubts) console.log(`  ${test} fails without the fault as well`);
  }
  if (values.copy === undefined) rmSync(copy, { recursive: true, force: true });
  console.log(`\n${faults.length - missed} passed, ${missed} failed`);
  process.exitCode = missed > 0 ? 1 : 0;
}
