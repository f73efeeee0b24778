// Lets a person choose their current place of work. The choice is valid for all applications.

import { type AccountContext, leadTo, pathOf, record } from '#openid/account/page-context.ts';
import { sendSpacePage } from '#openid/account/space-page.ts';
import { workspacesInForce } from '#store/accounts/links/links-in-force.ts';
import { problemNotice } from '#web/components.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { formStatus, readForm } from '#web/forms/form.ts';
import { labelledWorkspaces, WORKSPACE_FIELD, workspaceList } from '#web/forms/workspace-list.ts';
import { html } from '#web/html.ts';

/**
 * Shows the page. If the person has fewer than two places of work, redirects to the profile. External programs rely on the id of the
 * button, `save-workspace`.
 */
export async function sendWorkspacePage(context: AccountContext, problem?: 'stale' | 'missing'): Promise<void> {
  const { res, site, language, messages, path, account, labelInDirectory, tokens } = context;
  const { ids, current } = workspacesInForce(account, context.edition());
  if (ids.length < 2) return leadTo(context, 'profile');
  const { workspace } = messages;
  const workspaces = await labelledWorkspaces(ids, labelInDirectory);
  const content = html`${problem === 'stale' && problemNotice(workspace.stale, workspace.staleAdvice)}
<p class="lead">${workspace.changeAbout}</p>
<form method="post" action="${path}" novalidate>${csrfField(tokens[0])}
${workspaceList({ language, workspaces, current, problem: problem === 'missing' })}
<div class="choices">
<button id="save-workspace" type="submit">${workspace.save}</button>
<a class="button quiet" id="cancel" href="${pathOf(site, 'profile')}">${messages.account.cancel}</a>
</div>
</form>`;
  const status = formStatus(res, problem && { kind: problem });
  sendSpacePage(context, { status, section: 'profile', title: workspace.change, content });
}

/** Answers the posted form with the choice. */
export async function saveWorkspace(context: AccountContext): Promise<void> {
  const { account } = context;
  const { fields, stale } = readForm(context, [WORKSPACE_FIELD]);
  if (stale) return sendWorkspacePage(context, 'stale');
  const workspace = fields[WORKSPACE_FIELD] ?? '';
  const change = await context.chooseWorkspace(account.id, workspace);
  if (change === 'refused') return sendWorkspacePage(context, 'missing');
  if (change === 'chosen') await record(context, 'account.workspace-chosen', { workspace });
  leadTo(context, 'profile', { kind: 'workspace-chosen' });
}
