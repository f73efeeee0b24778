// The sign-in half beside a bare oidc-provider, and documents and an identifier search beside a bare Express route.

import { Agent } from 'node:http';
import { type Engine, newDatabase } from '#support/databases.ts';
import { freePort } from '#support/free-port.ts';
import { startPostgres, stopPostgres } from '#support/postgres.ts';
import { accessToken } from '#tools/site/access.ts';
import { type Choices, type Compared, compareSides, get, send } from '#tools/site/load.ts';
import { type Running, start } from '#tools/site/processes.ts';
import { CALLBACK, startHygie } from '#tools/site/service.ts';
import { bareServer, hygieServer, prepareWork, type Work } from './oidc-work.ts';

export const PARALLEL = 8;
const ROWS: readonly (keyof Work)[] = ['authorize + token', 'refresh', 'introspection', 'userinfo'];
/** Every relying party fetches these. */
const DOCUMENTS = { discovery: '/.well-known/openid-configuration', jwks: '/.well-known/jwks.json' };

export interface Servers {
  engine: Engine;
  hygie: Running;
  bare: Running;
  /** Ends with them. */
  further: Running[];
}

/** How the service of a bench runs. */
export interface Setting {
  /** PostgreSQL waits for the disk. */
  fsync: boolean;
  production: boolean;
}

/** Starts the service on an engine and the reference, and ends them when the work is done. */
export async function withServers(
  engine: Engine,
  { fsync, production }: Setting,
  work: (servers: Servers) => Promise<void>,
): Promise<void> {
  const running: Running[] = [];
  if (engine === 'postgresql') await startPostgres({ fsync });
  const database = engine === 'postgresql' ? await newDatabase(engine) : undefined;
  try {
    const url = database?.settings.engine === 'postgresql' ? { DATABASE_URL: database.settings.url } : {};
    const hygie = await startHygie(url, production);
    running.push(hygie);
    const bare = await start(['tools/bench/bare-provider.ts', String(await freePort()), CALLBACK], {
      ready: (text) => text.match(/^http:\S+$/m)?.[0],
    });
    running.push(bare);
    await work({ engine, hygie, bare, further: running });
  } finally {
    await Promise.all(running.map((one) => one.stop()));
    await database?.remove();
    if (engine === 'postgresql') await stopPostgres();
  }
}

/** Reports each row as soon as it is measured. */
export async function compareOpenid(
  { engine, hygie, bare }: Servers,
  choices: Choices,
  wanted: (row: string) => boolean,
  report: (one: Compared) => void,
): Promise<void> {
  for (const row of ROWS.filter(wanted)) {
    // Prepared anew for each row: the memory adapter forgets what it holds beyond a thousand things.
    const ours = await prepareWork(hygieServer(hygie.address), choices.parallel);
    const theirs = await prepareWork(bareServer(bare.address), choices.parallel);
    const sides = [
      { name: 'Hygie', pid: hygie.pid, unit: ours[row] },
      { name: 'bare oidc-provider, memory adapter', pid: bare.pid, unit: theirs[row] },
    ] as const;
    report(await compareSides(`${row}, on ${engine}`, choices, ...sides));
  }
}

/** A search by identifier with an access token. */
export async function compareIdentifierSearch(servers: Servers, choices: Choices): Promise<Compared> {
  const { address } = servers.hygie;
  const headers = { authorization: `Bearer ${await accessToken(address)}` };
  const search = `${address}/directory/v2/Practitioner?identifier=819082680976`;
  return besideBareRoute('authenticated identifier searches', search, servers, choices, {
    headers,
    expects: '"total":1',
  });
}

export async function compareDocuments(
  servers: Servers,
  choices: Choices,
  wanted: (row: string) => boolean,
  report: (one: Compared) => void,
): Promise<void> {
  for (const [row, path] of Object.entries(DOCUMENTS)) {
    const address = servers.hygie.address + path;
    if (wanted(row)) report(await besideBareRoute(row, address, servers, choices, { type: 'application/json' }));
  }
}

interface Asked {
  headers?: Record<string, string>;
  type?: string;
  /** Text that the answer has to hold. */
  expects?: string;
}

/** Compares an address with a bare Express route that sends the same bytes. */
async function besideBareRoute(
  what: string,
  address: string,
  { hygie, further }: Servers,
  choices: Choices,
  { headers = {}, type, expects = '' }: Asked,
): Promise<Compared> {
  const agent = new Agent();
  const { body } = await send(agent, address, { headers });
  agent.destroy();
  if (!body.includes(expects)) throw new Error(`${address} answered ${body}`);
  const route = await start(['tools/bench/bare-route.ts', ...(type === undefined ? [] : [type])], {
    input: body,
    ready: (text) => text.match(/http:\S+/)?.[0],
  });
  further.push(route);
  return compareSides(
    what,
    choices,
    { name: 'Hygie', pid: hygie.pid, unit: get(address, headers) },
    { name: 'bare Express route, same bytes', pid: route.pid, unit: get(route.address) },
  );
}
