// Answers at the base address of the directory. Programs get the CapabilityStatement, and browsers are redirected to the reference page.

import { type RequestHandler, Router } from 'express';
import { fhirError } from '#directory/errors.ts';
import { type Interaction, respond } from '#directory/middleware/interaction.ts';
import { methodNotAllowed } from '#directory/middleware/not-found-or-allowed.ts';
import { criterionOf } from '#directory/requested-representation.ts';
import { TABLES } from '#directory/resources/resource-types.ts';

interface BaseOptions {
  /** The handler of the CapabilityStatement. */
  metadata: RequestHandler;
  /** The handlers of a batch. */
  batch: RequestHandler[];
  /** Address of the reference page; undefined if there is none. */
  docs: string | undefined;
}

/** Makes the route of the base address. */
export function baseAddress({ metadata, batch, docs }: BaseOptions): Router {
  const router = Router();
  router
    .route('/')
    .get(pageForBrowsers(docs), withoutCriteria, metadata)
    .post(batch)
    .options(optionsOfBase, metadata)
    .all(methodNotAllowed);
  return router;
}

/**
 * Redirects a browser to the reference page. A request comes from a browser if its header Accept begins with HTML and XHTML, because no
 * FHIR client asks for XHTML.
 */
function pageForBrowsers(docs: string | undefined): RequestHandler {
  return ({ headers: { accept = '' } }, res, next) => {
    if (docs === undefined || !/^\s*text\/html\s*,\s*application\/xhtml\+xml\b/i.test(accept)) next();
    else res.status(302).set('Location', docs).end();
  };
}

/**
 * Lets a request without search criteria pass to the CapabilityStatement. With criteria, the request would be a search of all types, which
 * `searchOfAllTypes` refuses.
 */
const withoutCriteria: RequestHandler = (req, res, next) =>
  criterionOf(req) === undefined ? next() : respond(searchOfAllTypes)(req, res, next);

export const searchOfAllTypes: Interaction = () => {
  const types = TABLES.map(({ type }) => `/${type}`).join(', ');
  throw fhirError(400, 'not-supported', `A search is one of a type: send it to ${types}, or to _search below one.`);
};

/**
 * Answers OPTIONS at the base address with the CapabilityStatement (STU3 http 2.20.0.11). A browser's preflight is passed to the next
 * route, because it needs the headers of CORS and not the CapabilityStatement.
 */
const optionsOfBase: RequestHandler = ({ headers }, res, next) => {
  if (headers['access-control-request-method'] !== undefined) return next('route');
  res.set('Allow', 'GET, HEAD, POST, OPTIONS');
  next();
};
