// A client of the directory (specification 4.5). It sends the person's access token with fhir-kit-client.

import { Client } from 'fhir-kit-client';

export type DirectoryType = 'Practitioner' | 'Organization';

export type SearchParameters = Record<string, string | string[]>;

/** A request that was sent to the directory. Pages show it, so that people can copy it. */
export interface Request {
  url: string;
  milliseconds: number;
}

/** One page of search results. */
export interface SearchPage {
  /** The resources that match the search, and those that the directory added to them (`_include`). */
  matches: fhir3.FhirResource[];
  included: fhir3.FhirResource[];
  /** The distance of each match from the searched place in metres, by the id of the match. */
  distances: Record<string, number>;
  total: number | undefined;
  /** Addresses of the next and the previous page, as the directory returned them. */
  next: string | undefined;
  previous: string | undefined;
  /** Notes of the directory for developers, for example about the search parameters. */
  notes: string[];
  request: Request;
}

/** A request that the directory refused, with the issues of the OperationOutcome that it returned. */
export interface DirectoryRefusal {
  /** HTTP status. It is 0 if there was no response. */
  status: number;
  issues: { severity: string; code: string; text: string }[];
  request: string | undefined;
}

export type Directory = ReturnType<typeof openDirectory>;

export function openDirectory(apiUrl: string, accessToken: string) {
  const client = new Client({ baseUrl: apiUrl, bearerToken: accessToken });

  /** Checks that an address is a search in this directory, because the person's token must not be sent to any other server. */
  const owns = (link: string, type: DirectoryType): boolean =>
    URL.parse(link)?.href.startsWith(`${apiUrl}/${type}?`) ?? false;

  return {
    owns,

    /** Searches for resources that match all criteria. If it throws, `refusalOf` explains the error. */
    search: (resourceType: string, searchParams: SearchParameters): Promise<SearchPage> =>
      timed(() => client.search({ resourceType, searchParams })),

    /** Returns the total of each search. All searches are sent in one batch. The total of a refused search is undefined. */
    async totals(searches: readonly string[]): Promise<(number | undefined)[]> {
      const entry = searches.map((url) => ({ request: { method: 'GET', url } }));
      const answers = (await client.batch({ body: { resourceType: 'Bundle', type: 'batch', entry } })) as object;
      return ((answers as fhir3.Bundle).entry ?? []).map(({ resource }) => (resource as fhir3.Bundle)?.total);
    },

    /**
     * Reads the page to which a link of an earlier page leads. Throws if the link leads to another server, because fhir-kit-client sends
     * the token to any address.
     */
    async follow(link: string, type: DirectoryType): Promise<SearchPage> {
      if (!owns(link, type)) throw new Error('This link leads out of the directory.');
      return timed(() => client.request(link));
    },

    /**
     * Reads the record `Practitioner/<id>` or `Organization/<id>`. Returns undefined if there is no such record, or if the person may not
     * see it.
     */
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

/** Returns the refusal behind an error of fhir-kit-client. Returns undefined if the error does not come from a request to the directory. */
export function refusalOf(error: unknown): DirectoryRefusal | undefined {
  if (!(error instanceof Error)) return undefined;
  const { response, config } = error as FhirClientError;
  if (response) return { status: response.status, issues: issuesOf(response.data), request: config?.url };
  // Node's `fetch` throws a `TypeError` with this message if the connection has failed. Nothing else distinguishes it from other errors.
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
