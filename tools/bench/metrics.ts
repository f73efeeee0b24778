// `npm run bench:metrics`: what metrics cost, in requests per second and in processor time.

import { Agent } from 'node:http';
import { freePort } from '#support/free-port.ts';
import { accessToken } from '#tools/site/access.ts';
import { type Compared, compareSides, get, median, send, type Unit } from '#tools/site/load.ts';
import { optionsOf } from '#tools/site/options.ts';
import type { Running } from '#tools/site/processes.ts';
import { startHygie } from '#tools/site/service.ts';
import { hygieServer, prepareWork } from './sign-in/oidc-work.ts';

const { seconds, rounds, starts, every, only } = optionsOf(
  `npm run bench:metrics [-- OPTIONS]
Compares the service with metrics and the service without them. Judges nothing.`,
  {
    seconds: [2, 'length of each measurement'],
    rounds: [3, 'rounds of each comparison'],
    starts: [7, 'times that both services are started', 1],
    every: [15, 'seconds between two readings of the metrics, by default as in deploy/prometheus.yaml', 1],
    only: ['', 'rows whose name contains this'],
  },
);
const PARALLEL = 8;
const CHOICES = { seconds, rounds, parallel: PARALLEL };

const results = new Map<string, Compared[]>();
for (let start = 0; start < starts; start += 1) await compareStarted(start % 2 === 0);
for (const [row, all] of results) {
  const ratios = (of: 'rate' | 'processor') => {
    const each = all.map(({ ratio }) => ratio[of]);
    return `${median(each).toFixed(2)} (${Math.min(...each).toFixed(2)} to ${Math.max(...each).toFixed(2)})`;
  };
  const cost = all.map(({ ours }) => ours.processor);
  process.stdout.write(
    `${row}, ${PARALLEL} connections, medians of ${starts} starts\n` +
      `  with metrics ${median(cost).toFixed(3)} ms of processor time; ratio with / without: ${ratios('processor')} of processor time, ${ratios('rate')} of rates\n`,
  );
}

/** Starts both services, the one with metrics first if `withFirst`, and adds the comparison of each row to `results`. */
async function compareStarted(withFirst: boolean): Promise<void> {
  const port = String(await freePort());
  const earlier = withFirst ? undefined : await startHygie();
  const ours = await startHygie({ HYGIE_METRICS_PORT: port });
  const theirs = earlier ?? (await startHygie());
  const reader = new Agent();
  const reading = setInterval(() => void send(reader, `http://127.0.0.1:${port}/metrics`), every * 1000);
  try {
    const [ofOurs, ofTheirs] = [await unitsOf(ours), await unitsOf(theirs)];
    for (const row of Object.keys(ofOurs).filter((name) => name.includes(only))) {
      const side = (name: string, { pid }: Running, unit: Unit | undefined) => ({ name, pid, unit: unit as Unit });
      const compared = await compareSides(
        row,
        CHOICES,
        side('with', ours, ofOurs[row]),
        side('without', theirs, ofTheirs[row]),
      );
      results.set(row, [...(results.get(row) ?? []), compared]);
    }
  } finally {
    clearInterval(reading);
    reader.destroy();
    await Promise.all([ours.stop(), theirs.stop()]);
  }
}

async function unitsOf({ address }: Running): Promise<Record<string, Unit>> {
  const { introspection, 'authorize + token': authorize } = await prepareWork(hygieServer(address), PARALLEL);
  const headers = { authorization: `Bearer ${await accessToken(address)}` };
  return {
    'identifier searches': get(`${address}/directory/v2/Practitioner?identifier=819082680976`, headers),
    introspection,
    'authorize + token': authorize,
    discovery: get(`${address}/.well-known/openid-configuration`),
  };
}
