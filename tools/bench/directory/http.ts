// Measures the real service over HTTP: ready time, memory, searches beside a bare route, a steady load.

import { setTimeout } from 'node:timers/promises';
import type { Cleanup } from '#tools/site/cleanup.ts';
import { type Measurement, median } from '#tools/site/load.ts';
import { memoryOf } from '#tools/site/proc.ts';
import { compareToBareRoute, PARALLEL } from './beside-bare-route.ts';
import { atFullSpeed, atSteadyRate, type Target } from './drive.ts';
import { FORMS, misspelt, pathsOf } from './http-forms.ts';
import type { Sources } from './query-classes.ts';
import { serve, signedIn } from './serving.ts';
import { grouped, megabytes, type Row } from './table.ts';

const STARTS = 3;
/** Searches that find nothing per second. After its help for one of them a process rests for nine times as long. */
const HELPED = 5;

interface HttpOptions {
  env: Record<string, string>;
  sources: Sources;
  seconds: number;
  rounds: number;
  pageRate: number;
}

/** Measures over HTTP; ends every process that it starts. */
export async function measureHttp(
  { env, sources, seconds, rounds, pageRate }: HttpOptions,
  cleanup: Cleanup,
  tell: (text: string) => void,
): Promise<Row[]> {
  const rows: Row[] = [];
  tell('http: starting the service');
  // The first start makes keys and demo accounts; later ones are what an operator waits for.
  await (await serve(env, cleanup)).stop();
  const starts: number[] = [];
  for (let count = 1; count < STARTS; count++) {
    const once = await serve(env, cleanup);
    starts.push(once.readyAfter);
    await once.stop();
  }
  const serving = await serve(env, cleanup);
  starts.push(serving.readyAfter);
  rows.push({
    what: 'http: ready after start',
    note: `**${median(starts).toFixed(2)} s** (median of ${STARTS} starts)`,
  });

  const memory = (when: string) => {
    const now = memoryOf(serving.running.pid);
    const note = `**${megabytes(now?.own ?? 0)}** of its own (RssAnon), ${megabytes(now?.files ?? 0)} mapped files (page cache)`;
    rows.push({ what: `http: memory of the service ${when}`, note });
  };
  const identifiers = await signedIn(serving, pathsOf('identifier', sources));
  const pages = { ...identifiers, paths: pathsOf('name', sources) };
  for (const target of [identifiers, pages]) await atFullSpeed(target, seconds, PARALLEL);
  await setTimeout(500);
  memory('after the warm-up');

  for (const [what, target] of [
    ['identifier', identifiers],
    ['page of 20 by name prefix', pages],
  ] as const) {
    tell(`http: ${what} beside the bare route`);
    rows.push(...(await besideBareRoute(what, target, { seconds, rounds }, cleanup)));
  }
  for (const { what, target } of FORMS) {
    tell(`http: ${what} beside the bare route`);
    const asked = target(identifiers, sources);
    await atFullSpeed(asked, seconds / 2, PARALLEL);
    rows.push(...(await besideBareRoute(what, asked, { seconds, rounds }, cleanup)));
  }
  tell('http: searches that find nothing, at a rate that leaves time for help');
  const helped = await atSteadyRate({ ...identifiers, paths: misspelt(sources) }, HELPED, setTimeout(seconds * 5000));
  rows.push({
    what: `http: search that finds nothing at a steady ${HELPED}/s, with help`,
    spread: helped,
    note: `processor ${helped.processor.toFixed(1)} ms each`,
  });
  tell(`http: ${pageRate} pages per second`);
  const steady = await atSteadyRate(pages, pageRate, setTimeout(seconds * 1000));
  rows.push({
    what: `http: page of 20 by name prefix at a steady ${pageRate}/s`,
    spread: steady,
    note: `answered ${grouped(steady.rate)}/s; processor ${busy(steady)} of one core`,
  });
  memory('after all load');
  await serving.stop();
  return rows;
}

async function besideBareRoute(
  what: string,
  target: Target,
  { seconds, rounds }: { seconds: number; rounds: number },
  cleanup: Cleanup,
): Promise<Row[]> {
  const { ours, reference, ratio, names } = await compareToBareRoute(what, target, { seconds, rounds }, cleanup);
  const row = (name: string, one: Measurement, more: string): Row => {
    const note = `**${grouped(one.rate)}/s**, processor ${one.processor.toFixed(3)} ms each${more}`;
    return { what: `http: ${name}`, spread: one, note };
  };
  const sides = `; ratio of rates **${ratio.rate.toFixed(2)}** (median of ${rounds} rounds of ${seconds} s, ${PARALLEL} connections), of processor times ${ratio.processor.toFixed(2)}`;
  return [row(what, ours, sides), row(names[1], reference, '')];
}

function busy({ processor, rate }: Measurement): string {
  return `${Math.round((processor * rate) / 10)} %`;
}
