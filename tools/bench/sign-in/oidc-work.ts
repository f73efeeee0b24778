// The units of work that benches measure at an OpenID provider: authorize + token, refresh, introspection and userinfo; the same
// code for the service and for the reference.

import type { Person, Visit } from '#support/person.ts';
import {
  authorization,
  CREDENTIALS,
  cookieOf,
  FULL_SCOPE,
  personAt,
  redeem,
  type Tokens,
  tokensFor,
} from '#tools/site/access.ts';
import { form, send, type Unit } from '#tools/site/load.ts';
import { SECRET } from '#tools/site/service.ts';

/** What differs between the service and the reference. */
export interface Server {
  address: string;
  /** `introspect` may be a whole address elsewhere. */
  paths: { authorize: string; token: string; introspect: string; userinfo: string };
  secret: string;
  scope: string;
  /** Answers one page of a sign-in. */
  answer(person: Person, page: Visit): Promise<Visit>;
  /** For a provider without pages: does what its application at this address would do. Resolves with the address where the sign-in goes on. */
  passOn?(application: URL): Promise<string | undefined>;
}

export interface Work {
  'authorize + token': Unit;
  refresh: Unit;
  introspection: Unit;
  userinfo: Unit;
}

export const hygieServer = (address: string): Server => ({
  address,
  paths: { authorize: '/authorize', token: '/oauth/token', introspect: '/oauth/introspect', userinfo: '/userinfo' },
  secret: SECRET,
  scope: FULL_SCOPE,
  answer: (person, page) =>
    page.html.includes('id="sign-in"') ? person.press(page, 'sign-in', CREDENTIALS) : person.press(page, 'allow'),
});

/** The development pages of oidc-provider accept any login. */
export const bareServer = (address: string): Server => ({
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
});

/** Signs a person in and obtains what the units need: a session, and an access token and a refresh token for each connection. */
export async function prepareWork(server: Server, parallel: number): Promise<Work> {
  const { address, paths, secret, scope } = server;
  const person = personAt(address);
  const introspection = new URL(paths.introspect, address).href;
  const asBench = (fields: Record<string, string>) => form({ client_id: 'bench', client_secret: secret, ...fields });
  const obtain = async () => {
    const url = `${authorization(address, paths.authorize, `${scope} offline_access`)}&prompt=consent`;
    const tokens = await tokensFor(await throughPages(server, person, url), address + paths.token, secret);
    if (!tokens.refresh_token) throw new Error(`no refresh token: ${JSON.stringify(tokens)}`);
    return { ...tokens, refresh_token: tokens.refresh_token };
  };
  const obtained = [await obtain()];
  while (obtained.length < parallel) obtained.push(await obtain());
  const refreshTokens = obtained.map(({ refresh_token }) => refresh_token);
  // The tokens take turns, because a service that is asked for one token alone could answer simultaneous requests together.
  let turn = 0;
  const accessToken = () => {
    turn = (turn + 1) % parallel;
    return obtained[turn]?.access_token ?? '';
  };
  const cookie = cookieOf(person.cookies);
  return {
    'authorize + token': async (agent) => {
      const sent = await send(agent, authorization(address, paths.authorize, scope), { headers: { cookie } });
      const code = new URL(sent.headers.location ?? 'none:').searchParams.get('code');
      if (!code) throw new Error(`no code: ${sent.status} ${sent.headers.location} ${sent.body.slice(0, 300)}`);
      const answer = await send(agent, address + paths.token, redeem(code, secret));
      if (answer.status !== 200 || !answer.body.includes('id_token')) throw new Error(`no tokens: ${answer.body}`);
    },
    refresh: async (agent) => {
      const refresh_token = refreshTokens.pop() ?? '';
      const answer = await send(agent, address + paths.token, asBench({ grant_type: 'refresh_token', refresh_token }));
      if (answer.status !== 200) throw new Error(`no refresh: ${answer.body}`);
      refreshTokens.push((JSON.parse(answer.body) as Tokens).refresh_token ?? '');
    },
    introspection: async (agent) => {
      const answer = await send(agent, introspection, asBench({ token: accessToken() }));
      if (!answer.body.includes('"active":true')) throw new Error(`not active: ${answer.status} ${answer.body}`);
    },
    userinfo: async (agent) => {
      const headers = { authorization: `Bearer ${accessToken()}` };
      const answer = await send(agent, address + paths.userinfo, { headers });
      if (answer.status !== 200) throw new Error(`no user information: ${answer.status} ${answer.body}`);
    },
  };
}

async function throughPages(server: Server, person: Person, url: string): Promise<URL> {
  let page = await person.visit(url);
  for (let pages = 0; pages < 4; pages += 1) {
    const next = page.left && (await server.passOn?.(page.left));
    if (page.left && !next) break;
    page = next ? await person.visit(next) : await server.answer(person, page);
  }
  if (!page.left) throw new Error(`the sign-in stopped at ${page.url} (${page.status}): ${page.html.slice(0, 500)}`);
  return page.left;
}
