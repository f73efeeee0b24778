// Owns how a message of the login sequence is shown: recorded as it was sent, one parameter a line, secrets taken out.
// Does not own the conversation itself (`relying-party.ts`).

import { AsyncLocalStorage } from 'node:async_hooks';
import type { CustomFetch } from 'openid-client';

/** One request and its answer, ready to be shown. */
export interface Exchange {
  /** Path of the address asked, to find the message by. */
  path: string;
  text: string;
}

const NEVER_SHOWN = new Set(['client_secret']);
const SHORTENED = new Set(
  'code state nonce code_challenge code_verifier access_token id_token refresh_token id_token_hint at_hash'.split(' '),
);

/** A parameter's value as a page may show it. */
export function shown(name: string, value: string): string {
  if (NEVER_SHOWN.has(name)) return '••••••••';
  return SHORTENED.has(name) && value.length > 10 ? `${value.slice(0, 8)}…` : value;
}

/** A request line with its query, one parameter a line. */
export function requestText(method: string, url: URL): string {
  const query = [...url.searchParams].map(
    ([name, value], index) => `  ${index ? '&' : '?'}${name}=${shown(name, value)}`,
  );
  return [`${method} ${url.origin}${url.pathname}`, ...query].join('\n');
}

/** An object of claims or of a token response as indented JSON. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (name, item) => (typeof item === 'string' ? shown(name, item) : item), 2);
}

const listeners = new AsyncLocalStorage<Exchange[]>();

/** A `fetch` that remembers what went over the wire while somebody listens. */
export const recordingFetch: CustomFetch = async (address, options) => {
  const response = await fetch(address, options as RequestInit);
  listeners.getStore()?.push(await exchange(new URL(address), options, response.clone()));
  return response;
};

/** Runs a task and returns, beside its result, the messages it exchanged; tasks running at once are kept apart. */
export async function listen<Result>(task: () => Promise<Result>): Promise<{ result: Result; exchanges: Exchange[] }> {
  const exchanges: Exchange[] = [];
  return { result: await listeners.run(exchanges, task), exchanges };
}

async function exchange(url: URL, options: Parameters<CustomFetch>[1], response: Response): Promise<Exchange> {
  const headers = new Headers(options.headers);
  const lines = [requestText(options.method, url)];
  if (headers.has('authorization')) lines.push(`Authorization: Bearer ${headers.get('authorization')?.slice(7, 15)}…`);
  if (options.body instanceof URLSearchParams) {
    lines.push(`Content-Type: ${headers.get('content-type')?.split(';')[0]}`, '');
    for (const [name, value] of options.body) lines.push(`  ${name}=${shown(name, value)}`);
  }
  const answer = await response.text();
  lines.push('', `HTTP ${response.status}`, isJson(response) ? jsonText(JSON.parse(answer)) : answer);
  return { path: url.pathname, text: lines.join('\n') };
}

function isJson(response: Response): boolean {
  return /\bjson\b/.test(response.headers.get('content-type') ?? '');
}
