// The base address of the directory: describes the directory to programs, and leads browsers to the reference page.

import { type RequestHandler, Router } from 'express';
import { fhirError } from '#directory/errors.ts';
import type { Interaction } from '#directory/middleware/interaction.ts';
import { methodNotAllowed } from '#directory/middleware/not-found-or-allowed.ts';
import { respond } from '#directory/middleware/respond.ts';
import { criterionOf } from '#directory/representation.ts';
import { TABLES } from '#directory/resources/resource-types.ts';

interface BaseOptions {
  /** The handler of the CapabilityStatement. */
  metadata: RequestHandler;
  /** Handlers of a batch. */
  batch: RequestHandler[];
  /** Address of the reference page. */
  docs: string | undefined;
}

/** The route of the base address. */
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

/** Leads a browser to the reference page. No program that speaks FHIR asks for XHTML. */
function pageForBrowsers(docs: string | undefined): RequestHandler {
  return ({ headers: { accept = '' } }, res, next) => {
    if (docs === undefined || !/^\s*text\/html\s*,\s*application\/xhtml\+xml\b/i.test(accept)) next();
    else res.status(302).set('Location', docs).end();
  };
}

/** The base address describes the directory. With criteria, it would be a search of all types. */
const withoutCriteria: RequestHandler = (req, res, next) =>
  criterionOf(req) === undefined ? next() : respond(searchOfAllTypes)(req, res, next);

export const searchOfAllTypes: Interaction = () => {
  const types = TABLES.map(({ type }) => `/${type}`).join(', ');
  throw fhirError(400, 'not-supported', `A search is one of a type: send it to ${types}, or to _search below one.`);
};

/** OPTIONS of the base gives the CapabilityStatement (STU3 http 2.20.0.11), except to a browser's preflight. */
const optionsOfBase: RequestHandler = ({ headers }, res, next) => {
  if (headers['access-control-request-method'] !== undefined) return next('route');
  res.set('Allow', 'GET, HEAD, POST, OPTIONS');
  next();
};
