// Posts batches as a client does, and reads the entries of the responses.

import type { Client } from 'fhir-kit-client';
import type { Issue } from '#directory/errors.ts';

export interface BatchEntry {
  resource?: { resourceType: string; id?: string; total?: number };
  response: { status: string; etag?: string; lastModified?: string; outcome?: { issue: Issue[] } };
}

type EntryRequest = Record<string, unknown> | string;

/** A Bundle of type batch. A text is the url of a GET. */
export function batchOf(...requests: readonly EntryRequest[]) {
  const entry = requests.map((request) => ({
    request: typeof request === 'string' ? { method: 'GET', url: request } : request,
  }));
  return { resourceType: 'Bundle' as const, type: 'batch' as const, entry };
}

/** The entries of the response to a batch of fhir-kit-client. */
export async function batched(client: Client, ...requests: readonly EntryRequest[]): Promise<BatchEntry[]> {
  const { type, entry = [] } = (await client.batch({ body: batchOf(...requests) as never })) as unknown as {
    type: string;
    entry?: BatchEntry[];
  };
  if (type !== 'batch-response') throw new Error(`a Bundle of type ${type}`);
  return entry;
}

/** Status of each entry, with the code of its first issue if it was refused. */
export function statusesOf(entries: readonly BatchEntry[]): string[] {
  return entries.map(({ response: { status, outcome } }) =>
    [status.slice(0, 3), outcome?.issue[0]?.code].filter(Boolean).join(' '),
  );
}

/** The first message of a refused entry. */
export function messageOf(entry: BatchEntry | undefined): string {
  return entry?.response.outcome?.issue[0]?.diagnostics ?? '';
}
