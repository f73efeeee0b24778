// Asks who is signed in whether to go on, or to use another account (`prompt=select_account`, OpenID Connect Core section 3.1.2.1).

import { personCard, problemNotice } from '../web/components.ts';
import { csrfField } from '../web/csrf.ts';
import { readForm } from '../web/form.ts';
import { type Html, html } from '../web/html.ts';
import { type PageFrame, renderPage } from '../web/layout.ts';
import { messagesIn } from '../web/messages.ts';
import { type InteractionDetails, InteractionExpired } from './interactions.ts';
import { type PageContext, sendPage } from './page-context.ts';

interface AccountChoicePage extends PageFrame {
  clientName: string;
  account: NonNullable<InteractionDetails['account']>;
  /** Path of the page; the forms are posted to `/same-account`, `/other-account` and `/cancel` below it. */
  path: string;
  token: string;
  /** The form that was sent no longer fitted the browser's session. */
  stale: boolean;
}

/** The buttons' ids `continue`, `other-account` and `cancel` are relied on from outside. */
export function renderAccountChoice(page: AccountChoicePage): string {
  const { account, path, stale } = page;
  const { accountChoice, consent, signIn } = messagesIn(page.language);
  const form = (name: string, button: Html) =>
    html`<form method="post" action="${path}/${name}">${csrfField(page.token)}${button}</form>`;
  const content = html`<p class="lead">${signIn.purpose} <strong>${page.clientName}</strong></p>
${stale && problemNotice(consent.stale, html`<p>${consent.staleAdvice}</p>`, { focus: true })}
${personCard(account, consent.signedInAs, undefined)}
${form('same-account', html`<button class="wide" id="continue" type="submit"${!stale && html` autofocus`}>${accountChoice.submit}</button>`)}
${form('other-account', html`<button class="wide quiet" id="other-account" type="submit">${consent.otherAccount}</button>`)}
${form('cancel', html`<button class="wide quiet" id="cancel" type="submit">${signIn.cancel}</button>`)}`;
  return renderPage({ ...page, title: accountChoice.title, problem: stale, content });
}

/** Answers the posted choice of the account that is signed in. The other one is answered as on every page. */
export async function keepAccount(context: PageContext): Promise<void> {
  const { req, res, interaction, interactions, path, tokens } = context;
  if (interaction.prompt !== 'select_account') return res.redirect(303, path);
  if (readForm(req, tokens).stale) return sendAccountChoice(context, 403);
  await interactions.keepAccount(req, res);
}

/** Sends the page that asks; 403 when an answer did not come from it. Throws `InteractionExpired` when the account is gone. */
export function sendAccountChoice(context: PageContext, status: 200 | 403): void {
  const { site, language, languageLink, interaction, path, tokens } = context;
  const { account, client } = interaction;
  if (!account) throw new InteractionExpired();
  const stale = status === 403;
  const page = { site, language, languageLink, path, token: tokens[0], account, clientName: client.name, stale };
  sendPage(context, status, renderAccountChoice(page));
}
