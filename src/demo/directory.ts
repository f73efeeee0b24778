// A client of the directory (specification 4.5): fhir-kit-client with the person's token.

import { Client } from 'fhir-kit-client';
import type { FhirResource } from './browser/resource-cards.js';

export type DirectoryType = 'Practitioner' | 'Organization';

/** One page of results. */
export interface SearchPage {
  resources: FhirResource[];
  total: number | undefined;
  /** Address of the next page, as the directory gave it. */
  next: string | undefined;
  /** The address that was requested, to be shown and copied. */
  request: string;
  milliseconds: number;
}

/** A refusal of the directory: the issues of its OperationOutcome. */
export interface DirectoryRefusal {
  /** HTTP status, 0 when nobody answered. */
  status: number;
  issues: { severity: string; code: string; text: string }[];
  request: string | undefined;
}

const PAGE_SIZE = '10';

export type Directory = ReturnType<typeof openDirectory>;

export function openDirectory(apiUrl: string, accessToken: string) {
  const client = new Client({ baseUrl: apiUrl, bearerToken: accessToken });

  /** Checks that an address is the directory's own: the person's token must not be sent to any other. */
  const owns = (link: string): boolean => URL.parse(link)?.href.startsWith(`${apiUrl}/`) ?? false;

  return {
    owns,

    /** Finds resources that meet every criterion. `refusalOf` explains what it throws. */
    search: (resourceType: DirectoryType, criteria: Record<string, string>): Promise<SearchPage> =>
      timed(() => client.search({ resourceType, searchParams: { ...criteria, _count: PAGE_SIZE } })),

    /** Follows a `next` link of an earlier page. The check is needed because fhir-kit-client sends the token wherever a link points. */
    async follow(link: string): Promise<SearchPage> {
      if (!owns(link)) throw new Error('This link leads out of the directory.');
      return timed(() => client.request(link));
    },

    /** Reads `Practitioner/<id>` or `Organization/<id>`; undefined when the directory does not show it. */
    async read(reference: string): Promise<FhirResource | undefined> {
      if (!/^(Practitioner|Organization)\/[A-Za-z0-9\-.]{1,64}$/.test(reference)) return undefined;
      return client.resolve({ reference }).catch((error: unknown) => {
        if ([403, 404, 410].includes(refusalOf(error)?.status ?? 0)) return undefined;
        throw error;
      });
    },
  };
}

async function timed(request: () => Promise<FhirResource>): Promise<SearchPage> {
  const begin = performance.now();
  const bundle = (await request()) as FhirResource & fhir3.Bundle;
  return {
    milliseconds: performance.now() - begin,
    resources: (bundle.entry ?? []).flatMap(({ resource, search }) =>
      search?.mode === 'outcome' ? [] : ((resource as unknown as FhirResource | undefined) ?? []),
    ),
    total: bundle.total,
    next: bundle.link?.find(({ relation }) => relation === 'next')?.url,
    request: Client.httpFor(bundle).request?.url ?? '',
  };
}

/** Reads an error of fhir-kit-client; undefined for an error that has nothing to do with the directory. */
export function refusalOf(error: unknown): DirectoryRefusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const { response, config } = error as FhirClientError;
  if (response) return { status: response.status, issues: issuesOf(response.data), request: config?.url };
  // Node's fetch reports a failed connection only in this way.
  if (error instanceof TypeError && error.message === 'fetch failed')
    return { status: 0, issues: [], request: undefined };
  return undefined;
}

interface FhirClientError extends Error {
  response?: { status: number; data?: Partial<fhir3.OperationOutcome> };
  config?: { url?: string };
}

function issuesOf(outcome: Partial<fhir3.OperationOutcome> = {}): DirectoryRefusal['issues'] {
  return (outcome.issue ?? []).map(({ severity, code, diagnostics, details }) => ({
    severity,
    code,
    text: diagnostics ?? details?.text ?? '',
  }));
}
