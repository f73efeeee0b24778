// Asks for the place of work of a sign-in, if an application or the operator wants people to choose it (`workspace` of a client;
// `provider/prompts/prompts.ts` decides). Another page asks the signed-in person whether to continue or to use another account
// (`prompt=select_account`, OpenID Connect Core section 3.1.2.1). If the person has several places of work, that page asks for one of them
// too. `sign-in/interactions.ts` stores the answer (`resumeWithAccount`).

import { InteractionExpired } from '#openid/sign-in/describe-interaction.ts';
import type { SignInContext } from '#openid/sign-in/page-context.ts';
import { personCard, problemNotice } from '#web/components.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { formStatus, readForm } from '#web/forms/form.ts';
import { labelledWorkspaces, WORKSPACE_FIELD, workspaceList } from '#web/forms/workspace-list.ts';
import { type Html, html } from '#web/html.ts';
import { sendPage } from '#web/layout.ts';

/**
 * `stale`: the CSRF token of the posted form is not valid for this sign-in, so the form does not come from its page. `missing`: the form
 * names no place of work of the account.
 */
type ChoiceProblem = 'stale' | 'missing';

/**
 * Sends the page that asks for a place of work. The ids `continue`, `other-account` and `cancel` of the buttons must not change, because
 * programs of others rely on them.
 */
export async function sendWorkspaceChoice(context: SignInContext, problem?: ChoiceProblem): Promise<void> {
  const { res, interaction, path, tokens } = context;
  const { account, client } = interaction;
  if (!account) throw new InteractionExpired();
  const { workspace, consent, signIn } = context.messages;
  const token = csrfField(tokens[0]);
  const otherAccount = html`<form method="post" action="${path}/other-account">${token}<button class="link" id="other-account" type="submit">${consent.otherAccount}</button></form>`;
  const content = html`<p class="lead">${workspace.introduction(client.name)}</p>
${problem === 'stale' && problemNotice(workspace.stale, workspace.staleAdvice)}
${personCard(account, consent.signedInAs, otherAccount)}
<form method="post" action="${path}/workspace" novalidate>${token}
${await workspaceChoice(context, problem)}
<button class="wide" id="continue" type="submit">${workspace.submit}</button>
</form>
<form method="post" action="${path}/cancel">${token}<button class="wide plain" id="cancel" type="submit">${signIn.cancel}</button></form>`;
  sendPage(context, { status: formStatus(res, problem && { kind: problem }), title: workspace.title, content });
}

/**
 * Sends the page that asks for the account. Its buttons have the ids `continue`, `other-account` and `cancel` too. Throws
 * `InteractionExpired` if the account is gone.
 */
export async function sendAccountChoice(context: SignInContext, problem?: ChoiceProblem): Promise<void> {
  const { res, interaction, path, tokens } = context;
  const { account, client, workspaces } = interaction;
  if (!account) throw new InteractionExpired();
  const { accountChoice, consent, signIn } = context.messages;
  const form = (name: string, fields: Html) =>
    html`<form method="post" action="${path}/${name}" novalidate>${csrfField(tokens[0])}${fields}</form>`;
  // The button gets the focus only if the page lists no places of work. Otherwise the list has the focus.
  const focus = problem === undefined && !workspaces && html` autofocus`;
  const content = html`<p class="lead">${signIn.purpose} <strong>${client.name}</strong></p>
${problem === 'stale' && problemNotice(consent.stale, consent.staleAdvice)}
${personCard(account, consent.signedInAs, undefined)}
${form('same-account', html`${await workspaceChoice(context, problem)}<button class="wide" id="continue" type="submit"${focus}>${accountChoice.submit}</button>`)}
${form('other-account', html`<button class="wide quiet" id="other-account" type="submit">${consent.otherAccount}</button>`)}
${form('cancel', html`<button class="wide plain" id="cancel" type="submit">${signIn.cancel}</button>`)}`;
  sendPage(context, { status: formStatus(res, problem && { kind: problem }), title: accountChoice.title, content });
}

/** Returns the list of places of work; undefined if the person does not have to choose one. */
async function workspaceChoice(context: SignInContext, problem?: ChoiceProblem): Promise<Html | undefined> {
  const { interaction, language, labelInDirectory } = context;
  if (!interaction.workspaces) return undefined;
  const { ids, current } = interaction.workspaces;
  const workspaces = await labelledWorkspaces(ids, labelInDirectory);
  return workspaceList({ language, workspaces, current, problem: problem === 'missing' });
}

/** Reads the posted place of work. If the page asked for none, returns neither a place of work nor a problem. */
function readWorkspace(context: SignInContext): { workspace?: string; problem?: ChoiceProblem } {
  const { interaction } = context;
  const { fields, stale } = readForm(context, [WORKSPACE_FIELD]);
  if (stale) return { problem: 'stale' };
  if (!interaction.workspaces) return {};
  const chosen = fields[WORKSPACE_FIELD];
  return chosen !== undefined && interaction.workspaces.ids.includes(chosen)
    ? { workspace: chosen }
    : { problem: 'missing' };
}

/** Makes the function that answers the form of one of the two pages. */
const answerOf =
  (prompt: 'workspace' | 'select_account', send: typeof sendWorkspaceChoice) =>
  async (context: SignInContext): Promise<void> => {
    const { req, res, interaction, interactions, path } = context;
    if (interaction.prompt !== prompt) return res.redirect(303, path);
    const { workspace, problem } = readWorkspace(context);
    if (problem) return send(context, problem);
    if ((await interactions.resumeWithAccount(req, res, workspace)) === 'refused') await send(context, 'missing');
  };

/** Answers the posted choice of a place of work. */
export const chooseWorkspace = answerOf('workspace', sendWorkspaceChoice);

/**
 * Answers the choice to continue with the signed-in account. `steps.ts` answers the button for another account, which other pages have too.
 */
export const keepAccount = answerOf('select_account', sendAccountChoice);
