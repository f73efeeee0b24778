// The pages for signed-in people: the page about their sign-in, the search, and the records. All requests to the directory use the person's
// access token.

import { type Request, Router } from 'express';
import { type Directory, type DirectoryType, refusalOf } from './directory.ts';
import { type SearchView, searchPage } from './pages/search-page.ts';
import { type Resolved, stepsPage } from './pages/steps-page.ts';
import { SEARCH_PATHS } from './paths.ts';
import { recordRoutes } from './records.ts';
import { userInfoClaim } from './relying-party.ts';
import { find, type PagePosition } from './search/find.ts';
import { structureOf } from './search/records.ts';
import { count, repairs } from './search/repairs.ts';
import { createLargeTowns, townsBeginning } from './search/towns.ts';
import { createDirectoryFacts, type Vocabularies } from './search/vocabulary.ts';
import { type Criterion, queryOf, readSearch, type Search } from './search/words.ts';
import { directoryOf, forPerson, type PersonHandler } from './signed-in.ts';
import { codeOfSteps } from './source-lines.ts';
import { pageHeaders, viewOf } from './view.ts';

/** Answers `GET /steps`, `GET /practitioners`, `GET /organizations` and `GET /towns`. */
export function searchRoutes({ issuer }: { issuer: string }): Router {
  const factsOf = createDirectoryFacts();
  const largeTowns = createLargeTowns();
  const code = codeOfSteps();

  const steps: PersonHandler = async (person, request, response) => {
    const { identities = [], currentWorkspaceId } = userInfoClaim(person.claims);
    const references = currentWorkspaceId ? [...identities, currentWorkspaceId] : identities;
    // If the directory does not respond, the page still shows the claims of the person, only without records.
    const resolved = await resolve(directoryOf(person), references).catch(() => ({}));
    response.send(stepsPage(viewOf(request, issuer), person, resolved, code));
  };

  const search =
    (type: DirectoryType): PersonHandler =>
    async (person, request, response) => {
      const { query } = request;
      const directory = directoryOf(person);
      const towns = largeTowns(directory);
      const { vocabularies } = await factsOf(userInfoClaim(person.claims).apiUrl);
      const asked = readSearch(type, query, vocabularies[type]);
      // The directory refuses a name with fewer than two letters or digits in a row.
      const isLong = ({ key, value }: Criterion) => key !== 'name' || /[\p{L}\d]{2}/u.test(value);
      const enough = asked.criteria.length > 0 && asked.criteria.every(isLong);
      const outcome: SearchOutcome = enough
        ? await answer(directory, asked, positionOf(directory, type, query), vocabularies)
        : { search: asked };
      const { lang: _lang, ...own } = query as Record<string, string>;
      if (outcome.found?.total) request.session.demoSearch = `${SEARCH_PATHS[type]}?${new URLSearchParams(own)}`;
      const tooShort = !enough && Object.keys(query).some((name) => name !== 'lang');
      const vocabulary = vocabularies[type];
      const shown = { ...outcome, vocabulary, towns: await towns, tooShort, returnTo: request.url.slice(1) };
      response
        .status(outcome.refusal ? outcome.refusal.status || 503 : 200)
        .send(searchPage(viewOf(request, issuer), shown));
    };

  const towns: PersonHandler = async (person, request, response) => {
    const { begin } = request.query;
    response.json(await townsBeginning(directoryOf(person), typeof begin === 'string' ? begin : ''));
  };

  const router = Router();
  router.get('/towns', forPerson(issuer, towns));
  // These pages may run scripts, because copy buttons and suggestions of smaller towns need them.
  router.use(
    ['/steps', ...Object.values(SEARCH_PATHS).map((path) => `/${path}`)],
    pageHeaders(issuer, { script: true }),
  );
  router.get('/steps', forPerson(issuer, steps));
  router.get(`/${SEARCH_PATHS.Practitioner}`, forPerson(issuer, search('Practitioner')));
  router.get(`/${SEARCH_PATHS.Organization}`, forPerson(issuer, search('Organization')));
  router.use(recordRoutes({ issuer, factsOf }));
  return router;
}

