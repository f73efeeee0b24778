// `npm run bench`: sign-ins with single sign-on, and identifier searches, of the whole service on SQLite beside a reference,
// side by side in one run. Prints rates and ratios; judges nothing. `--seconds N` and `--rounds N` change the length.

import { Agent } from 'node:http';
import { parseArgs } from 'node:util';
import { createPerson } from '../person.ts';
import { freePort } from '../postgres.ts';
import { accessToken, authorization, cookieOf, FULL_SCOPE, signInToHygie } from './access.ts';
import { type Comparison, compare, measure, median, send } from './load.ts';
import { CALLBACK, type Running, SECRET, start, startHygie } from './processes.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '4' }, rounds: { type: 'string', default: '5' } },
});
const SECONDS = Number(values.seconds);
const ROUNDS = Number(values.rounds);
const PARALLEL = 8;

const running: Running[] = [];
try {
  const hygie = await startHygie();
  running.push(hygie);
  const bare = await startBareProvider();
  running.push(bare);
  const cookie = await signInToHygie(hygie.address);
  const ours = signOn(hygie.address, '/authorize', '/oauth/token', cookie, SECRET, FULL_SCOPE);
  const theirs = signOn(
    bare.address,
    '/auth',
    '/token',
    await signInToBare(bare.address),
    'bench-secret-of-the-reference-process',
    'openid email profile',
  );
  print(
    'sign-ins with single sign-on (authorize + token)',
    'bare oidc-provider, memory adapter',
    await compare(
      ROUNDS,
      () => measure(SECONDS, PARALLEL, ours),
      () => measure(SECONDS, PARALLEL, theirs),
    ),
  );

  const token = await accessToken(hygie.address, cookie);
  const search = `${hygie.address}/directory/v2/Practitioner?identifier=819082680976`;
  const headers = { authorization: `Bearer ${token}` };
  const agent = new Agent();
  const { body } = await send(agent, search, { headers });
  agent.destroy();
  if (!body.includes('"total":1')) throw new Error(`the search found nothing: ${body}`);
  const route = await start(['test/bench/bare-route.ts'], {
    input: body,
    ready: (text) => text.match(/http:\S+/)?.[0],
  });
  running.push(route);
  print(
    'authenticated identifier searches',
    'bare Express route, same bytes',
    await compare(
      ROUNDS,
      () => measure(SECONDS, PARALLEL, get(search, headers)),
      () => measure(SECONDS, PARALLEL, get(route.address, {})),
    ),
  );
} finally {
  await Promise.all(running.map((one) => one.stop()));
}

async function startBareProvider(): Promise<Running> {
  const port = await freePort();
  return start(['test/bench/bare-provider.ts', String(port), CALLBACK], {
    ready: (text) => text.match(/^http:\S+$/m)?.[0],
  });
}

/** One sign-in of a person who has a session already: the authorization request, then the code for tokens. */
function signOn(address: string, authorize: string, token: string, cookie: string, secret: string, scope: string) {
  return async (agent: Agent) => {
    const sent = await send(agent, authorization(address, authorize, scope), { headers: { cookie } });
    const code = new URL(sent.headers.location ?? 'none:').searchParams.get('code');
    if (!code) throw new Error(`no code: ${sent.status} ${sent.headers.location} ${sent.body.slice(0, 300)}`);
    const answer = await send(agent, `${address}${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: 'bench',
        client_secret: secret,
        code,
        redirect_uri: CALLBACK,
      }).toString(),
    });
    if (answer.status !== 200 || !answer.body.includes('id_token')) throw new Error(`no tokens: ${answer.body}`);
  };
}

function get(url: string, headers: Record<string, string>) {
  return async (agent: Agent) => {
    const { status } = await send(agent, url, { headers });
    if (status !== 200) throw new Error(`${url} answered ${status}`);
  };
}

/** The reference's own development pages: any login is good. */
async function signInToBare(address: string): Promise<string> {
  const person = createPerson(address);
  let page = await person.visit(authorization(address, '/auth', 'openid email profile'));
  for (const prompt of ['login', 'consent']) {
    const action = page.html.match(/<form[^>]*action="([^"]+)"/)?.[1] ?? page.url;
    const body = new URLSearchParams({ prompt, login: 'bench', password: 'bench' });
    page = await person.visit(action, { method: 'POST', body });
  }
  if (!page.left) throw new Error(`the reference did not sign in: ${page.html.slice(0, 500)}`);
  return cookieOf(person.cookies);
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
