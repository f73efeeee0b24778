// Shows the overview of a person's own pages.

import { suspension } from '../store/accounts/link-changes.ts';
import { tokensOfSession } from '../web/csrf.ts';
import { renderOverviewPage } from './overview-page.ts';
import { accountSession, type PageContext } from './page-context.ts';

/** Shows who the person is, what keeps the sign-in safe, and who may use the account. `stale`: a form no longer fitted. */
export async function sendOverview(context: PageContext, { stale = false } = {}): Promise<void> {
  const { req, res, site, language, languageLink, account, applications, secondFactors } = context;
  const edition = context.edition();
  const record = (type: 'Practitioner' | 'Organization') => async (id: string) => {
    const suspended = suspension(account.linkChanges?.[`${type}/${id}`], edition)?.change;
    // Of somebody else nothing is shown.
    const name = suspended ? undefined : await context.nameInDirectory(type, id);
    return { id, name, current: type === 'Organization' && id === account.currentWorkspace, suspended };
  };
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
