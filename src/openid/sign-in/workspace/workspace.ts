// Asks for the place of work of a sign-in, if an application or the operator wants people to choose.

import { InteractionExpired } from '#openid/sign-in/interaction-details.ts';
import { type PageContext, sendPage } from '#openid/sign-in/page-context.ts';
import { personCard, problemNotice } from '#web/components.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { readForm } from '#web/forms/form.ts';
import { labelledWorkspaces, WORKSPACE_FIELD, workspaceList } from '#web/forms/workspace-list.ts';
import { type Html, html } from '#web/html.ts';
import { renderPage } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';

/** `stale` means that the answer did not come from the page. `missing` means that it names no place of work of the account. */
export type ChoiceProblem = 'stale' | 'missing';

const STATUS: Record<ChoiceProblem, number> = { stale: 403, missing: 422 };

/** Status of the page that asks, or asks again. */
export function choiceStatus(problem: ChoiceProblem | undefined): number {
  return problem === undefined ? 200 : STATUS[problem];
}

/** Sends the page that asks. The buttons' ids `continue`, `other-account` and `cancel` are relied on from outside. */
export async function sendWorkspaceChoice(context: PageContext, problem?: ChoiceProblem): Promise<void> {
  const { site, language, languageLink, interaction, path, tokens } = context;
  const { account, client } = interaction;
  if (!account) throw new InteractionExpired();
  const { workspace, consent, signIn } = messagesIn(language);
  const token = csrfField(tokens[0]);
  const otherAccount = html`<form method="post" action="${path}/other-account">${token}<button class="link" id="other-account" type="submit">${consent.otherAccount}</button></form>`;
  const content = html`<p class="lead">${workspace.introduction(client.name)}</p>
${problem === 'stale' && problemNotice(workspace.stale, html`<p>${workspace.staleAdvice}</p>`, { focus: true })}
${personCard(account, consent.signedInAs, otherAccount)}
<form method="post" action="${path}/workspace" novalidate>${token}
${await workspaceChoice(context, problem)}
<button class="wide" id="continue" type="submit">${workspace.submit}</button>
</form>
<form method="post" action="${path}/cancel">${token}<button class="wide plain" id="cancel" type="submit">${signIn.cancel}</button></form>`;
  const page = { site, language, languageLink, title: workspace.title, problem: problem !== undefined, content };
  sendPage(context, choiceStatus(problem), renderPage(page));
}

/** The list of places, where the request asks for one of several. */
export async function workspaceChoice(context: PageContext, problem?: ChoiceProblem): Promise<Html | undefined> {
  const { interaction, language, labelInDirectory } = context;
  if (!interaction.workspaces) return undefined;
  const { ids, current } = interaction.workspaces;
  const workspaces = await labelledWorkspaces(ids, labelInDirectory);
  return workspaceList({ language, workspaces, current, problem: problem === 'missing' });
}

/** Reads the posted choice; undefined if there was none to make. */
export function readWorkspace(context: PageContext): { workspace?: string; problem?: ChoiceProblem } {
  const { req, interaction, tokens } = context;
  const { fields, stale } = readForm(req, tokens, [WORKSPACE_FIELD]);
  if (stale) return { problem: 'stale' };
  if (!interaction.workspaces) return {};
  const chosen = fields[WORKSPACE_FIELD];
  return chosen !== undefined && interaction.workspaces.ids.includes(chosen)
    ? { workspace: chosen }
    : { problem: 'missing' };
}

/** Answers the posted choice. */
export async function chooseWorkspace(context: PageContext): Promise<void> {
  const { req, res, interaction, interactions, path } = context;
  if (interaction.prompt !== 'workspace') return res.redirect(303, path);
  const { workspace, problem } = readWorkspace(context);
  if (problem) return sendWorkspaceChoice(context, problem);
  if ((await interactions.resumeWithAccount(req, res, workspace)) === 'refused')
    await sendWorkspaceChoice(context, 'missing');
}
