// A client of the directory (specification 4.5). It uses fhir-kit-client with the person's token.

import { Client } from 'fhir-kit-client';

export type DirectoryType = 'Practitioner' | 'Organization';

export type SearchParameters = Record<string, string | string[]>;

/** A request to the directory, which pages show and people can copy. */
export interface Request {
  url: string;
  milliseconds: number;
}

/** One page of results. */
export interface SearchPage {
  /** The matches, and the resources that the search included. */
  matches: fhir3.FhirResource[];
  included: fhir3.FhirResource[];
  /** Metres from the searched place to each match, by its id. */
  distances: Record<string, number>;
  total: number | undefined;
  /** Addresses of the neighbouring pages, as the directory returned them. */
  next: string | undefined;
  previous: string | undefined;
  /** Notes from the directory for developers. */
  notes: string[];
  request: Request;
}

/** A refusal by the directory: the issues of its OperationOutcome. */
export interface DirectoryRefusal {
  /** HTTP status; 0 if there was no response. */
  status: number;
  issues: { severity: string; code: string; text: string }[];
  request: string | undefined;
}

export type Directory = ReturnType<typeof openDirectory>;

export function openDirectory(apiUrl: string, accessToken: string) {
  const client = new Client({ baseUrl: apiUrl, bearerToken: accessToken });

  /** Checks that an address is a search in this directory. The person's token must not be sent anywhere else. */
  const owns = (link: string, type: DirectoryType): boolean =>
    URL.parse(link)?.href.startsWith(`${apiUrl}/${type}?`) ?? false;

  return {
    owns,

    /** Finds resources that match all criteria. `refusalOf` explains its errors. */
    search: (resourceType: string, searchParams: SearchParameters): Promise<SearchPage> =>
      timed(() => client.search({ resourceType, searchParams })),

    /** Returns the totals of searches, by one batch. A refused search has none. */
    async totals(searches: readonly string[]): Promise<(number | undefined)[]> {
      const entry = searches.map((url) => ({ request: { method: 'GET', url } }));
      const answers = (await client.batch({ body: { resourceType: 'Bundle', type: 'batch', entry } })) as object;
      return ((answers as fhir3.Bundle).entry ?? []).map(({ resource }) => (resource as fhir3.Bundle)?.total);
    },

    /** Follows a link of an earlier page. The check is needed because fhir-kit-client sends the token to whatever address a link has. */
    async follow(link: string, type: DirectoryType): Promise<SearchPage> {
      if (!owns(link, type)) throw new Error('This link leads out of the directory.');
      return timed(() => client.request(link));
    },

    /** Reads `Practitioner/<id>` or `Organization/<id>`; undefined if the directory does not show it. */
    async read(reference: string): Promise<fhir3.FhirResource | undefined> {
      if (!/^(Practitioner|Organization)\/[A-Za-z0-9\-.]{1,64}$/.test(reference)) return undefined;
      return client.resolve({ reference }).catch((error: unknown) => {
        if ([403, 404, 410].includes(refusalOf(error)?.status ?? 0)) return undefined;
        throw error;
      }) as Promise<fhir3.FhirResource | undefined>;
    },
  };
}

async function timed(request: () => Promise<object>): Promise<SearchPage> {
  const begin = performance.now();
  const bundle = (await request()) as fhir3.Bundle<fhir3.FhirResource>;
  const entries = bundle.entry ?? [];
  const resources = (mode: string) =>
    entries.flatMap(({ resource, search }) => (resource && (search?.mode ?? 'match') === mode ? [resource] : []));
  const link = (name: string) => bundle.link?.find(({ relation }) => relation === name)?.url;
  return {
    matches: resources('match'),
    included: resources('include'),
    distances: Object.fromEntries(
      entries.flatMap(({ resource, search }) => {
        const { value, code } = search?.extension?.find(({ valueDistance }) => valueDistance)?.valueDistance ?? {};
        return resource?.id && value !== undefined ? [[resource.id, code === 'km' ? value * 1000 : value]] : [];
      }),
    ),
    total: bundle.total,
    next: link('next'),
    previous: link('previous'),
    notes: resources('outcome').flatMap((outcome) =>
      issuesOf(outcome as fhir3.OperationOutcome).map(({ text }) => text),
    ),
    request: {
      url: Client.httpFor(bundle as object as Parameters<typeof Client.httpFor>[0]).request?.url ?? '',
      milliseconds: performance.now() - begin,
    },
  };
}

/** Reads an error of fhir-kit-client; undefined for an error that does not come from the directory. */
export function refusalOf(error: unknown): DirectoryRefusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const { response, config } = error as FhirClientError;
  if (response) return { status: response.status, issues: issuesOf(response.data), request: config?.url };
  // Node's `fetch` reports a failed connection only by this message.
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
