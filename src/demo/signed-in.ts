// Common code of the pages for signed-in people: it finds the person in the session, and opens the directory with the person's access
// token.

import type { Request, Response } from 'express';
import { type Directory, openDirectory } from './directory.ts';
import { endedPage, problemPage } from './pages/problem-page.ts';
import { userInfoClaim } from './relying-party.ts';
import type { DemoPerson } from './session.ts';
import { viewOf } from './view.ts';

export type PersonHandler = (person: DemoPerson, request: Request, response: Response) => Promise<void>;

/**
 * Calls `handle` for requests of a signed-in person. Other requests get a page with a button to sign in, which leads back to the requested
 * page.
 */
export function forPerson(issuer: string, handle: PersonHandler) {
  return async (request: Request, response: Response) => {
    const person = request.session.demoPerson;
    if (person) return handle(person, request, response);
    const returnTo = request.url.slice(1);
    const view = viewOf(request, issuer);
    const ending = request.session.demoEnding;
    response
      .status(401)
      .send(ending ? endedPage(view, ending, returnTo) : problemPage(view, { kind: 'session', returnTo }));
  };
}

export function directoryOf({ claims, accessToken }: DemoPerson): Directory {
  return openDirectory(userInfoClaim(claims).apiUrl, accessToken);
}
