// Owns what the overview of a person's own space shows and takes: applications that are allowed, and their withdrawal (SEC-36).
// Does not own its looks (`overview-page.ts`).

import type { Request, Response } from 'express';
import { isOwnToken, TOKEN_FIELD, tokenOf } from '../web/csrf.ts';
import { fieldsOf, refuseControlCharacters, UnusableForm } from '../web/form.ts';
import { type OverviewPage, renderOverviewPage } from './overview-page.ts';
import { type AccountOptions, languageLinkTo, pathOf, spaceOf, type Visit } from './page-context.ts';

/** Name of the field that says which application. */
const CLIENT_FIELD = 'client';

/** Shows who the person is, what keeps the sign-in safe, and who may use the account. */
export async function showOverview(
  options: AccountOptions,
  req: Request,
  res: Response,
  visit: Visit,
  shown: { status: number; stale?: boolean } = { status: 200 },
): Promise<void> {
  const { site, applications, secondFactors, nameInDirectory } = options;
  const { account, language } = visit;
  const link = (type: 'Practitioner' | 'Organization') => async (id: string) => ({
    id,
    name: await nameInDirectory(type, id),
    current: type === 'Organization' && id === account.currentWorkspace,
  });
  const space = spaceOf(req);
  const { notice } = space;
  delete space.notice;
  const path = pathOf(site, 'overview');
  const page: OverviewPage = {
    site,
    language,
    languageLink: languageLinkTo(path),
    token: tokenOf(req.session),
    account,
    practitioners: await Promise.all(account.practitioners.map(link('Practitioner'))),
    workspaces: await Promise.all(account.workspaces.map(link('Organization'))),
    secondFactor: await secondFactors.find(account.id),
    applications: await applications.list(account.id),
    notice,
    stale: shown.stale ?? false,
  };
  res.status(shown.status).type('html').send(renderOverviewPage(page));
}

/** Takes back what the person allowed an application. */
export async function withdraw(options: AccountOptions, req: Request, res: Response, visit: Visit): Promise<void> {
  const { site, applications, audit } = options;
  const accountId = visit.account.id;
  const fields = fieldsOf(req, [TOKEN_FIELD, CLIENT_FIELD]);
  const clientId = fields[CLIENT_FIELD];
  if (clientId === undefined) throw new UnusableForm(400, `send the field ${CLIENT_FIELD}`);
  refuseControlCharacters(CLIENT_FIELD, clientId);
  if (!isOwnToken(req.session, fields[TOKEN_FIELD])) {
    return showOverview(options, req, res, visit, { status: 403, stale: true });
  }

  // Only what the page shows: the operator's own decisions are not the person's to take back.
  const application = (await applications.list(accountId)).find(({ id }) => id === clientId);
  if (application && (await applications.withdraw(accountId, clientId))) {
    const actor = `account:${accountId}` as const;
    await audit.record({ event: 'consent.withdrawn', actor, account: accountId, client: clientId, address: req.ip });
    spaceOf(req).notice = { kind: 'withdrawn', client: application.name };
  }
  res.redirect(303, pathOf(site, 'overview'));
}
