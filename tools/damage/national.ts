// Editions of a country with the oddities of good ones: neither a refusal nor a warning of another kind may come of them. And what an
// import costs beside another state of this code.

import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeOddEdition } from '#support/damage/odd-editions.ts';
import { environmentWith, ROOT } from '#tools/site/processes.ts';
import { writeConfig } from '#tools/site/service.ts';

interface Loaded {
  report: {
    outcome: string;
    judgement: { verdict: string; reasons: string[] };
    warnings: { kind: string; count: number }[];
  };
  /** Seconds of user and system time, of all threads. */
  processor: number;
  seconds: number;
}

/** Loads the days of `folder` one after the other; resolves with false if one is not simply accepted. */
export async function national(folder: string): Promise<boolean> {
  const work = mkdtempSync(join(tmpdir(), 'hygie-national-'));
  try {
    const env = await writeConfig(work);
    let isPassed = true;
    for (const day of ['before', 'today']) {
      await writeOddEdition(join(folder, day), join(work, day));
      const { report, processor, seconds } = await load(ROOT, join(work, day), env);
      const { verdict, reasons } = report.judgement;
      const warnings = report.warnings.map(({ kind, count }) => `${kind} ${count}`).join(', ');
      console.log(`${day} | ${verdict} | processor ${processor.toFixed(1)} s, ${seconds.toFixed(1)} s | ${warnings}`);
      for (const reason of reasons) console.log(`  ${reason}`);
      isPassed &&= verdict === 'accepted';
    }
    return isPassed;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const ROUNDS = 3;
/** An import may take so much more processor time. */
const LIMIT = 1.03;

/** Imports the edition `folder` with another checkout and with this one in turns (A B B A), and compares their processor time. */
export async function cost(before: string, folder: string): Promise<boolean> {
  const times: Record<'before' | 'now', number[]> = { before: [], now: [] };
  for (let round = 0; round < ROUNDS; round++)
    for (const state of ['before', 'now', 'now', 'before'] as const) {
      const work = mkdtempSync(join(tmpdir(), 'hygie-cost-'));
      try {
        const { processor } = await load(state === 'now' ? ROOT : before, folder, await writeConfig(work));
        times[state].push(processor);
        console.log(`${state}: processor ${processor.toFixed(2)} s`);
      } finally {
        rmSync(work, { recursive: true, force: true });
      }
    }
  const [one, other] = [median(times.before), median(times.now)];
  console.log(
    `medians: before ${one.toFixed(2)} s, now ${other.toFixed(2)} s, ratio ${(other / one).toFixed(3)} (limit ${LIMIT})`,
  );
  return other / one <= LIMIT;
}

/** Writes the processor time of a process when it ends. */
const TOLD = `data:text/javascript,${encodeURIComponent(
  `import { threadId } from 'node:worker_threads';
   import { writeFileSync } from 'node:fs';
   if (threadId === 0 && process.env.HYGIE_PROCESSOR_FILE) process.on('exit', () =>
     writeFileSync(process.env.HYGIE_PROCESSOR_FILE, JSON.stringify(process.cpuUsage())));`,
)}`;

async function load(root: string, folder: string, env: Record<string, string>): Promise<Loaded> {
  const told = join(env['HYGIE_DATA'] ?? '', '..', 'processor.json');
  const args = ['--import', TOLD, 'src/launch.js'];
  const own = { ...env, HYGIE_PROCESSOR_FILE: told };
  await run(root, [...args, 'migrate'], own);
  const started = performance.now();
  // A refusal ends with 1 and says why.
  const report = await run(root, [...args, 'directory', 'import', folder, '--json'], own);
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = JSON.parse(readFileSync(told, 'utf8')) as NodeJS.CpuUsage;
  return { report: JSON.parse(report) as Loaded['report'], processor: (user + system) / 1e6, seconds };
}

function run(root: string, args: readonly string[], env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: environmentWith(env),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', () => resolve(text));
  });
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return ((sorted[(sorted.length - 1) >> 1] ?? 0) + (sorted[sorted.length >> 1] ?? 0)) / 2;
}
