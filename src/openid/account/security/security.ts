// Shows the protection of a person's sign-in: password, passkeys, second factor.

import { type PageContext, pathOf } from '#openid/account/page-context.ts';
import { part, sendSpacePage } from '#openid/account/space-page.ts';
import { type Html, html } from '#web/html.ts';
import { formatDate } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';
import { passkeysPart } from './passkeys-page.ts';

/** Shows the page. */
export async function sendSecurity(context: PageContext): Promise<void> {
  const { language, account, secondFactors } = context;
  const { account: messages, passkeys: passkeyMessages } = messagesIn(language);
  const passkeys = await context.passkeys.list(account.id);
  const app = await secondFactors.find(account.id);
  const recoveryCodes = app?.recoveryCodes ?? (await secondFactors.countRecoveryCodes(account.id));
  const content = html`<p class="lead">${messages.securityAbout}</p>
${part('password', messages.password, password(context))}
${part('passkeys', passkeyMessages.title, passkeysPart(context, passkeys))}
${part('steps', messages.steps, secondFactor(context, { app, recoveryCodes, passkeys: passkeys.length }))}
${part('open-sessions', messages.sections.sessions, sessions(context))}`;
  sendSpacePage(context, { section: 'security', title: messages.sections.security, content });
}

function password({ site, language, account: { hasPassword, passwordSetAt } }: PageContext): Html {
  const { account, passkeys } = messagesIn(language);
  if (!hasPassword) return html`<div class="box"><p>${passkeys.noPassword}</p></div>`;
  return html`<div class="box">${passwordSetAt !== undefined && html`<p>${account.passwordSetAt(formatDate(passwordSetAt, language))}</p>`}
<ul class="actions">
<li><a class="action" id="change-password" href="${pathOf(site, 'password')}">${account.changePassword}</a></li>
</ul></div>`;
}

function secondFactor(
  { site, language, account: { hasPassword } }: PageContext,
  { app, recoveryCodes, passkeys }: { app: { since: number } | undefined; recoveryCodes: number; passkeys: number },
): Html {
  const { account, passkeys: passkeyMessages } = messagesIn(language);
  if (!app && passkeys === 0) {
    return html`<div class="box"><p class="state state-off">${account.stepsOff}</p>
<p>${account.stepsOffAbout}</p>
<p class="choices"><a class="button quiet" id="add-second-factor" href="${pathOf(site, 'secondFactor')}">${account.stepsAdd}</a></p></div>`;
  }
  const none = recoveryCodes === 0;
  const asked = () => {
    if (!hasPassword) return passkeyMessages.stepsInOne;
    if (!app) return passkeyMessages.stepsOn;
    return passkeys > 0 ? account.stepsEither : account.stepsSince(formatDate(app.since, language));
  };
  return html`<div class="box"><p class="state state-on">${account.stepsOn}</p>
<p>${asked()}</p>
<p${none && html` class="warning"`}>${account.codesLeft(recoveryCodes)}</p>
<ul class="actions">
<li><a class="action" id="new-recovery-codes" href="${pathOf(site, 'recoveryCodes')}">${account.newCodes}</a></li>
<li>${
    app
      ? html`<a class="action" id="remove-second-factor" href="${pathOf(site, 'removal')}">${account.remove}</a>`
      : html`<a class="action" id="add-second-factor" href="${pathOf(site, 'secondFactor')}">${passkeyMessages.addApp}</a>`
  }</li>
</ul></div>`;
}

function sessions({ site, language }: PageContext): Html {
  const { sessionsLink } = messagesIn(language).activity;
  return html`<div class="box"><ul class="actions">
<li><a class="action" id="sessions-link" href="${pathOf(site, 'sessions')}">${sessionsLink}</a></li>
</ul></div>`;
}
