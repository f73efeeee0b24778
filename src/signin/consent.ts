// Owns the question whether a client may use the account, and the answer to it (SEC-36).
// Does not own the page (`consent-page.ts`) nor what is recorded (`Interactions`).

import type { Request, Response } from 'express';
import { isOwnToken, TOKEN_FIELD, tokenOf } from '../web/csrf.ts';
import { fieldsOf, UnusableForm } from '../web/form.ts';
import { renderConsentPage } from './consent-page.ts';
import { type SignInOptions, sendPage, type Visit, visitOf } from './page-context.ts';

/** Answers the posted consent form. */
export async function decide(options: SignInOptions, req: Request, res: Response): Promise<void> {
  const visit = await visitOf(options, req, res);
  if (visit.request.prompt !== 'consent') return res.redirect(303, visit.path);
  const fields = fieldsOf(req, [TOKEN_FIELD, 'choice']);
  if (!isOwnToken(req.session, fields[TOKEN_FIELD])) return sendConsent(options, req, res, visit, 403);
  switch (fields.choice) {
    case 'allow':
      return options.interactions.finishConsent(req, res);
    case 'refuse':
      return options.interactions.abort(req, res);
    default:
      throw new UnusableForm(400, 'the field choice must be allow or refuse');
  }
}

/** Sends the page that asks; 403 when the answer did not come from it. */
export function sendConsent(
  { site }: SignInOptions,
  req: Request,
  res: Response,
  visit: Visit,
  status: 200 | 403,
): void {
  const { request, path, language, languageLink } = visit;
  const { account, callback, client, offlineFor, scopes } = request;
  const page = renderConsentPage({
    site,
    language,
    languageLink,
    path,
    token: tokenOf(req.session),
    clientName: client.name,
    callback,
    scopes,
    offlineFor,
    stale: status === 403,
    ...(account && { account }),
  });
  sendPage(res, visit, status, page);
}
