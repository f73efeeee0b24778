// Records the HTTP messages of a sign-in, and formats them for people: one parameter in each line, random values shortened, and secrets
// left out.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { CustomFetch } from 'openid-client';

/** One request and its response, formatted for a page. */
export interface Exchange {
  /** Path of the request, such as `/token`. By this path, the page finds the messages of a step. */
  path: string;
  text: string;
}

const traces = new AsyncLocalStorage<Exchange[]>();

/** A `fetch` that records each request and its response while `trace` runs. */
export const recordingFetch: CustomFetch = async (address, options) => {
  const response = await fetch(address, options as RequestInit);
  traces.getStore()?.push(await exchange(new URL(address), options, response.clone()));
  return response;
};

/**
 * Runs a task, and returns its result together with its HTTP messages. Tasks that run at the same time do not get each other's messages.
 */
export async function trace<Result>(task: () => Promise<Result>): Promise<{ result: Result; exchanges: Exchange[] }> {
  const exchanges: Exchange[] = [];
  return { result: await traces.run(exchanges, task), exchanges };
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

const SHORTENED =
  /^(code|state|nonce|code_challenge|code_verifier|access_token|id_token|refresh_token|id_token_hint|at_hash)$/;

/** Formats the value of a parameter for a page: masks the client secret, and shortens long random values. */
export function shown(name: string, value: string): string {
  if (name === 'client_secret') return '••••••••';
  return SHORTENED.test(name) && value.length > 10 ? `${value.slice(0, 8)}…` : value;
}

/** Formats the method and address of a request, with one line for each query parameter. */
export function requestText(method: string, url: URL): string {
  const parameters = [...url.searchParams].map(
    ([name, value], at) => `  ${at === 0 ? '?' : '&'}${name}=${shown(name, value)}`,
  );
  return [`${method} ${url.origin}${url.pathname}`, ...parameters].join('\n');
}

/** Formats claims or a token response as indented JSON. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (name, item) => (typeof item === 'string' ? shown(name, item) : item), 2);
}
