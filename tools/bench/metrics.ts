// `npm run bench:metrics`: what metrics cost. The same service with them, read once a second, and without, side by side in one run; prints
// requests per second and processor time of each request. `--seconds N --rounds N` change the length, `--only search` one row.

import '#support/script-help.ts';
import { type Agent, Agent as HttpAgent } from 'node:http';
import { parseArgs } from 'node:util';
import { freePort } from '#support/free-port.ts';
import { accessToken, signInToHygie } from '#tools/site/access.ts';
import { type Measurement, measure, median, send } from '#tools/site/load.ts';
import { processorSeconds } from '#tools/site/proc.ts';
import { type Running, startHygie } from '#tools/site/processes.ts';
import { hygieServer } from './hygie-server.ts';
import { prepareWork } from './oidc-work.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '7' },
    only: { type: 'string' },
  },
});
const SECONDS = Number(values.seconds);
const ROUNDS = Number(values.rounds);
const PARALLEL = 8;

type Unit = (agent: Agent) => Promise<void>;
interface Measured extends Measurement {
  /** Milliseconds of the processor for each request, on all threads. */
  cost: number;
}

const port = String(await freePort());
const without = await startHygie();
const withMetrics = await startHygie({ HYGIE_METRICS_PORT: port });
const reader = new HttpAgent();
const reading = setInterval(() => void send(reader, `http://127.0.0.1:${port}/metrics`), 1000);
try {
  const [ours, theirs] = [await unitsOf(withMetrics), await unitsOf(without)];
  for (const row of Object.keys(ours)) {
    if (values.only !== undefined && !row.includes(values.only)) continue;
    const result = await inTurn(
      () => measured(withMetrics, ours[row] as Unit),
      () => measured(without, theirs[row] as Unit),
    );
    const of = (all: Measured[], key: 'rate' | 'cost') => median(all.map((one) => one[key]));
    const ratio = (key: 'rate' | 'cost') =>
      median(result.ours.map((one, index) => one[key] / (result.reference[index]?.[key] ?? Number.NaN)));
    const line = (name: string, all: Measured[]) =>
      `  ${name.padEnd(10)} ${of(all, 'rate').toFixed(0).padStart(6)}/s   ${of(all, 'cost').toFixed(3)} ms of the processor\n`;
    process.stdout.write(
      `${row}, ${PARALLEL} connections, median of ${ROUNDS} rounds of ${SECONDS} s\n${line('with', result.ours)}${line('without', result.reference)}` +
        `  ratio ${ratio('rate').toFixed(2)} of requests per second, ${ratio('cost').toFixed(2)} of processor time\n\n`,
    );
  }
} finally {
  clearInterval(reading);
  reader.destroy();
  await Promise.all([without.stop(), withMetrics.stop()]);
}

async function unitsOf(running: Running): Promise<Record<string, Unit>> {
  const token = await accessToken(running.address, await signInToHygie(running.address));
  const get =
    (path: string, headers = {}) =>
    async (agent: Agent) => {
      const { status } = await send(agent, running.address + path, { headers });
      if (status !== 200) throw new Error(`${path} answered ${status}`);
    };
  const work = await prepareWork(hygieServer(running), PARALLEL);
  return {
    'identifier searches': get('/directory/v2/Practitioner?identifier=819082680976', {
      authorization: `Bearer ${token}`,
    }),
    introspection: work.introspection,
    'authorize + token': work['authorize + token'],
    discovery: get('/.well-known/openid-configuration'),
  };
}

async function measured({ pid }: Running, unit: Unit): Promise<Measured> {
  const before = processorSeconds(pid);
  const result = await measure(SECONDS, PARALLEL, unit);
  return { ...result, cost: (1000 * (processorSeconds(pid) - before)) / (result.rate * SECONDS) };
}

/** A B B A ...: whoever comes first in a pair finds the machine in another state. The first pair is not counted. */
async function inTurn(ours: () => Promise<Measured>, reference: () => Promise<Measured>) {
  const all = { ours: [] as Measured[], reference: [] as Measured[] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const order = [['ours', ours] as const, ['reference', reference] as const];
    for (const [name, one] of round % 2 === 0 ? order : order.reverse()) {
      const result = await one();
      if (round > 0) all[name].push(result);
    }
  }
  return all;
}
