// `npm run bench:metrics`: what metrics cost, in requests per second and in processor time.

import { Agent } from 'node:http';
import { freePort } from '#support/free-port.ts';
import { accessToken } from '#tools/site/access.ts';
import { compareSides, get, printCompared, send, type Unit } from '#tools/site/load.ts';
import { optionsOf } from '#tools/site/options.ts';
import type { Running } from '#tools/site/processes.ts';
import { startHygie } from '#tools/site/service.ts';
import { hygieServer, prepareWork } from './sign-in/oidc-work.ts';

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

const CHOICES = { seconds, rounds, parallel: PARALLEL };

const port = String(await freePort());
const without = await startHygie();
const withMetrics = await startHygie({ HYGIE_METRICS_PORT: port });
const reader = new Agent();
const reading = setInterval(() => void send(reader, `http://127.0.0.1:${port}/metrics`), 1000);
try {
  const [ours, theirs] = [await unitsOf(withMetrics), await unitsOf(without)];
  for (const row of Object.keys(ours).filter((name) => name.includes(only))) {
    const side = (name: string, { pid }: Running, unit: Unit) => ({ name, pid, unit });
    const [ofOurs, ofTheirs] = [ours[row] as Unit, theirs[row] as Unit];
    printCompared(
      await compareSides(row, CHOICES, side('with', withMetrics, ofOurs), side('without', without, ofTheirs)),
      CHOICES,
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
