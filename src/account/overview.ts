// The overview of a person's own pages, and the revocation of a consent (SEC-36).

import { csrfToken } from '../web/csrf.ts';
import { readForm, refuseControlCharacters, UnusableForm } from '../web/form.ts';
import { renderOverviewPage } from './overview-page.ts';
import { accountSession, type PageContext } from './page-context.ts';

/** Shows who the person is, what keeps the sign-in safe, and who may use the account. `stale`: a form no longer fitted. */
export async function sendOverview(context: PageContext, { stale = false } = {}): Promise<void> {
  const { req, res, site, language, languageLink, account, applications, secondFactors, nameInDirectory } = context;
  const record = (type: 'Practitioner' | 'Organization') => async (id: string) => ({
    id,
    name: await nameInDirectory(type, id),
    current: type === 'Organization' && id === account.currentWorkspace,
  });
  const session = accountSession(req);
  const { notice } = session;
  delete session.notice;
  const page = renderOverviewPage({
    site,
    language,
    languageLink,
    token: csrfToken(req.session),
    account,
    practitioners: await Promise.all(account.practitioners.map(record('Practitioner'))),
    workspaces: await Promise.all(account.workspaces.map(record('Organization'))),
    secondFactor: await secondFactors.find(account.id),
    applications: await applications.list(account.id),
    notice,
    stale,
  });
  res
    .status(stale ? 403 : 200)
    .type('html')
    .send(page);
}

/** Revokes what the person allowed an application. */
export async function revokeConsent(context: PageContext): Promise<void> {
  const { req, res, path, applications, audit } = context;
  const accountId = context.account.id;
  const { fields, stale } = readForm(req, ['client']);
  const clientId = fields.client;
  if (clientId === undefined) throw new UnusableForm(400, 'send the field client');
  refuseControlCharacters('client', clientId);
  if (stale) return sendOverview(context, { stale });

  // Only what the page shows: the operator's own decisions are not the person's to revoke.
  const application = (await applications.list(accountId)).find(({ id }) => id === clientId);
  if (application && (await applications.revoke(accountId, clientId))) {
    const actor = `account:${accountId}` as const;
    await audit.record({ event: 'consent.withdrawn', actor, account: accountId, client: clientId, address: req.ip });
    accountSession(req).notice = { kind: 'consent-revoked', client: application.name };
  }
  res.redirect(303, path);
}
