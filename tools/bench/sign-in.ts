// `npm run bench`: the sign-in half, identifier searches and public documents beside a reference; sign-ins with a password; pauses.
//
// Neither side is spared anything: the service writes its log and its security headers, and runs with the memory of `npm start`; the
// reference answers the same claims. The load, PostgreSQL and V8's collecting threads share the cores with both, so the ratios
// hold for a machine on which nothing else runs.

import { Agent } from 'node:http';
import { PASSWORD_COST } from '#shared/crypto/secret-hash.ts';
import { ENGINES, type Engine, newDatabase } from '#support/databases.ts';
import { freePort } from '#support/free-port.ts';
import { startPostgres, stopPostgres } from '#support/postgres.ts';
import { accessToken, signIn } from '#tools/site/access.ts';
import { get, printComparison, send } from '#tools/site/load.ts';
import { optionsOf } from '#tools/site/options.ts';
import { processorSeconds } from '#tools/site/proc.ts';
import { type Running, start } from '#tools/site/processes.ts';
import { CALLBACK, startHygie } from '#tools/site/service.ts';
import { bareServer, hygieServer, prepareWork, type Work } from './oidc-work.ts';
import { printPauses } from './pauses/pauses.ts';

const { seconds, rounds, engine, only } = optionsOf(
  `npm run bench [-- OPTIONS]
Compares the service with a bare oidc-provider and a bare Express route, side by side in one run, on SQLite and on PostgreSQL. Prints
rates and ratios; judges nothing.`,
  {
    seconds: [4, 'length of each measurement'],
    rounds: [5, 'rounds of each comparison'],
    engine: ['', 'sqlite or postgresql alone'],
    only: ['', 'rows whose name contains this: refresh, search, password, discovery, pauses ...'],
  },
);
const PARALLEL = 8;
const CHOICES = { seconds, rounds, parallel: PARALLEL };
const ROWS: readonly (keyof Work)[] = ['authorize + token', 'refresh', 'introspection', 'userinfo'];
const wanted = (row: string) => row.includes(only);

for (const one of ENGINES) if (engine === '' || engine === one) await bench(one);

async function bench(on: Engine): Promise<void> {
  const running: Running[] = [];
  if (on === 'postgresql') await startPostgres();
  const database = on === 'postgresql' ? await newDatabase(on) : undefined;
  try {
    const hygie = await startHygie(
      database?.settings.engine === 'postgresql' ? { DATABASE_URL: database.settings.url } : {},
    );
    running.push(hygie);
    const bare = await start(['tools/bench/bare-provider.ts', String(await freePort()), CALLBACK], {
      ready: (text) => text.match(/^http:\S+$/m)?.[0],
    });
    running.push(bare);
    for (const row of ROWS.filter(wanted)) {
      // Prepared anew for each row: the memory adapter forgets what it holds beyond a thousand things.
      const ours = await prepareWork(hygieServer(hygie.address), PARALLEL);
      const theirs = await prepareWork(bareServer(bare.address), PARALLEL);
      const reference = 'bare oidc-provider, memory adapter';
      await printComparison(`${row}, on ${on}`, CHOICES, ['Hygie', ours[row]], [reference, theirs[row]]);
    }
    if (wanted('password')) await printPasswordLogins(hygie);
    if (on === 'sqlite') await benchRoutes(hygie, running);
  } finally {
    await Promise.all(running.map((one) => one.stop()));
    await database?.remove();
    if (on === 'postgresql') await stopPostgres();
  }
}

async function benchRoutes({ address }: Running, running: Running[]): Promise<void> {
  if (wanted('search')) {
    const headers = { authorization: `Bearer ${await accessToken(address)}` };
    const search = `${address}/directory/v2/Practitioner?identifier=819082680976`;
    const body = await besideBareRoute('authenticated identifier searches', search, running, { headers });
    if (!body.includes('"total":1')) throw new Error(`the search found nothing: ${body}`);
  }
  if (wanted('pauses')) await printPauses(seconds);
  // Every relying party fetches these.
  const documents = { discovery: '/.well-known/openid-configuration', jwks: '/.well-known/jwks.json' };
  for (const [row, path] of Object.entries(documents))
    if (wanted(row)) await besideBareRoute(row, address + path, running, { type: 'application/json' });
}

/** Compares an address with a bare Express route that sends the same bytes; returns them. */
async function besideBareRoute(
  what: string,
  address: string,
  running: Running[],
  { headers = {}, type }: { headers?: Record<string, string>; type?: string },
): Promise<string> {
  const agent = new Agent();
  const { body } = await send(agent, address, { headers });
  agent.destroy();
  const route = await start(['tools/bench/bare-route.ts', ...(type === undefined ? [] : [type])], {
    input: body,
    ready: (text) => text.match(/http:\S+/)?.[0],
  });
  running.push(route);
  const reference = 'bare Express route, same bytes';
  await printComparison(what, CHOICES, ['Hygie', get(address, headers)], [reference, get(route.address)]);
  return body;
}

/** Sign-ins per second, and per second of one core: nearly all of that time is the hash, by intention. */
async function printPasswordLogins({ address, pid }: Running): Promise<void> {
  await signIn(address);
  const began = performance.now();
  const used = processorSeconds(pid);
  let count = 0;
  const person = async () => {
    for (; performance.now() < began + seconds * 2000; count += 1) await signIn(address);
  };
  await Promise.all(Array.from({ length: PARALLEL }, person));
  const rate = count / ((performance.now() - began) / 1000);
  const { log2N, r, p } = PASSWORD_COST;
  process.stdout.write(
    `password sign-ins at scrypt N=2^${log2N} r=${r} p=${p}, ${PARALLEL} people at a time\n` +
      `  ${rate.toFixed(1)}/s in all, ${(count / (processorSeconds(pid) - used)).toFixed(1)} per second of one core\n\n`,
  );
}
