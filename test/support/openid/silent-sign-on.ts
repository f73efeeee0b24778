// Silent sign-ons (`prompt=none`) of one browser, sent at the same time: a `Person` sends one request after the other.

import type { Person } from '#support/person.ts';
import type { Send } from '#support/send-to-port.ts';
import { ALL_SCOPES, CALLBACK, type RunningService, SECRET } from '#support/service.ts';
import { authorizationUrl } from './relying-party.ts';

/** As `Send`, to the first instance. */
export const sendToFirst: Send = (address, init) => fetch(address, { ...init, redirect: 'manual' });

/** The cookies of a browser as they are now, for an address below the issuer. */
export function cookiesOf(person: Person): { cookie: string } {
  const pairs = [...person.cookies].filter(([key]) => key.endsWith(' /'));
  return { cookie: pairs.map(([key, value]) => `${key.slice(0, key.indexOf(' '))}=${value}`).join('; ') };
}

/** What the browser is sent back to the client with: a code or an error; and the cookies that were set. */
export interface SilentAnswer {
  clientId: string;
  code?: string;
  error?: string;
  cookies: string[];
}

/** One silent sign-on with the cookies given; an answer that leads to no client throws. */
export async function signOnSilently(
  service: RunningService,
  clientId: string,
  { cookie }: { cookie: string },
  send: Send = sendToFirst,
): Promise<SilentAnswer> {
  const url = authorizationUrl(service, { client_id: clientId, prompt: 'none', scope: ALL_SCOPES });
  const answer = await send(url, { headers: { cookie } });
  const location = answer.headers.get('location');
  if (answer.status !== 303 || !location?.startsWith(CALLBACK)) {
    throw new Error(`${answer.status} ${location}: ${(await answer.text()).slice(0, 500)}`);
  }
  const { searchParams } = new URL(location);
  const [code, error] = [searchParams.get('code'), searchParams.get('error')];
  return {
    clientId,
    ...(code !== null && { code }),
    ...(error !== null && { error }),
    cookies: answer.headers.getSetCookie(),
  };
}

/** Tokens for a code; undefined where it is refused. */
export async function tokensFor(
  service: RunningService,
  { clientId, code }: Pick<SilentAnswer, 'clientId' | 'code'>,
  send: Send = sendToFirst,
): Promise<{ access_token: string; refresh_token?: string } | undefined> {
  if (code === undefined) return undefined;
  const fields = { client_id: clientId, client_secret: SECRET, redirect_uri: CALLBACK };
  const body = new URLSearchParams({ ...fields, grant_type: 'authorization_code', code });
  const answer = await send(`${service.issuer}/oauth/token`, { method: 'POST', body });
  if (answer.status === 200) return (await answer.json()) as { access_token: string };
  if (answer.status !== 400) throw new Error(`${answer.status}: ${await answer.text()}`);
  return undefined;
}

/** Whether the directory takes a token. */
export async function isAlive(service: RunningService, token: string, send: Send = sendToFirst): Promise<boolean> {
  const headers = { authorization: `Bearer ${token}` };
  const { status } = await send(`${service.issuer}/directory/v2/Practitioner?name=martin`, { headers });
  if (status !== 200 && status !== 401) throw new Error(`the directory answered ${status}`);
  return status === 200;
}
