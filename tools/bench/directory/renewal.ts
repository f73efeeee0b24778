// Measures a renewal: searches at a steady rate before and while the next edition is imported, how soon the service serves it,
// and what the import cost beside the first one.

import { Agent } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { loadSettings } from '#config/service/load-settings.ts';
import { openDatabase } from '#store/database/connection.ts';
import { readPointer } from '#store/snapshots/registry.ts';
import { createDraw } from '#support/draw.ts';
import type { Cleanup } from '#tools/site/cleanup.ts';
import { type Measurement, send } from '#tools/site/load.ts';
import { memoryOf } from '#tools/site/proc.ts';
import { atSteadyRate, type Target } from './drive.ts';
import { pathsOf } from './http-forms.ts';
import { type Load, loadEdition, loadRows } from './load-edition.ts';
import { queryClasses, type Sources } from './query-classes.ts';
import { serve, signedIn, startBareRoute } from './serving.ts';
import { megabytes, type Row } from './table.ts';

interface RenewalOptions {
  env: Record<string, string>;
  sources: Sources;
  next: string;
  /** The import of the edition before, when it is known. */
  first?: Load;
  seconds: number;
  /** Searches per second. */
  rate: number;
}

/** Milliseconds between two looks at what is current. */
const LOOK = 10;
/** Seconds after the import within which the service should have noticed. */
const PATIENCE = 30;
const CLASSES = [
  'name, two words',
  'address, two words',
  'name + address',
  'telecom',
  'structure: name, one or two words',
];

/** Imports the next edition beside the service at work. */
export async function measureRenewal(
  { env, sources, next, first, seconds, rate }: RenewalOptions,
  cleanup: Cleanup,
  tell: (text: string) => void,
): Promise<Row[]> {
  const serving = await serve(env, cleanup);
  const target = await signedIn(serving, mixedPaths(sources));
  const bare = await startBareRoute({ ...target, paths: pathsOf('identifier', sources, 20) }, cleanup);
  const both = (until: Promise<unknown>) =>
    Promise.all([atSteadyRate(target, rate, until), atSteadyRate(bare, rate / 4, until)]);
  tell('renewal: idle');
  await both(setTimeout(seconds * 500));
  const before = await both(setTimeout(seconds * 2000));

  tell('renewal: importing the next edition under load');
  const noticing = watchSwitch(target, env);
  const loading = loadEdition(next, env, cleanup).finally(() => noticing.giveUpIn(PATIENCE));
  const during = await both(loading);
  const load = await loading;
  const noticed = await noticing.noticed;
  const memory = memoryOf(serving.running.pid);
  await serving.stop();

  const changes = Object.entries(load.report.changes ?? {}).map(
    ([type, { added, changed, removed }]) => `${type} +${added} ~${changed} -${removed}`,
  );
  const against = first ? `; **${(load.seconds / first.seconds).toFixed(2)}** of the first import's seconds` : '';
  return [
    ...loadRows('renewal: import under load', load),
    { what: 'renewal: against the edition before', note: `${changes.join(', ')}${against}` },
    sideRow(`renewal: mixed searches at ${rate}/s, idle`, before[0]),
    sideRow(`renewal: mixed searches at ${rate}/s, during the import`, during[0], before[0]),
    sideRow(`renewal: bare route at ${rate / 4}/s, idle`, before[1]),
    sideRow(`renewal: bare route at ${rate / 4}/s, during the import`, during[1], before[1]),
    {
      what: 'renewal: switch noticed by the service',
      note:
        noticed === undefined ? `not within ${PATIENCE} s` : `**${Math.round(noticed)} ms** after the pointer moved`,
    },
    {
      what: 'renewal: memory of the service afterwards',
      note: `${megabytes(memory?.own ?? 0)} of its own (RssAnon), ${megabytes(memory?.files ?? 0)} mapped files (page cache)`,
    },
  ];
}

function sideRow(what: string, spread: Measurement, idle?: Measurement): Row {
  return { what, spread, ...(idle && { note: `p99 **${(spread.p99 / idle.p99).toFixed(2)}** times the idle one` }) };
}

/** Identifiers, pages by name, and what else people look for, in turn. */
function mixedPaths(sources: Sources): string[] {
  const identifiers = pathsOf('identifier', sources);
  const names = pathsOf('name', sources);
  const draw = createDraw(13);
  const classes = queryClasses(sources).filter(({ name }) => CLASSES.includes(name));
  return identifiers.flatMap((path, index) => {
    const { type, search } = draw.one(classes).query(draw);
    return [path, names[index] ?? path, `/directory/v2/${type}?${search}&_count=20`];
  });
}

/**
 * Watches the pointer in the database and the links of the service's answers, which name the snapshot they belong to.
 * `noticed` resolves with the milliseconds between the two changes.
 */
function watchSwitch({ address, headers }: Target, env: Record<string, string>) {
  let deadline = Number.POSITIVE_INFINITY;
  const ask = async (agent: Agent) => {
    const { body } = await send(agent, `${address}/directory/v2/Practitioner?_count=1`, { headers: { ...headers } });
    const { link } = JSON.parse(body) as { link: { relation: string; url: string }[] };
    return link.find(({ relation }) => relation === 'next')?.url;
  };
  const watch = async (): Promise<number | undefined> => {
    const settings = await loadSettings(env);
    const database = openDatabase(settings.database);
    const agent = new Agent({ keepAlive: true });
    try {
      const start = { pointer: (await readPointer(database)).current, link: await ask(agent) };
      let moved: number | undefined;
      while (performance.now() < deadline) {
        if (moved === undefined) {
          if ((await readPointer(database)).current !== start.pointer) moved = performance.now();
        } else if ((await ask(agent)) !== start.link) return performance.now() - moved;
        await setTimeout(LOOK);
      }
      return undefined;
    } finally {
      agent.destroy();
      await database.destroy();
    }
  };
  return {
    noticed: watch(),
    giveUpIn(seconds: number) {
      deadline = performance.now() + seconds * 1000;
    },
  };
}
