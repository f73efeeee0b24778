// The pages behind the sign-in: the person's own page and the two searches. They use the person's token.

import { type Request, type Response, Router } from 'express';
import { type ResourceCard, resourceCard } from './browser/resource-cards.js';
import { type Directory, type DirectoryType, openDirectory, refusalOf, type SearchPage } from './directory.ts';
import { endedPage } from './pages/ended-page.ts';
import { problemPage } from './pages/problem-page.ts';
import { type SearchView, searchPage } from './pages/search-page.ts';
import { stepsPage } from './pages/steps-page.ts';
import { userInfoClaim } from './relying-party.ts';
import { criteriaOf, SEARCH_PATHS } from './search-keys.ts';
import type { DemoPerson } from './session.ts';
import { viewOf } from './view.ts';

type PersonHandler = (person: DemoPerson, request: Request, response: Response) => Promise<void>;

/** `GET /steps`, `GET /practitioners`, `GET /organizations`. */
export function searchRoutes({ issuer }: { issuer: string }): Router {
  const forPerson = (handle: PersonHandler) => async (request: Request, response: Response) => {
    const person = request.session.demoPerson;
    if (person) return handle(person, request, response);
    const returnTo = request.url.slice(1);
    const view = viewOf(request, issuer);
    const ending = request.session.demoEnding;
    response
      .status(401)
      .send(ending ? endedPage(view, ending, returnTo) : problemPage(view, { kind: 'session', returnTo }));
  };

  const steps: PersonHandler = async (person, request, response) => {
    const { identities = [], currentWorkspaceId } = userInfoClaim(person.claims);
    const references = currentWorkspaceId ? [...identities, currentWorkspaceId] : identities;
    // The page shows the signed-in person even when the directory is out of reach.
    const resolved = await withParents(directoryOf(person), references).catch(() => ({}));
    response.send(stepsPage(viewOf(request, issuer), person, resolved));
  };

  const search =
    (type: DirectoryType): PersonHandler =>
    async (person, request, response) => {
      const directory = directoryOf(person);
      const next = nextLink(directory, request.query['next']);
      const criteria = criteriaOf(type, next ? Object.fromEntries(new URL(next).searchParams) : request.query);
      const searched = next !== undefined || Object.keys(criteria).length > 0;
      const empty = !searched && Object.keys(request.query).some((name) => name !== 'lang');
      const outcome: SearchOutcome = searched
        ? await answer(directory, () => (next ? directory.follow(next) : directory.search(type, criteria)))
        : {};
      response
        .status(outcome.refusal ? outcome.refusal.status || 503 : 200)
        .send(
          searchPage(viewOf(request, issuer), { type, criteria, empty, ...outcome, returnTo: request.url.slice(1) }),
        );
    };

  const router = Router();
  router.get('/steps', forPerson(steps));
  router.get(`/${SEARCH_PATHS.Practitioner}`, forPerson(search('Practitioner')));
  router.get(`/${SEARCH_PATHS.Organization}`, forPerson(search('Organization')));
  return router;
}

/** The directory's own link to a further page, as an earlier page offered it. */
function nextLink(directory: Directory, value: unknown): string | undefined {
  return typeof value === 'string' && directory.owns(value) ? value : undefined;
}

function directoryOf({ claims, accessToken }: DemoPerson): Directory {
  return openDirectory(userInfoClaim(claims).apiUrl, accessToken);
}

type SearchOutcome = Pick<SearchView, 'found' | 'refusal'>;

/** Returns the page with the parents of its structures, or the refusal. */
async function answer(directory: Directory, ask: () => Promise<SearchPage>): Promise<SearchOutcome> {
  try {
    const page = await ask();
    const references = page.resources.flatMap((resource) => resourceCard(resource).partOf ?? []);
    return { found: { ...page, parents: await cardsByReference(directory, references) } };
  } catch (error) {
    const refusal = refusalOf(error);
    if (!refusal) throw error;
    return { refusal };
  }
}

async function cardsByReference(
  directory: Directory,
  references: string[],
): Promise<Record<string, ResourceCard | undefined>> {
  const read = [...new Set(references)].map(async (reference) => {
    const resource = await directory.read(reference);
    return [reference, resource && resourceCard(resource)] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

/** Cards by reference, with those of the parents of the structures among them. */
async function withParents(
  directory: Directory,
  references: string[],
): Promise<Record<string, ResourceCard | undefined>> {
  const cards = await cardsByReference(directory, references);
  const parents = Object.values(cards).flatMap((card) => card?.partOf ?? []);
  return { ...(await cardsByReference(directory, parents)), ...cards };
}
