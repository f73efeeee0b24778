// Asks the signed-in person whether to continue or to use another account (`prompt=select_account`, OpenID Connect Core section 3.1.2.1).
// If there are several places of work, it also asks for one.

import { InteractionExpired } from '#openid/sign-in/interaction-details.ts';
import { type PageContext, sendPage } from '#openid/sign-in/page-context.ts';
import { personCard, problemNotice } from '#web/components.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { type Html, html } from '#web/html.ts';
import { renderPage } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import { type ChoiceProblem, choiceStatus, readWorkspace, workspaceChoice } from './workspace.ts';

/**
 * Sends the page that asks. Throws `InteractionExpired` when the account is gone. The buttons' ids `continue`, `other-account` and
 * `cancel` are relied on from outside.
 */
export async function sendAccountChoice(context: PageContext, problem?: ChoiceProblem): Promise<void> {
  const { site, language, languageLink, interaction, path, tokens } = context;
  const { account, client, workspaces } = interaction;
  if (!account) throw new InteractionExpired();
  const { accountChoice, consent, signIn } = messagesIn(language);
  const token = csrfField(tokens[0]);
  const form = (name: string, fields: Html) =>
    html`<form method="post" action="${path}/${name}" novalidate>${token}${fields}</form>`;
  // If places are listed, the focus is on the current one.
  const focus = problem === undefined && !workspaces && html` autofocus`;
  const content = html`<p class="lead">${signIn.purpose} <strong>${client.name}</strong></p>
${problem === 'stale' && problemNotice(consent.stale, html`<p>${consent.staleAdvice}</p>`, { focus: true })}
${personCard(account, consent.signedInAs, undefined)}
${form('same-account', html`${await workspaceChoice(context, problem)}<button class="wide" id="continue" type="submit"${focus}>${accountChoice.submit}</button>`)}
${form('other-account', html`<button class="wide quiet" id="other-account" type="submit">${consent.otherAccount}</button>`)}
${form('cancel', html`<button class="wide plain" id="cancel" type="submit">${signIn.cancel}</button>`)}`;
  const page = { site, language, languageLink, title: accountChoice.title, problem: problem !== undefined, content };
  sendPage(context, choiceStatus(problem), renderPage(page));
}

/** Answers the posted choice of the account that is signed in. The other one is answered as on every page. */
export async function keepAccount(context: PageContext): Promise<void> {
  const { req, res, interaction, interactions, path } = context;
  if (interaction.prompt !== 'select_account') return res.redirect(303, path);
  const { workspace, problem } = readWorkspace(context);
  if (problem) return sendAccountChoice(context, problem);
  if ((await interactions.resumeWithAccount(req, res, workspace)) === 'refused')
    await sendAccountChoice(context, 'missing');
}
