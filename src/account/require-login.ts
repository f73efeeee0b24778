// Owns who gets into a person's own space: people without a session, or whose last proof is too old for what they ask for, are
// sent to sign in and come back to the page they asked for (SEC-33).
// Does not own the sign-in itself (`sign-in.ts`) nor the pages behind the door.

import type { Request, RequestHandler, Response } from 'express';
import { tokenOf } from '../web/csrf.ts';
import { keepLanguage, type Language, languageOf } from '../web/language.ts';
import { sendProblem } from './errors.ts';
import { type AccountOptions, type Handler, PAGES, type PageName, pathOf, spaceOf } from './page-context.ts';
import type { BegunSignIn, Guest } from './sign-in.ts';

/**
 * Seconds that the proof of who somebody is may be old for what changes how people sign in. It has to have been given for this
 * space: a session that an application was opened with, on a shared computer, does not show who sits there now.
 */
const FRESH = 600;

/** As many windows as may be signing in at a time. */
const MOST_BEGUN = 5;

/** Lets people in who are signed in, soon enough for the page; sends the others to sign in. */
export function guestOnly(options: AccountOptions, page: PageName, handle: Handler): RequestHandler {
  return async (req, res) => {
    keepLanguage(req, res, options.site);
    const language = languageOf(req);
    const { fresh } = PAGES[page];
    const guest = await guestOf(options, req);
    if (guest && (!fresh || isFresh(req))) return handle(options, req, res, { ...guest, language });
    begin(options, req, res, { page, language, fresh });
  };
}

/** Takes the answer to a sign-in, and leads to the page that was asked for. */
export async function takeAnswer(options: AccountOptions, req: Request, res: Response): Promise<void> {
  const { state, code, error } = req.query;
  const begun = takeBegun(req, state);
  if (!begun) {
    // Another window came first, or the address is opened again.
    if (await guestOf(options, req)) return res.redirect(303, pathOf(options.site, 'overview'));
    return sendProblem(options, req, res, { status: 400, problem: 'expired' });
  }
  const { page } = begun;
  if (error === 'access_denied') return sendProblem(options, req, res, { status: 403, problem: error, page });
  if (error !== undefined) {
    options.log.warn({ error, description: req.query['error_description'] }, 'the sign-in to an account was refused');
    return sendProblem(options, req, res, { status: 400, problem: 'refused', page });
  }
  const signedIn = typeof code === 'string' ? await options.signIn.finish(code, begun) : undefined;
  if (!signedIn) return sendProblem(options, req, res, { status: 400, problem: 'expired', page });

  // Who only proves themselves anew goes on with the app that they are setting up.
  const before = spaceOf(req);
  const proposal = before.signedIn?.accountId === signedIn.accountId ? before.proposal : undefined;
  await renewSession(req);
  req.session.space = { signedIn, ...(proposal !== undefined && { proposal }) };
  res.redirect(303, pathOf(options.site, page));
}

async function guestOf({ signIn }: AccountOptions, req: Request): Promise<Guest | undefined> {
  const signedIn = req.session.space?.signedIn;
  const guest = signedIn && (await signIn.guest(signedIn));
  // What was kept belongs to somebody who is no longer here.
  if (signedIn && !guest) delete req.session.space;
  return guest;
}

function isFresh(req: Request): boolean {
  const provedAt = req.session.space?.signedIn?.provedAt;
  return provedAt !== undefined && Math.floor(Date.now() / 1000) - provedAt <= FRESH;
}

function begin(
  { signIn }: AccountOptions,
  req: Request,
  res: Response,
  { page, language, fresh }: { page: PageName; language: Language; fresh: boolean },
): void {
  const { location, begun } = signIn.begin({ language, anew: fresh });
  const space = spaceOf(req);
  space.begun = [...(space.begun ?? []).slice(1 - MOST_BEGUN), { ...begun, page }];
  res.redirect(303, location);
}

/** Each sign-in that was begun is answered once. */
function takeBegun(req: Request, state: unknown): (BegunSignIn & { page: PageName }) | undefined {
  const all = req.session.space?.begun ?? [];
  const begun = all.find((one) => one.state === state);
  if (begun) spaceOf(req).begun = all.filter((one) => one !== begun);
  return begun;
}

/** A new session id, so that one planted before the sign-in is worth nothing after it. */
async function renewSession(req: Request): Promise<void> {
  await new Promise<void>((done, fail) => {
    req.session.regenerate((error: unknown) => (error ? fail(error) : done()));
  });
  tokenOf(req.session);
}