/** Reads from the query which page of results is requested: by the number of its first result, or by a link of the directory. */
function positionOf(directory: Directory, type: DirectoryType, query: Request['query']): PagePosition {
  const from = Math.trunc(Number(query['from']));
  const { next, all } = query;
  return {
    from: from >= 1 && from < 1e9 ? from : 1,
    link: typeof next === 'string' && directory.owns(next, type) ? next : undefined,
    all: all === '1',
  };
}

/** Reads the resources with the given references. If a resource is a structure, its parent is read too. */
async function resolve(directory: Directory, references: readonly string[]): Promise<Resolved> {
  const read = (wanted: readonly string[]) =>
    Promise.all([...new Set(wanted)].map(async (reference) => [reference, await directory.read(reference)] as const));
  const found = await read(references);
  const parents = found.flatMap(
    ([, resource]) => (resource as fhir3.Organization | undefined)?.partOf?.reference ?? [],
  );
  return Object.fromEntries([...(await read(parents)), ...found]);
}

type SearchOutcome = Pick<SearchView, 'search' | 'found' | 'others' | 'also' | 'repairs' | 'named' | 'refusal'>;

/** Runs the search. Returns the result with everything that the page shows, or the refusal of the directory. */
async function answer(
  directory: Directory,
  asked: Search,
  position: PagePosition,
  vocabularies: Vocabularies,
): Promise<SearchOutcome> {
  const other = asked.type === 'Practitioner' ? 'Organization' : 'Practitioner';
  try {
    const { search, also } = await meant(directory, asked, vocabularies);
    const elsewhere = readSearch(other, queryOf({ ...asked, further: [] }), vocabularies[other]);
    const [found, named, others] = await Promise.all([
      find(directory, search, position),
      namesOf(directory, search.further),
      elsewhere.criteria.length > 0 ? count(directory, elsewhere).catch(() => undefined) : undefined,
    ]);
    const close = found.total === 0 ? await repairs(directory, search, found.notes, vocabularies) : [];
    return { search, found, named, repairs: close, ...(also && { also }), ...(others !== undefined && { others }) };
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    return { search: asked, refusal };
  }
}

/** Returns the names of the structures that the further criteria refer to, by reference. */
async function namesOf(directory: Directory, further: readonly Criterion[]): Promise<Record<string, string>> {
  const references = further.filter(({ key }) => key === 'organization' || key === 'part-of').map(({ value }) => value);
  const resources = await Promise.all(references.map(directory.read));
  return Object.fromEntries(
    resources.flatMap((one, at) =>
      one?.resourceType === 'Organization' ? [[references[at] ?? '', structureOf(one).name]] : [],
    ),
  );
}

/**
 * Decides whether a word such as "hôpital" means the kind of a structure or a part of its name. The meaning with more results is used.
 * `also` has the search with the other meaning.
 */
async function meant(
  directory: Directory,
  asked: Search,
  vocabularies: Vocabularies,
): Promise<Pick<SearchOutcome, 'search' | 'also'>> {
  const { type, who, where, further } = asked;
  if (type !== 'Organization' || !asked.criteria.some(({ key }) => key === 'type') || further.length > 0)
    return { search: asked };
  const named = readSearch(type, { ...queryOf(asked), name: `"${who}"` }, vocabularies[type]);
  const [byKind, byName] = await Promise.all([count(directory, asked), count(directory, named)]);
  const search = byName > byKind ? { ...named, who } : asked;
  const [kind] = asked.criteria;
  const also =
    byName > byKind
      ? { total: byKind, search: asked, query: { type: kind?.value ?? '', ...queryOf({ who: '', where, further }) } }
      : { total: byName, search: named, query: queryOf(named) };
  return { search, ...(also.total > 0 && { also: { type, ...also } }) };
}
