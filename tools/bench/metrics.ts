// `npm run bench:metrics`: what metrics cost, in requests per second and in processor time.

import { Agent } from 'node:http';
import { freePort } from '#support/free-port.ts';
import { accessToken } from '#tools/site/access.ts';
import { compare, get, type Measurement, measure, median, ratioOf, send, type Unit } from '#tools/site/load.ts';
import { optionsOf } from '#tools/site/options.ts';
import { processorSeconds } from '#tools/site/proc.ts';
import type { Running } from '#tools/site/processes.ts';
import { startHygie } from '#tools/site/service.ts';
import { hygieServer, prepareWork } from './oidc-work.ts';

const { seconds, rounds, only } = optionsOf(
  `npm run bench:metrics [-- OPTIONS]
Compares the service with metrics, which are read once a second, and the service without them. Judges nothing.`,
  {
    seconds: [3, 'length of each measurement'],
    rounds: [7, 'rounds of each comparison'],
    only: ['', 'rows whose name contains this'],
  },
);
const PARALLEL = 8;

interface Measured extends Measurement {
  /** Milliseconds of the processor for each request, on all threads. */
  cost: number;
}

const port = String(await freePort());
const without = await startHygie();
const withMetrics = await startHygie({ HYGIE_METRICS_PORT: port });
const reader = new Agent();
const reading = setInterval(() => void send(reader, `http://127.0.0.1:${port}/metrics`), 1000);
try {
  const [ours, theirs] = [await unitsOf(withMetrics), await unitsOf(without)];
  for (const row of Object.keys(ours).filter((name) => name.includes(only))) {
    const result = await compare(
      rounds,
      () => measured(withMetrics, ours[row] as Unit),
      () => measured(without, theirs[row] as Unit),
    );
    const of = (all: Measured[], key: 'rate' | 'cost') => median(all.map((one) => one[key]));
    const line = (name: string, all: Measured[]) =>
      `  ${name.padEnd(10)} ${of(all, 'rate').toFixed(0).padStart(6)}/s   ${of(all, 'cost').toFixed(3)} ms of the processor\n`;
    process.stdout.write(
      `${row}, ${PARALLEL} connections, median of ${rounds} rounds of ${seconds} s\n${line('with', result.ours)}${line('without', result.reference)}` +
        `  ratio ${result.ratio.toFixed(2)} of requests per second, ${ratioOf(result, ({ cost }) => cost).toFixed(2)} of processor time\n\n`,
    );
  }
} finally {
  clearInterval(reading);
  reader.destroy();
  await Promise.all([without.stop(), withMetrics.stop()]);
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

async function measured({ pid }: Running, unit: Unit): Promise<Measured> {
  const before = processorSeconds(pid);
  const result = await measure(seconds, PARALLEL, unit);
  return { ...result, cost: (1000 * (processorSeconds(pid) - before)) / (result.rate * seconds) };
}
