// `npm run bench:capacity`: whether the model of docs/operating/capacity.md holds: the processor time of a mixed load is what the process
// takes at rest, and the sum of what each kind of request takes by itself.

import { Agent } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { newDatabase } from '#support/databases.ts';
import { startPostgres, stopPostgres } from '#support/postgres.ts';
import { accessToken, signIn } from '#tools/site/access.ts';
import { createCleanup } from '#tools/site/cleanup.ts';
import { get, measure, spreadOf, type Unit } from '#tools/site/load.ts';
import { optionsOf } from '#tools/site/options.ts';
import { heldBy, processorSeconds } from '#tools/site/proc.ts';
import { pathsOf } from './directory/http-forms.ts';
import { openSite } from './directory/site.ts';
import { hygieServer, prepareWork } from './sign-in/oidc-work.ts';

const { seconds, data, keep, engine, ...options } = optionsOf(
  `npm run bench:capacity [-- OPTIONS]
Measures what each kind of request costs by itself, predicts the processor time of a mixed load at a share of a country's peak, drives
that load at a steady rate, and prints both. A country: a million sign-ins and 20 million searches a day, ten times that at the peak.`,
  {
    seconds: [20, 'length of each load', 1],
    shares: [['2', '6'], 'per cent of the peak: one load for each --shares'],
    'sign-ins': [1_000_000, 'a day'],
    searches: [20_000_000, 'a day'],
    peak: [10, 'times the average', 1],
    engine: ['sqlite', 'sqlite or postgresql'],
    data: ['', 'folder of an edition; without it the small shipped one'],
    keep: ['', 'folder that keeps the imported data, or holds it already'],
  },
);
/** Requests that a sign-in brings: a fifth of the people type their password, the others have a session; an application then asks. */
const OF_A_SIGN_IN = { password: 0.2, 'authorize + token': 0.8, refresh: 1, introspection: 4, userinfo: 1 };
/** Half of the searches know an identifier, half type a name. */
const OF_A_SEARCH = { identifier: 0.5, name: 0.5 };
const DAY = 86_400;

type Kind = keyof typeof OF_A_SIGN_IN | keyof typeof OF_A_SEARCH;

const cleanup = createCleanup();
try {
  const tell = (text: string) => void process.stderr.write(`${text}\n`);
  const env: Record<string, string> = {};
  if (engine === 'postgresql') {
    await startPostgres();
    cleanup.later(stopPostgres);
    const database = await newDatabase('postgresql');
    cleanup.later(() => database.remove());
    if (database.settings.engine === 'postgresql') env['DATABASE_URL'] = database.settings.url;
  }
  const { serving, sources } = await openSite({ data, keep, env }, cleanup, tell);
  const { address, pid } = serving.running;
  const { introspection, refresh, userinfo, ...work } = await prepareWork(hygieServer(address), 64);
  const headers = { authorization: `Bearer ${await accessToken(address)}` };
  const units: Record<Kind, Unit> = {
    password: async () => void (await signIn(address)),
    'authorize + token': work['authorize + token'],
    refresh,
    introspection,
    userinfo,
    identifier: inTurn(pathsOf('identifier', sources).map((path) => get(address + path, headers))),
    name: inTurn(pathsOf('name', sources).map((path) => get(address + path, headers))),
  };
  const kinds = Object.keys(units) as Kind[];
  // Compiled and in memory by then, as after an hour of service.
  for (const kind of kinds) await measure(1, 8, { pid, unit: units[kind] });
  const rest = await busy(pid, () => setTimeout(3000));
  const costs = {} as Record<Kind, number>;
  for (const kind of kinds) costs[kind] = (await measure(4, 1, { pid, unit: units[kind] })).processor;
  process.stdout.write(
    `at rest ${rest.toFixed(1)} ms of the processor a second\n\n| Request | processor ms |\n|---|--:|\n${kinds
      .map((kind) => `| ${kind} | ${costs[kind].toFixed(2)} |\n`)
      .join(
        '',
      )}\n| Per cent of the peak | requests a second | predicted ms of the processor a second | measured | difference | p50 ms | p99 ms | memory MB |\n|--:|--:|--:|--:|--:|--:|--:|--:|\n`,
  );
  for (const share of options.shares.map(Number)) {
    const rates = ratesAt(share);
    const predicted = rest + kinds.reduce((sum, kind) => sum + rates[kind] * costs[kind], 0);
    const times: number[] = [];
    const measured = await busy(pid, () =>
      Promise.all(kinds.map((kind) => atRate(rates[kind], units[kind], kind === 'password' ? [] : times))),
    );
    const { p50, p99 } = spreadOf(times);
    const sum = kinds.reduce((all, kind) => all + rates[kind], 0);
    process.stdout.write(
      `| ${share} | ${sum.toFixed(0)} | ${predicted.toFixed(0)} | ${measured.toFixed(0)} | ${(100 * (measured / predicted - 1)).toFixed(0)} % | ${p50.toFixed(1)} | ${p99.toFixed(1)} | ${heldBy(pid).memory.toFixed(0)} |\n`,
    );
  }
} finally {
  await cleanup.all();
}

/** Requests of each kind per second, at a share (per cent) of the peak. */
function ratesAt(share: number): Record<Kind, number> {
  const perSecond = (aDay: number, of: Record<string, number>) =>
    Object.entries(of).map(([kind, each]) => [kind, (each * aDay * options.peak * share) / 100 / DAY]);
  return Object.fromEntries([
    ...perSecond(options['sign-ins'], OF_A_SIGN_IN),
    ...perSecond(options.searches, OF_A_SEARCH),
  ]) as Record<Kind, number>;
}

function inTurn(units: readonly Unit[]): Unit {
  let next = 0;
  return async (agent) => units[next++ % units.length]?.(agent);
}

/** Milliseconds of processor time a second while the work is done. */
async function busy(pid: number, work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  const used = processorSeconds(pid);
  await work();
  return (1_000_000 * (processorSeconds(pid) - used)) / (performance.now() - began);
}

/** Begins a unit at a steady rate, whatever the answers take; adds their times, from the moment at which each was due. */
async function atRate(rate: number, unit: Unit, times: number[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const began = performance.now();
  const running: Promise<void>[] = [];
  // A moment of their own for each rate, so that they do not all begin at once.
  for (let count = 0.5; count / rate < seconds; count += 1) {
    const due = began + (count * 1000) / rate;
    if (due > performance.now()) await setTimeout(due - performance.now());
    running.push(unit(agent).then(() => void times.push(performance.now() - due)));
  }
  await Promise.all(running);
  agent.destroy();
}
