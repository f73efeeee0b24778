// Shows the first page of a person's own space: their names and records.

import type { PageContext } from '#openid/account/page-context.ts';
import { sendSpacePage } from '#openid/account/space-page.ts';
import { suspension } from '#store/accounts/links/link-changes.ts';
import { messagesIn } from '#web/messages.ts';
import { profileContent } from './profile-page.ts';

/** Shows the page. */
export async function sendProfile(context: PageContext): Promise<void> {
  const { language, account } = context;
  const edition = context.edition();
  const record = (type: 'Practitioner' | 'Organization') => async (id: string) => {
    const suspended = suspension(account.linkChanges?.[`${type}/${id}`], edition)?.change;
    // Nothing of another person or structure is shown.
    const label = suspended ? {} : await context.labelInDirectory(type, id);
    return { id, label, current: type === 'Organization' && id === account.currentWorkspace, suspended };
  };
  const content = profileContent(context, {
    practitioners: await Promise.all(account.practitioners.map(record('Practitioner'))),
    workspaces: await Promise.all(account.workspaces.map(record('Organization'))),
  });
  sendSpacePage(context, { section: 'profile', title: messagesIn(language).account.sections.profile, content });
}
