// Shows how a person's sign-in is protected: by a password, passkeys and a second factor.

import { type AccountContext, pathOf } from '#openid/account/page-context.ts';
import { actionLink, part, sendSpacePage } from '#openid/account/space-page.ts';
import { formatDate } from '#web/dates.ts';
import { type Html, type HtmlValue, html } from '#web/html.ts';
import { passkeysPart } from './passkeys.ts';

/** Shows the page. */
export async function sendSecurity(context: AccountContext): Promise<void> {
  const { account, secondFactors } = context;
  const { account: messages, passkeys: passkeyMessages, activity } = context.messages;
  const passkeys = await context.passkeys.list(account.id);
  const app = await secondFactors.find(account.id);
  const recoveryCodes = app?.recoveryCodes ?? (await secondFactors.countRecoveryCodes(account.id));
  const content = html`<p class="lead">${messages.securityAbout}</p>
${part('password', messages.password, password(context))}
${part('passkeys', passkeyMessages.title, passkeysPart(context, passkeys))}
${part('steps', messages.steps, secondFactor(context, { app, recoveryCodes, passkeys: passkeys.length }))}
${part('open-sessions', messages.sections.sessions, actions([actionLink(context, 'sessions', 'sessions-link', activity.sessionsLink)]))}`;
  sendSpacePage(context, { section: 'security', title: messages.sections.security, content });
}

/** Renders a box with an introduction and links. */
function actions(links: readonly Html[], introduction?: HtmlValue): Html {
  return html`<div class="box">${introduction}
<ul class="actions">
${links.map((link) => html`<li>${link}</li>\n`)}</ul></div>`;
}

function password(context: AccountContext): Html {
  const { account, passkeys } = context.messages;
  const { hasPassword, passwordSetAt } = context.account;
  if (!hasPassword) return html`<div class="box"><p>${passkeys.noPassword}</p></div>`;
  const since =
    passwordSetAt !== undefined && html`<p>${account.passwordSetAt(formatDate(passwordSetAt, context.language))}</p>`;
  return actions([actionLink(context, 'password', 'change-password', account.changePassword)], since);
}

function secondFactor(
  context: AccountContext,
  { app, recoveryCodes, passkeys }: { app: { since: number } | undefined; recoveryCodes: number; passkeys: number },
): Html {
  const { account, passkeys: passkeyMessages } = context.messages;
  if (!app && passkeys === 0) {
    return html`<div class="box"><p class="state state-off">${account.stepsOff}</p>
<p>${account.stepsOffAbout}</p>
<p class="choices"><a class="button quiet" id="add-second-factor" href="${pathOf(context.site, 'secondFactor')}">${account.stepsAdd}</a></p></div>`;
  }
  const none = recoveryCodes === 0;
  const asked = () => {
    if (!context.account.hasPassword) return passkeyMessages.stepsInOne;
    if (!app) return passkeyMessages.stepsOn;
    return passkeys > 0 ? account.stepsEither : account.stepsSince(formatDate(app.since, context.language));
  };
  const links = [
    actionLink(context, 'recoveryCodes', 'new-recovery-codes', account.newCodes),
    app
      ? actionLink(context, 'removal', 'remove-second-factor', account.remove)
      : actionLink(context, 'secondFactor', 'add-second-factor', passkeyMessages.addApp),
  ];
  const state = html`<p class="state state-on">${account.stepsOn}</p>
<p>${asked()}</p>
<p${none && html` class="warning"`}>${account.codesLeft(recoveryCodes)}</p>`;
  return actions(links, state);
}
