// A person chooses the place of work that they are in, for all applications.

import { accountSession, type PageContext, pathOf, record } from '#openid/account/page-context.ts';
import { sendSpacePage } from '#openid/account/space-page.ts';
import { workspacesInForce } from '#store/accounts/links/current-workspace.ts';
import { problemNotice } from '#web/components.ts';
import { csrfField, tokensOfSession } from '#web/forms/csrf.ts';
import { readForm } from '#web/forms/form.ts';
import { labelledWorkspaces, WORKSPACE_FIELD, workspaceList } from '#web/forms/workspace-list.ts';
import { html } from '#web/html.ts';
import { messagesIn } from '#web/messages.ts';

/** Shows the page, or leads back where there is nothing to choose. The button's id `save-workspace` is relied on from outside. */
export async function sendWorkspacePage(context: PageContext, problem?: 'stale' | 'missing'): Promise<void> {
  const { req, res, site, language, path, account, labelInDirectory } = context;
  const { ids, current } = workspacesInForce(account, context.edition());
  if (ids.length < 2) return res.redirect(303, pathOf(site, 'profile'));
  const { workspace, account: messages } = messagesIn(language);
  const workspaces = await labelledWorkspaces(ids, labelInDirectory);
  const content = html`${problem === 'stale' && problemNotice(workspace.stale, html`<p>${workspace.staleAdvice}</p>`, { focus: true })}
<p class="lead">${workspace.changeAbout}</p>
<form method="post" action="${path}" novalidate>${csrfField(tokensOfSession(req.session)[0])}
${workspaceList({ language, workspaces, current, problem: problem === 'missing' })}
<div class="choices">
<button id="save-workspace" type="submit">${workspace.save}</button>
<a class="button quiet" id="cancel" href="${pathOf(site, 'profile')}">${messages.cancel}</a>
</div>
</form>`;
  const status = problem === undefined ? 200 : problem === 'stale' ? 403 : 422;
  const about = { title: workspace.change, problem: problem !== undefined, content };
  sendSpacePage(context, { status, section: 'profile', ...about });
}

/** Answers the posted choice. */
export async function saveWorkspace(context: PageContext): Promise<void> {
  const { req, res, site, account } = context;
  const { fields, stale } = readForm(req, tokensOfSession(req.session), [WORKSPACE_FIELD]);
  if (stale) return sendWorkspacePage(context, 'stale');
  const workspace = fields[WORKSPACE_FIELD] ?? '';
  const change = await context.chooseWorkspace(account.id, workspace);
  if (change === 'refused') return sendWorkspacePage(context, 'missing');
  if (change === 'chosen') {
    await record(context, 'account.workspace-chosen', { workspace });
    accountSession(req).notice = { kind: 'workspace-chosen' };
  }
  res.redirect(303, pathOf(site, 'profile'));
}
