// `npm run bench:all`: what a deployment is planned with, in one table (docs/operating/capacity.md).

import { availableParallelism, cpus, loadavg } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { ENGINES } from '#support/databases.ts';
import { accessToken, signIn } from '#tools/site/access.ts';
import { createCleanup } from '#tools/site/cleanup.ts';
import type { Choices, Compared, Measurement } from '#tools/site/load.ts';
import { measure } from '#tools/site/load.ts';
import { optionsOf } from '#tools/site/options.ts';
import { type Resident, residentOf } from '#tools/site/proc.ts';
import { compareToBareRoute } from './directory/beside-bare-route.ts';
import { atFullSpeed } from './directory/drive.ts';
import { FORMS, pathsOf } from './directory/http-forms.ts';
import type { Sources } from './directory/query-classes.ts';
import { openSite } from './directory/site.ts';
import { compareDocuments, compareOpenid, PARALLEL, withServers } from './sign-in/compare.ts';

const { seconds, rounds, data, keep, engine, only, fsync, production } = optionsOf(
  `npm run bench:all [-- OPTIONS]
One table: each kind of request beside its reference in the same run, with rates, times, processor time and memory. Judges nothing. The
load and PostgreSQL share the machine with both sides, so leave it alone meanwhile.`,
  {
    seconds: [3, 'length of each measurement', 0.1],
    rounds: [5, 'rounds of each comparison', 1],
    engine: ['', 'sqlite or postgresql alone'],
    data: ['', 'folder of an edition for the searches; without it the small shipped one'],
    keep: ['', 'folder that keeps the imported data, or holds it already'],
    fsync: [false, 'PostgreSQL waits for the disk at each commit'],
    production: [false, 'the service runs as in production, behind a proxy that costs nothing'],
    only: ['', 'rows whose name contains this'],
  },
);
const choices: Choices = { seconds, rounds, parallel: PARALLEL };
const wanted = (row: string) => row.includes(only);
const lines: string[] = [];
/** Milliseconds without load before memory at rest is read. */
const REST = 30_000;

const load = () => (loadavg()[0] ?? 0).toFixed(1);
const tell = (text: string) => void process.stderr.write(`[load ${load()}] ${text}\n`);
const before = load();
const cleanup = createCleanup();
try {
  for (const one of ENGINES.filter((name) => engine === '' || engine === name))
    await withServers(one, { fsync, production }, async (servers) => {
      const rest = () => reportRest(one, servers.hygie.pid);
      await rest();
      await compareOpenid(servers, choices, wanted, report);
      if (wanted('sign-in with a password')) await passwords(one, servers.hygie);
      if (one === 'sqlite') await compareDocuments(servers, choices, wanted, report);
      await rest();
    });
  await searches();
} finally {
  await cleanup.all();
}
const machine = `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.version}`;
process.stdout.write(
  `${machine}; load average ${before} before, ${load()} after; ${PARALLEL} connections, medians of ${rounds} rounds of ${seconds} s.
Ratios are ours / reference.

| Request | Reference | per s | of reference | ratio | p50 ms | p99 ms | processor ms | of reference | ratio | RSS MB | PSS MB |
|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|
${lines.join('\n')}\n`,
);

/** Searches of the directory over HTTP, by the one client that a process has. */
async function searches(): Promise<void> {
  const kinds = [
    { what: 'search by identifier', paths: (sources: Sources) => pathsOf('identifier', sources) },
    { what: 'page of 20 by name', paths: (sources: Sources) => pathsOf('name', sources) },
  ];
  const forms = FORMS.filter(({ what }) => wanted(what));
  if (!kinds.some(({ what }) => wanted(what)) && forms.length === 0) return;
  const { serving, sources } = await openSite({ data, keep }, cleanup, tell);
  const token = await accessToken(serving.running.address);
  const { address, pid } = serving.running;
  const asked = { address, pid, headers: { authorization: `Bearer ${token}` }, paths: [] };
  const targets = [
    ...kinds.map(({ what, paths }) => ({ what, target: { ...asked, paths: paths(sources) } })),
    ...forms.map(({ what, target }) => ({ what, target: target(asked, sources) })),
  ];
  for (const { what, target } of targets.filter((one) => wanted(one.what))) {
    await atFullSpeed(target, seconds / 2, PARALLEL);
    report(await compareToBareRoute(what, target, choices, cleanup));
  }
  await reportRest('searches', pid);
}

/** Nearly all of its time is the hash, by intention, so that nothing stands beside it. */
async function passwords(one: string, { address, pid }: { address: string; pid: number }): Promise<void> {
  const unit = async () => void (await signIn(address));
  const ours = await measure(seconds * 2, PARALLEL, { pid, unit });
  lines.push(
    rowOf(`sign-in with a password, on ${one}`, 'none: the hash is the cost', ours, undefined, residentOf(pid)),
  );
}

/** Memory without load, once the process has given back what it does not need. */
async function reportRest(of: string, pid: number): Promise<void> {
  await setTimeout(REST);
  const { rss, pss } = residentOf(pid);
  lines.push(`| at rest, ${of} | | | | | | | | | | ${rss.toFixed(0)} | ${pss.toFixed(0)} |`);
}

function report(one: Compared): void {
  tell(`${one.what}: ${one.ratio.rate.toFixed(2)}`);
  lines.push(rowOf(one.what, one.names[1], one.ours, one, one.memory));
}

function rowOf(
  what: string,
  reference: string,
  ours: Measurement,
  beside: Pick<Compared, 'reference' | 'ratio'> | undefined,
  memory: Resident,
): string {
  const cells = [
    what,
    reference,
    ours.rate.toFixed(0),
    beside?.reference.rate.toFixed(0),
    beside?.ratio.rate.toFixed(2),
    ours.p50.toFixed(2),
    ours.p99.toFixed(2),
    ours.processor.toFixed(3),
    beside?.reference.processor.toFixed(3),
    beside?.ratio.processor.toFixed(2),
    memory.rss.toFixed(0),
    memory.pss.toFixed(0),
  ];
  return `| ${cells.map((cell) => cell ?? '').join(' | ')} |`;
}
