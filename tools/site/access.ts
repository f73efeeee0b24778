// Gets the bench a signed-in person and an access token, the way a browser and a client get them.

import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#seeds/demo-accounts.ts';
import { createPerson } from '#support/person.ts';
import { send } from './load.ts';
import { CALLBACK, SECRET } from './processes.ts';

export const FULL_SCOPE = 'openid email profile PRACTITIONER_READ ORGANIZATION_READ';

/** Address of an authorization request of the bench's client. */
export function authorization(address: string, path: string, scope: string): string {
  const query = new URLSearchParams({
    client_id: 'bench',
    redirect_uri: CALLBACK,
    response_type: 'code',
    scope,
    state: randomBytes(24).toString('base64url'),
    nonce: randomBytes(24).toString('base64url'),
  });
  return `${address}${path}?${query}`;
}

/** What a browser sends to the root of the site. */
export function cookieOf(cookies: Map<string, string>): string {
  return [...cookies]
    .filter(([key]) => key.endsWith(' /'))
    .map(([key, value]) => `${key.slice(0, -2)}=${value}`)
    .join('; ');
}

/** Signs a demo person in; resolves with the session's cookies. */
export async function signInToHygie(address: string): Promise<string> {
  const person = createPerson(address);
  const credentials = { login: DEMO_ACCOUNTS[0]?.email ?? '', password: DEMO_PASSWORD };
  await person.signIn(authorization(address, '/authorize', FULL_SCOPE), credentials);
  return cookieOf(person.cookies);
}

/** An access token of the person who is signed in. */
export async function accessToken(address: string, cookie: string): Promise<string> {
  const agent = new Agent();
  const sent = await send(agent, authorization(address, '/authorize', FULL_SCOPE), { headers: { cookie } });
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: 'bench',
    client_secret: SECRET,
    code: new URL(sent.headers.location ?? '').searchParams.get('code') ?? '',
    redirect_uri: CALLBACK,
  }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await send(agent, `${address}/oauth/token`, { method: 'POST', headers, body });
  agent.destroy();
  return (JSON.parse(answer.body) as { access_token: string }).access_token;
}
