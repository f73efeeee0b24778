// Searches of a snapshot that is out of memory, again and again, and what else asks the service meanwhile: `/health/live`, and
// people who sign in. The page cache loses the file four times a second (dd of GNU coreutils, `iflag=nocache`).

import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createDraw } from '#support/draw.ts';
import { signIn } from '#tools/site/access.ts';
import type { Cleanup } from '#tools/site/cleanup.ts';
import { type Measurement, type Spread, spreadOf } from '#tools/site/load.ts';
import { memoryOf } from '#tools/site/proc.ts';
import { connect } from './connection.ts';
import { atSteadyRate } from './drive.ts';
import { queryClasses, type Sources } from './query-classes.ts';
import { serve, signedIn } from './serving.ts';
import { megabytes, type Row } from './table.ts';

const DROP_EVERY = 250;
/** Searches at a time. */
const SEARCHING = 8;
/** Requests of `/health/live` per second. */
const LIVE = 100;
const QUERIES = 5000;

interface ColdOptions {
  env: Record<string, string>;
  sources: Sources;
  /** The snapshot. */
  file: string;
  seconds: number;
}

/** Measures `/health/live` and sign-ins, at rest and during cold searches. */
export async function measureCold(
  { env, sources, file, seconds }: ColdOptions,
  cleanup: Cleanup,
  tell: (text: string) => void,
): Promise<Row[]> {
  tell('cold: starting the service');
  await drop(file);
  const serving = await serve(env, cleanup);
  const ready = { what: 'cold: ready after start, file not in memory', note: `**${serving.readyAfter.toFixed(2)} s**` };
  const searching = await signedIn(serving, pathsOf(sources));
  const live = { ...searching, headers: {}, paths: ['/health/live'] };
  const both = async (until: () => Promise<unknown>): Promise<[Measurement, Spread]> => {
    const over = until();
    return Promise.all([atSteadyRate(live, LIVE, over), signIns(searching.address, over)]);
  };
  await both(() => setTimeout(1000));
  tell('cold: at rest');
  const atRest = await both(() => setTimeout(seconds * 1000));
  tell('cold: searches of a file that is out of memory');
  const times: number[] = [];
  const cold = await both(async () => {
    const end = performance.now() + seconds * 1000;
    const dropping = (async () => {
      for (; performance.now() < end; await setTimeout(DROP_EVERY)) await drop(file);
    })();
    let next = 0;
    const searches = Array.from({ length: SEARCHING }, async () => {
      const connection = await connect(searching.address, searching.headers);
      while (performance.now() < end) {
        const before = performance.now();
        await connection.ask(searching.paths[next++ % searching.paths.length] ?? '/');
        times.push(performance.now() - before);
      }
      connection.close();
    });
    await Promise.all([dropping, ...searches]);
  });
  const memory = memoryOf(serving.running.pid);
  await serving.stop();
  const rows = (when: string, [driven, signedInTimes]: [Measurement, Spread]): Row[] => [
    { what: `cold: /health/live ${when}`, spread: driven },
    { what: `cold: sign-in with a password ${when}`, spread: signedInTimes },
  ];
  return [
    ready,
    ...rows('at rest', atRest),
    ...rows('during cold searches', cold),
    { what: `cold: the searches, ${SEARCHING} at a time`, spread: spreadOf(times) },
    { what: 'cold: memory of the service', note: `**${megabytes(memory?.own ?? 0)}** of its own (RssAnon)` },
  ];
}

/** Signs one person in after the other. */
async function signIns(address: string, until: Promise<unknown>): Promise<Spread> {
  const times: number[] = [];
  let over = false;
  void until.then(() => {
    over = true;
  });
  while (!over) {
    const before = performance.now();
    await signIn(address);
    times.push(performance.now() - before);
  }
  return spreadOf(times);
}

function pathsOf(sources: Sources): string[] {
  const draw = createDraw(11);
  const classes = queryClasses(sources);
  return Array.from({ length: QUERIES }, () => {
    const { type, search } = draw.one(classes).query(draw);
    return `/directory/v2/${type}?${search}&_count=20`;
  });
}

/** Takes the file out of the page cache, except for pages that a process has mapped. */
async function drop(file: string): Promise<void> {
  await promisify(execFile)('dd', [`if=${file}`, 'iflag=nocache', 'count=0']);
}
