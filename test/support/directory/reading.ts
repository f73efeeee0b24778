// Reads what fhir-kit-client returns: ids of a Bundle, links, and errors.

import type { Client } from 'fhir-kit-client';
import type { Issue } from '#directory/errors.ts';
import { rounds } from '#support/rounds.ts';

export type Page = Awaited<ReturnType<Client['search']>>;

export interface Entry {
  fullUrl?: string;
  resource: { resourceType: string; id: string };
  search: { mode: string };
}

export function entriesOf(bundle: object): Entry[] {
  return (bundle as { entry?: Entry[] }).entry ?? [];
}

/** Ids of what was found or included, without the entry of notes. */
export function idsOf(bundle: object): string[] {
  return entriesOf(bundle)
    .filter(({ search }) => search.mode !== 'outcome')
    .map(({ resource }) => resource.id);
}

/** Links of a Bundle by relation. */
export function linksOf(bundle: object): Record<string, string> {
  const { link } = bundle as { link: { relation: string; url: string }[] };
  return Object.fromEntries(link.map(({ relation, url }) => [relation, url]));
}

/** A page and all others behind it, or before it, each read by the link of the one beside it. */
export async function pagesFrom(
  client: Client,
  page: Page,
  way: 'nextPage' | 'prevPage' = 'nextPage',
): Promise<Page[]> {
  const pages = [page];
  for (const _page of rounds()) {
    const further = await client[way]({ bundle: pages.at(-1) as never });
    if (!further) break;
    pages.push(further as Page);
  }
  return pages;
}

export interface Refusal {
  status: number;
  data: { resourceType: string; issue: Issue[] };
}

/** The answer that fhir-kit-client throws for anything but 2xx. */
export async function refusalOf(request: Promise<unknown>): Promise<Refusal> {
  try {
    await request;
  } catch (error) {
    const { response } = error as { response?: Refusal };
    if (response) return response;
    throw error;
  }
  throw new Error('was not refused');
}

export function issuesOf({ data }: Refusal): Issue[] {
  if (data.resourceType !== 'OperationOutcome') throw new Error(`no OperationOutcome: ${JSON.stringify(data)}`);
  return data.issue;
}
