// The pages behind the links that verify an e-mail address or confirm a new one. The person has to press a button for the change, because
// mail scanners open links as well.

import { ACCOUNT_PATH } from '#config/built-in-clients.ts';
import { EmailTaken } from '#store/accounts/accounts.ts';
import type { Action } from '#store/accounts/action-tokens.ts';
import { iconEmblem, problemNotice } from '#web/components.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { readForm } from '#web/forms/form.ts';
import { type Html, html } from '#web/html.ts';
import { sendPage } from '#web/layout.ts';
import { whomToAsk } from '#web/pages/ways-on.ts';
import { type LinkContext, recordLink, sendUselessLink, shownAddress } from './link-context.ts';

type EmailPurpose = 'email-verification' | 'email-change';

/** Shows the page with the button. External programs rely on the id of the button, `confirm`. */
export const sendEmailPage = (purpose: EmailPurpose) => async (context: LinkContext) => {
  const action = await context.actionTokens.find(purpose, context.link);
  if (action) sendQuestion(context, purpose, action);
  else sendUselessLink(context, purpose);
};

/** Answers the form of the button: makes the change if the link is still valid. */
export const confirmEmail = (purpose: EmailPurpose) => async (context: LinkContext) => {
  const { link } = context;
  const { links } = context.messages;
  const { stale } = readForm(context);
  const action = await context.actionTokens.find(purpose, link);
  if (!action) return sendUselessLink(context, purpose);
  if (stale) return sendQuestion(context, purpose, action, { stale });
  if (purpose === 'email-verification') {
    const account = await context.actions.verifyEmail(link);
    if (!account) return sendUselessLink(context, purpose);
    await recordLink(context, 'account.email-verified', account.id);
    return sendDone(context, links.verification.doneTitle, html`${account.email && shownAddress(account.email)}`);
  }
  try {
    const changed = await context.actions.changeEmail(link);
    if (!changed) return sendUselessLink(context, purpose);
    const { account, before } = changed;
    await recordLink(context, 'account.email-changed', account.id, before === undefined ? {} : { before });
    sendDone(context, links.change.doneTitle, html`${links.change.done} ${shownAddress(account.email)}`);
  } catch (error) {
    if (!(error instanceof EmailTaken)) throw error;
    sendTaken(context, action);
  }
};

function sendQuestion(context: LinkContext, purpose: EmailPurpose, { account, email }: Action, { stale = false } = {}) {
  const { links, account: words } = context.messages;
  const isChange = purpose === 'email-change';
  const texts = isChange ? links.change : links.verification;
  const content = html`${stale && problemNotice(words.stale, words.staleAdvice)}
<p class="lead">${texts.lead} ${shownAddress(email)}</p>
${isChange && account.email && html`<p class="remedy">${links.change.replaces(account.email)}</p>`}
<form method="post" action="${context.path}">
${csrfField(context.tokens[0])}
<button class="wide" id="confirm" type="submit">${texts.submit}</button>
</form>
<p class="fine">${links.notYou}</p>`;
  sendPage(context, { status: stale ? 403 : 200, title: texts.title, content });
}

function sendDone(context: LinkContext, title: string, sentence: Html): void {
  const content = html`<p class="lead">${sentence}</p>
${toAccount(context)}`;
  sendPage(context, { once: true, title, emblem: iconEmblem('check'), content });
}

// Tells that the new address belongs to another account. Only the reader of the mail sees this page. If somebody else asked for the change,
// they do not learn it.
function sendTaken(context: LinkContext, { email }: Action): void {
  const { links } = context.messages;
  const content = html`<p class="lead">${links.taken.cause} ${shownAddress(email)}</p>
<p class="remedy">${links.taken.remedy}</p>
${toAccount(context)}
<p class="help">${links.noHelp} ${whomToAsk(context)}</p>`;
  sendPage(context, { status: 409, once: true, title: links.taken.title, emblem: iconEmblem('warning'), content });
}

function toAccount({ site, messages }: LinkContext): Html {
  return html`<p class="choices"><a class="button" id="continue" href="${site.base}${ACCOUNT_PATH}">${messages.links.toAccount}</a></p>`;
}
