// Runs one directory on SQLite for the tests that are named after the lines of fhir-stu3, and sends requests as any client
// does.

import { edition } from '#support/directory/edition.ts';
import { openIndex } from '#support/directory/open-index.ts';
import { startDirectory } from '#support/directory/service.ts';
import { openedForAll } from '#support/opened.ts';

export const BASE = 'https://connect.example/directory/v2';

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: answers are read as any client reads them
  body: any;
}

export interface Sent extends RequestInit {
  /** None when it is null. */
  token?: string | null;
}

/** Asks `address` + `path`; the body is parsed where it is JSON. */
export async function ask(address: string, path: string, { token = 'both', ...init }: Sent = {}): Promise<Reply> {
  const headers = new Headers(init.headers);
  if (token !== null) headers.set('authorization', `Bearer ${token}`);
  const answer = await fetch(address + path, { redirect: 'manual', ...init, headers });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, body: text.startsWith('{') ? JSON.parse(text) : {} };
}

/** To be called at the top of a test file. The public base is not the address that is asked. */
export function withDirectory() {
  const snapshot = openedForAll(() => openIndex(edition()));
  const directory = openedForAll(() => startDirectory(snapshot, { publicBase: BASE }));
  const get = (path: string, sent?: Sent) => ask(directory.address, path, sent);
  return {
    get,
    post: (path: string, form: string, headers: Record<string, string> = {}) =>
      get(path, {
        method: 'POST',
        body: form,
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      }),
    /** Ids that a search finds, or its status when that is not 200. */
    find: async (search: string): Promise<string[] | number> => {
      const { status, body } = await get(`/${search}`);
      return status === 200 ? idsOf(body) : status;
    },
  };
}

export function idsOf(bundle: { entry?: { resource: { id: string }; search: { mode: string } }[] }): string[] {
  return (bundle.entry ?? []).filter(({ search }) => search.mode === 'match').map(({ resource }) => resource.id);
}
