// Shows what keeps the sign-in of a person safe: password, second factor.

import { type Html, html } from '../../web/html.ts';
import { formatDate } from '../../web/language.ts';
import { messagesIn } from '../../web/messages.ts';
import { type PageContext, pathOf } from '../page-context.ts';
import { part, sendSpacePage } from '../space-page.ts';

/** Shows the page. */
export async function sendSecurity(context: PageContext): Promise<void> {
  const { language, account, secondFactors } = context;
  const { account: messages } = messagesIn(language);
  const content = html`<p class="lead">${messages.securityAbout}</p>
${part('password', messages.password, password(context))}
${part('steps', messages.steps, secondFactor(context, await secondFactors.find(account.id)))}`;
  sendSpacePage(context, { section: 'security', title: messages.sections.security, content });
}

function password({ site, language }: PageContext): Html {
  const { account } = messagesIn(language);
  return html`<div class="box"><ul class="actions">
<li><a class="action" id="change-password" href="${pathOf(site, 'password')}">${account.changePassword}</a></li>
</ul></div>`;
}

function secondFactor(
  { site, language }: PageContext,
  factor: { since: number; recoveryCodes: number } | undefined,
): Html {
  const { account } = messagesIn(language);
  if (!factor) {
    return html`<div class="box"><p class="state state-off">${account.stepsOff}</p>
<p>${account.stepsOffAbout}</p>
<p class="choices"><a class="button" id="add-second-factor" href="${pathOf(site, 'secondFactor')}">${account.stepsAdd}</a></p></div>`;
  }
  const none = factor.recoveryCodes === 0;
  return html`<div class="box"><p class="state state-on">${account.stepsOn}</p>
<p>${account.stepsSince(formatDate(factor.since, language))}</p>
<p${none && html` class="warning"`}>${account.codesLeft(factor.recoveryCodes)}</p>
<ul class="actions">
<li><a class="action" id="new-recovery-codes" href="${pathOf(site, 'recoveryCodes')}">${account.newCodes}</a></li>
<li><a class="action" id="remove-second-factor" href="${pathOf(site, 'removal')}">${account.remove}</a></li>
</ul></div>`;
}
