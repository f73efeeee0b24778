// The pages of a professional and of a structure. Each page needs a few requests to the directory, most of which run at the same time.

import { type Request, type Response, Router } from 'express';
import { type Directory, refusalOf, type SearchPage } from './directory.ts';
import { problemPage } from './pages/problem-page.ts';
import { personPage, type RecordContext, structurePage } from './pages/record-pages.ts';
import { refusalPage } from './pages/search-page.ts';
import { SEARCH_PATHS } from './paths.ts';
import { userInfoClaim } from './relying-party.ts';
import { WITH_PLACES } from './search/find.ts';
import { personOf, structureOf } from './search/records.ts';
import type { createDirectoryFacts } from './search/vocabulary.ts';
import { directoryOf, forPerson, type PersonHandler } from './signed-in.ts';
import { type View, viewOf } from './view.ts';

/** Maximum number of a person's places of work for which the page counts the other professionals there. Each count costs a request. */
const COUNTED_PLACES = 6;
/**
 * Maximum number of entries in the lists on the page of a structure. The list of its parts and the list of the people who work there have
 * at most `SHOWN` entries each. The list of its neighbours has at most `NEIGHBOURS`.
 */
const [SHOWN, NEIGHBOURS] = [10, 8];
/** Radius in kilometres in which neighbours of a structure are searched. */
const AROUND = 10;

const WORKS_AT = '_has:PractitionerRole:practitioner:organization';

interface RecordOptions {
  issuer: string;
  factsOf: ReturnType<typeof createDirectoryFacts>;
}

/** Answers `GET /practitioners/:id` and `GET /organizations/:id`. */
export function recordRoutes({ issuer, factsOf }: RecordOptions): Router {
  /**
   * Answers with the page of a record. If there is no such record, answers 404. If the directory refuses a request, answers with a page
   * that says so.
   */
  const record =
    (show: (directory: Directory, id: string) => Promise<RecordPage | undefined>): PersonHandler =>
    async (person, request, response) => {
      const view = viewOf(request, issuer);
      const returnTo = request.url.slice(1);
      const id = String(request.params['id']);
      try {
        const page = /^[A-Za-z0-9\-.]{1,64}$/.test(id) ? await show(directoryOf(person), id) : undefined;
        if (!page) return gone(request, response);
        const { reportUrl } = await factsOf(userInfoClaim(person.claims).apiUrl);
        response.send(page(view, { reportUrl, back: request.session.demoSearch }));
      } catch (error) {
        const refusal = refusalOf(error);
        if (!refusal) throw error;
        response.status(refusal.status || 503).send(refusalPage(view, refusal, returnTo));
      }
    };
  const gone = (request: Request, response: Response) => {
    response.status(404).send(problemPage(viewOf(request, issuer), { kind: 'gone' }));
  };

  const router = Router();
  router.get(`/${SEARCH_PATHS.Practitioner}/:id`, forPerson(issuer, record(professional)));
  router.get(`/${SEARCH_PATHS.Organization}/:id`, forPerson(issuer, record(structure)));
  return router;
}

type RecordPage = (view: View, context: RecordContext) => string;

async function professional(directory: Directory, id: string): Promise<RecordPage | undefined> {
  const page = await directory.search('Practitioner', { _id: id, ...WITH_PLACES });
  const resource = page.matches[0] as fhir3.Practitioner | undefined;
  if (!resource) return undefined;
  const person = personOf(resource, page.included);
  const structures = person.places.flatMap((place) => place.structure?.id ?? []).slice(0, COUNTED_PLACES);
  const counts = await Promise.all(
    structures.map((one) => directory.search('Practitioner', { [WORKS_AT]: `Organization/${one}`, _count: '0' })),
  );
  const others = new Map(structures.map((one, at) => [one, (counts[at]?.total ?? 1) - 1]));
  const requests = requestsOf([page, ...counts]);
  return (view, context) =>
    personPage(view, { ...context, requests, person, others, changed: resource.meta?.lastUpdated });
}

async function structure(directory: Directory, id: string): Promise<RecordPage | undefined> {
  const page = await directory.search('Organization', { _id: id, _include: 'Organization:partof' });
  const resource = page.matches[0] as fhir3.Organization | undefined;
  if (!resource) return undefined;
  const self = structureOf(resource);
  const parent = page.included.map((one) => structureOf(one as fhir3.Organization))[0];
  const centre = self.addresses.find(({ position }) => position)?.position;
  const [parts, colleagues, near] = await Promise.all([
    directory.search('Organization', { 'part-of': `Organization/${id}`, _count: String(SHOWN) }),
    directory.search('Practitioner', { [WORKS_AT]: `Organization/${id}`, _count: String(SHOWN) }),
    centre &&
      directory.search('Organization', {
        near: `${centre.latitude}|${centre.longitude}|${AROUND}|km`,
        _sort: 'near',
        _count: String(NEIGHBOURS + 1),
      }),
  ]);
  const neighbours = (near?.matches ?? []).flatMap((one) => {
    const { [one.id ?? '']: metres = 0 } = near?.distances ?? {};
    return one.id === id ? [] : [{ structure: structureOf(one as fhir3.Organization), metres }];
  });
  const shown = {
    structure: self,
    parent,
    centre,
    neighbours: neighbours.slice(0, NEIGHBOURS),
    parts: { total: parts.total ?? 0, list: parts.matches.map((one) => structureOf(one as fhir3.Organization)) },
    colleagues: {
      total: colleagues.total ?? 0,
      list: colleagues.matches.map((one) => personOf(one as fhir3.Practitioner)),
    },
  };
  const requests = requestsOf([page, parts, colleagues, ...(near ? [near] : [])]);
  return (view, context) =>
    structurePage(view, { ...context, ...shown, requests, changed: resource.meta?.lastUpdated });
}

function requestsOf(pages: readonly SearchPage[]) {
  return pages.map(({ request }) => request);
}
