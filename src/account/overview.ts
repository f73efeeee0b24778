// Shows the overview of a person's own pages.

import { tokensOfSession } from '../web/csrf.ts';
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
    token: tokensOfSession(req.session)[0],
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
