// Takes an export as a client does: kick-off, manifest, files, and a copy of the directory that is kept up to date with it.

import { expect } from '@jest/globals';

export interface ManifestItem {
  type: string;
  url: string;
  count?: number;
}

export interface Manifest {
  transactionTime: string;
  request: string;
  requiresAccessToken: boolean;
  output: ManifestItem[];
  deleted?: ManifestItem[];
  error: ManifestItem[];
  extension: { next: string };
}

/** A resource as far as it is looked at here. */
export interface Exported {
  resourceType: string;
  id: string;
  meta: { versionId: string; lastUpdated: string };
  language?: string;
}

interface DeletionBundle {
  resourceType: string;
  type: string;
  entry: { request: { method: string; url: string } }[];
}

/** A request with a good token, or with another one. */
export function ask(url: string, { token = 'both', headers = {}, method = 'GET', signal }: AskOptions = {}) {
  return fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(signal && { signal }),
  });
}

interface AskOptions {
  token?: string;
  headers?: Record<string, string>;
  method?: string;
  signal?: AbortSignal;
}

export async function manifestOf(url: string, options?: AskOptions): Promise<Manifest> {
  const answer = await ask(url, options);
  expect([url, answer.status]).toEqual([url, 200]);
  return (await answer.json()) as Manifest;
}

/** The lines of a file; each ends with a line feed. */
export async function linesOf<Line = Exported>(url: string, options?: AskOptions): Promise<Line[]> {
  const answer = await ask(url, options);
  expect([url, answer.status, answer.headers.get('content-type')]).toEqual([url, 200, 'application/fhir+ndjson']);
  const text = await answer.text();
  expect(text.endsWith('\n')).toBe(true);
  return text
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

export interface Copy {
  /** `Type/id` -> the resource. */
  resources: Map<string, Exported>;
  /** Of the export that it is as fresh as; nothing before the first. */
  next?: string;
}

/**
 * Brings a copy up to date: by what changed since the last run, or by everything where that is not known. Resolves with what was
 * sent. A resource or deletion that comes twice fails the test.
 */
export async function bringUpToDate(copy: Copy, address: string): Promise<{ whole: boolean; sent: number }> {
  const first = copy.next === undefined ? undefined : await ask(copy.next);
  if (first && first.status !== 200) expect(first.status).toBe(410);
  const whole = first?.status !== 200;
  const manifest = whole ? await manifestOf(`${address}/$export`) : ((await first.json()) as Manifest);
  if (whole) copy.resources.clear();
  const seen = new Set<string>();
  const once = (reference: string) => {
    expect(seen).not.toContain(reference);
    seen.add(reference);
  };
  for (const { type, url, count } of manifest.output) {
    const lines = await linesOf(url);
    if (count !== undefined) expect(lines).toHaveLength(count);
    for (const resource of lines) {
      expect(resource.resourceType).toBe(type);
      const reference = `${type}/${resource.id}`;
      once(reference);
      copy.resources.set(reference, resource);
    }
  }
  for (const { type, url } of manifest.deleted ?? []) {
    expect(type).toBe('Bundle');
    for (const bundle of await linesOf<DeletionBundle>(url)) {
      expect([bundle.resourceType, bundle.type]).toEqual(['Bundle', 'transaction']);
      for (const { request } of bundle.entry) {
        expect(request.method).toBe('DELETE');
        once(request.url);
        copy.resources.delete(request.url);
      }
    }
  }
  copy.next = manifest.extension.next;
  return { whole, sent: seen.size };
}
