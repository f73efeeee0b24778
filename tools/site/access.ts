// Gets a bench a signed-in person and an access token, the way a browser and a client get them.

import { randomBytes } from 'node:crypto';
import { Agent } from 'node:http';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#seeds/demo-accounts.ts';
import { createPerson, type Person } from '#support/person.ts';
import { behindProxy, form, send } from './load.ts';
import { CALLBACK, SECRET } from './service.ts';

export const FULL_SCOPE = 'openid email profile PRACTITIONER_READ ORGANIZATION_READ';

/** The first person of the demonstration. */
export const CREDENTIALS = { login: DEMO_ACCOUNTS[0]?.email ?? '', password: DEMO_PASSWORD };

/** Address of an authorization request of the bench's client. */
export function authorization(address: string, path = '/authorize', scope = FULL_SCOPE): string {
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

/** A person with a new browser at a service that may stand behind a proxy. */
export function personAt(address: string): Person {
  return createPerson(address, (page, init) => {
    const { url, headers } = behindProxy(page);
    return fetch(url, { ...init, headers: { ...init.headers, ...headers }, redirect: 'manual' });
  });
}

/** Signs the first person in with a password, from the authorization request to the callback. */
export function signIn(address: string): Promise<URL> {
  return personAt(address).signIn(authorization(address), CREDENTIALS);
}

/** The token request for a code. */
export const redeem = (code: string, secret = SECRET) =>
  form({
    grant_type: 'authorization_code',
    client_id: 'bench',
    client_secret: secret,
    code,
    redirect_uri: CALLBACK,
  });

export interface Tokens {
  access_token: string;
  refresh_token?: string;
}

/** Redeems the code of a callback at a token endpoint. */
export async function tokensFor(callback: URL, endpoint: string, secret = SECRET): Promise<Tokens> {
  const agent = new Agent();
  const answer = await send(agent, endpoint, redeem(callback.searchParams.get('code') ?? '', secret));
  agent.destroy();
  return JSON.parse(answer.body) as Tokens;
}

/** Signs the first person in and returns an access token. */
export async function accessToken(address: string): Promise<string> {
  return (await tokensFor(await signIn(address), `${address}/oauth/token`)).access_token;
}
