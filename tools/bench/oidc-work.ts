// The units of work that the sign-in bench measures at an OpenID provider: authorize + token, refresh, introspection and
// userinfo; the same code for the service and for the reference.

import type { Agent } from 'node:http';
import { createPerson, type Person, type Visit } from '#support/person.ts';
import { authorization, cookieOf } from '#tools/site/access.ts';
import { type Call, send } from '#tools/site/load.ts';
import { CALLBACK } from '#tools/site/processes.ts';

/** What differs between the service and the reference. */
export interface Server {
  address: string;
  paths: { authorize: string; token: string; introspect: string; userinfo: string };
  secret: string;
  scope: string;
  /** Answers one page of a sign-in. */
  answer(person: Person, page: Visit): Promise<Visit>;
}

type Unit = (agent: Agent) => Promise<void>;

export interface Work {
  'authorize + token': Unit;
  refresh: Unit;
  introspection: Unit;
  userinfo: Unit;
}

interface Tokens {
  access_token: string;
  refresh_token: string;
}

/** Signs a person in and obtains what the units need: a session, an access token, a refresh token per connection. */
export async function prepareWork(server: Server, parallel: number): Promise<Work> {
  const person = createPerson(server.address);
  const at = (path: string) => server.address + path;
  const form = (fields: Record<string, string>): Call => ({
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ client_id: 'bench', client_secret: server.secret, ...fields }).toString(),
  });
  const exchange = (code: string) => form({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK });

  const obtain = async (): Promise<Tokens> => {
    const url = `${authorization(server.address, server.paths.authorize, `${server.scope} offline_access`)}&prompt=consent`;
    const callback = await through(server, person, url);
    const answer = await fetch(
      at(server.paths.token),
      exchange(callback.searchParams.get('code') ?? '') as RequestInit,
    );
    const tokens = (await answer.json()) as Tokens;
    if (!tokens.refresh_token) throw new Error(`no refresh token: ${JSON.stringify(tokens)}`);
    return tokens;
  };
  const first = await obtain();
  const refreshTokens = [first.refresh_token];
  while (refreshTokens.length < parallel) refreshTokens.push((await obtain()).refresh_token);
  const cookie = cookieOf(person.cookies);

  return {
    'authorize + token': async (agent) => {
      const url = authorization(server.address, server.paths.authorize, server.scope);
      const sent = await send(agent, url, { headers: { cookie } });
      const code = new URL(sent.headers.location ?? 'none:').searchParams.get('code');
      if (!code) throw new Error(`no code: ${sent.status} ${sent.headers.location} ${sent.body.slice(0, 300)}`);
      const answer = await send(agent, at(server.paths.token), exchange(code));
      if (answer.status !== 200 || !answer.body.includes('id_token')) throw new Error(`no tokens: ${answer.body}`);
    },
    refresh: async (agent) => {
      const refresh_token = refreshTokens.pop() ?? '';
      const answer = await send(agent, at(server.paths.token), form({ grant_type: 'refresh_token', refresh_token }));
      if (answer.status !== 200) throw new Error(`no refresh: ${answer.body}`);
      refreshTokens.push((JSON.parse(answer.body) as Tokens).refresh_token);
    },
    introspection: async (agent) => {
      const answer = await send(agent, at(server.paths.introspect), form({ token: first.access_token }));
      if (!answer.body.includes('"active":true')) throw new Error(`not active: ${answer.status} ${answer.body}`);
    },
    userinfo: async (agent) => {
      const headers = { authorization: `Bearer ${first.access_token}` };
      const answer = await send(agent, at(server.paths.userinfo), { headers });
      if (answer.status !== 200) throw new Error(`no user information: ${answer.status} ${answer.body}`);
    },
  };
}

async function through(server: Server, person: Person, url: string): Promise<URL> {
  let page = await person.visit(url);
  for (let pages = 0; pages < 4 && !page.left; pages += 1) page = await server.answer(person, page);
  if (!page.left) throw new Error(`the sign-in stopped at ${page.url} (${page.status}): ${page.html.slice(0, 500)}`);
  return page.left;
}
