// Asks a running service over HTTP, as a client of FHIR does: searches, their pages by links, batches.

import { Agent } from 'node:http';
import { send } from '#tools/site/load.ts';
import type { Type } from './edition/entry.ts';
import type { Criteria } from './rules/evaluate.ts';

export interface Issue {
  code: string;
  diagnostics: string;
}

interface BundleEntry {
  resource: { resourceType: string; id: string; issue?: Issue[]; [element: string]: unknown };
  search: { mode: 'match' | 'include' | 'outcome'; extension?: { valueDistance: { value: number; unit: string } }[] };
}

export interface Bundle {
  resourceType: string;
  total?: number;
  link?: { relation: string; url: string }[];
  entry?: BundleEntry[];
  issue?: Issue[];
}

export interface Asked {
  status: number;
  bundle: Bundle;
}

export type Client = ReturnType<typeof createClient>;

/** @param base the address of the directory, to which links lead too */
export function createClient(base: string, token: string) {
  const agent = new Agent({ keepAlive: true });
  const headers = { authorization: `Bearer ${token}`, accept: 'application/fhir+json' };
  const read = async (url: string, body?: { type: string; text: string }): Promise<Asked> => {
    const call = body
      ? { method: 'POST' as const, headers: { ...headers, 'content-type': body.type }, body: body.text }
      : { headers };
    const { status, body: text } = await send(agent, url, call);
    return { status, bundle: JSON.parse(text) as Bundle };
  };
  return {
    get: (path: string) => read(`${base}/${path}`),
    /** Follows a link of a Bundle. */
    follow: (url: string) => read(url),
    search: (type: Type, query: Criteria) => read(`${base}/${type}?${encoded(query)}`),
    /** The same search by POST. */
    post: (type: Type, query: Criteria) =>
      read(`${base}/${type}/_search`, { type: 'application/x-www-form-urlencoded', text: encoded(query) }),
    batch: (urls: readonly string[]) => {
      const entry = urls.map((url) => ({ request: { method: 'GET', url } }));
      const text = JSON.stringify({ resourceType: 'Bundle', type: 'batch', entry });
      return read(base, { type: 'application/fhir+json', text });
    },
    close: () => agent.destroy(),
  };
}

export function encoded(query: Criteria): string {
  return query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
}

export const matchesOf = ({ entry = [] }: Bundle) => entry.filter(({ search }) => search.mode === 'match');
export const idsOf = (bundle: Bundle) => matchesOf(bundle).map(({ resource }) => resource.id);
export const linkOf = ({ link = [] }: Bundle, relation: string) => link.find((one) => one.relation === relation)?.url;
export const notesOf = ({ entry = [] }: Bundle): string[] =>
  entry.flatMap(({ search, resource }) =>
    search.mode === 'outcome' ? (resource.issue ?? []).map(({ diagnostics }) => diagnostics) : [],
  );
