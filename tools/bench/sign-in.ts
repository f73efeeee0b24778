// `npm run bench`: the OpenID side, identifier searches and public documents of the whole service beside a reference, side by side in
// one run, on SQLite and on PostgreSQL; and sign-ins with a password. Prints rates and ratios; judges nothing.
// `--seconds N --rounds N` change the length, `--engine sqlite` or `postgresql` measures one, `--only refresh` one row, `--only pauses`
// the longest pauses of the event loop.
//
// Neither side is spared anything: the service writes its log and its security headers, and runs with the memory of `npm start`; the
// reference answers the same claims. The load, PostgreSQL and V8's collecting threads share the cores with both, so the ratios
// hold for a machine on which nothing else runs.

import '#support/script-help.ts';
import { Agent } from 'node:http';
import { parseArgs } from 'node:util';
import { ENGINES, type Engine, newDatabase } from '#support/databases.ts';
import { freePort } from '#support/free-port.ts';
import { startPostgres, stopPostgres } from '#support/postgres.ts';
import { accessToken, signInToHygie } from '#tools/site/access.ts';
import { type Comparison, compare, measure, median, send } from '#tools/site/load.ts';
import { CALLBACK, type Running, start, startHygie } from '#tools/site/processes.ts';
import { hygieServer } from './hygie-server.ts';
import { prepareWork, type Server, type Work } from './oidc-work.ts';
import { printPasswordLogins } from './password-logins.ts';
import { printPauses } from './pauses/pauses.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    rounds: { type: 'string', default: '5' },
    engine: { type: 'string' },
    only: { type: 'string' },
  },
});
const SECONDS = Number(values.seconds);
const ROUNDS = Number(values.rounds);
const PARALLEL = 8;
const ROWS: readonly (keyof Work)[] = ['authorize + token', 'refresh', 'introspection', 'userinfo'];
/** What every relying party fetches. */
const DOCUMENTS = { discovery: '/.well-known/openid-configuration', jwks: '/.well-known/jwks.json' };
const wanted = (row: string) => values.only === undefined || row.includes(values.only);

for (const engine of ENGINES) if (values.engine === undefined || values.engine === engine) await bench(engine);

async function bench(engine: Engine): Promise<void> {
  const running: Running[] = [];
  if (engine === 'postgresql') await startPostgres();
  const database = engine === 'postgresql' ? await newDatabase(engine) : undefined;
  try {
    const url = database?.settings.engine === 'postgresql' ? { DATABASE_URL: database.settings.url } : {};
    const hygie = await startHygie(url);
    running.push(hygie);
    const bare = await startBareProvider();
    running.push(bare);
    for (const row of ROWS) {
      if (!wanted(row)) continue;
      // Anew for each row: the memory adapter forgets what it holds beyond a thousand things.
      const ours = await prepareWork(hygieServer(hygie), PARALLEL);
      const theirs = await prepareWork(bareServer(bare), PARALLEL);
      const result = await compare(
        ROUNDS,
        () => measure(SECONDS, PARALLEL, ours[row]),
        () => measure(SECONDS, PARALLEL, theirs[row]),
      );
      print(`${row}, on ${engine}`, 'bare oidc-provider, memory adapter', result);
    }
    if (wanted('password')) await printPasswordLogins(hygie, SECONDS * 2, PARALLEL);
    if (engine === 'sqlite' && wanted('search')) await search(hygie, running);
    if (engine === 'sqlite' && wanted('pauses')) await printPauses(SECONDS);
    for (const [row, path] of Object.entries(DOCUMENTS))
      if (engine === 'sqlite' && wanted(row))
        await besideBareRoute(row, hygie.address + path, running, { type: 'application/json' });
  } finally {
    await Promise.all(running.map((one) => one.stop()));
    await database?.remove();
    if (engine === 'postgresql') await stopPostgres();
  }
}

async function startBareProvider(): Promise<Running> {
  const port = await freePort();
  return start(['tools/bench/bare-provider.ts', String(port), CALLBACK], {
    ready: (text) => text.match(/^http:\S+$/m)?.[0],
  });
}

/** The reference's own development pages: any login is good. */
function bareServer({ address }: Running): Server {
  return {
    address,
    paths: { authorize: '/auth', token: '/token', introspect: '/token/introspection', userinfo: '/me' },
    secret: 'bench-secret-of-the-reference-process',
    scope: 'openid email profile',
    answer: (person, page) => {
      const action = page.html.match(/<form[^>]*action="([^"]+)"/)?.[1] ?? page.url;
      const prompt = page.html.match(/name="prompt" value="(\w+)"/)?.[1] ?? 'login';
      const body = new URLSearchParams({ prompt, login: 'bench', password: 'bench' });
      return person.visit(action, { method: 'POST', body });
    },
  };
}

async function search(hygie: Running, running: Running[]): Promise<void> {
  const token = await accessToken(hygie.address, await signInToHygie(hygie.address));
  const address = `${hygie.address}/directory/v2/Practitioner?identifier=819082680976`;
  const body = await besideBareRoute('authenticated identifier searches', address, running, {
    headers: { authorization: `Bearer ${token}` },
  });
  if (!body.includes('"total":1')) throw new Error(`the search found nothing: ${body}`);
}

/** Compares what is answered at an address with a bare Express route that sends the same bytes; returns them. */
async function besideBareRoute(
  what: string,
  address: string,
  running: Running[],
  { headers = {}, type }: { headers?: Record<string, string>; type?: string } = {},
): Promise<string> {
  const agent = new Agent();
  const { body } = await send(agent, address, { headers });
  agent.destroy();
  const route = await start(['tools/bench/bare-route.ts', ...(type === undefined ? [] : [type])], {
    input: body,
    ready: (text) => text.match(/http:\S+/)?.[0],
  });
  running.push(route);
  const result = await compare(
    ROUNDS,
    () => measure(SECONDS, PARALLEL, get(address, headers)),
    () => measure(SECONDS, PARALLEL, get(route.address, {})),
  );
  print(what, 'bare Express route, same bytes', result);
  return body;
}

function get(url: string, headers: Record<string, string>) {
  return async (agent: Agent) => {
    const { status } = await send(agent, url, { headers });
    if (status !== 200) throw new Error(`${url} answered ${status}`);
  };
}

function print(what: string, reference: string, { ours, reference: theirs, ratio }: Comparison): void {
  const row = (name: string, all: typeof ours) => {
    const of = (key: 'rate' | 'p50' | 'p99') => median(all.map((one) => one[key]));
    return `  ${name.padEnd(38)} ${of('rate').toFixed(0).padStart(7)}/s   p50 ${of('p50').toFixed(2)} ms   p99 ${of('p99').toFixed(2)} ms`;
  };
  process.stdout.write(
    `${what}, ${PARALLEL} connections, median of ${ROUNDS} rounds of ${SECONDS} s\n${row('Hygie', ours)}\n${row(reference, theirs)}\n  ratio ${ratio.toFixed(2)}\n\n`,
  );
}
