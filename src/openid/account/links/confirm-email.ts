// The pages behind the links that verify an e-mail address or confirm a new one. They show a button, because mail scanners open links too.

import { ACCOUNT_PATH } from '#config/own-client.ts';
import { EmailTaken } from '#store/accounts/accounts.ts';
import type { Action } from '#store/accounts/action-tokens.ts';
import { iconEmblem, problemNotice } from '#web/components.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { readForm } from '#web/forms/form.ts';
import { type Html, html } from '#web/html.ts';
import { messagesIn } from '#web/messages.ts';
import { whomToAsk } from '#web/pages/ways-on.ts';
import { type LinkContext, recordLink } from './link-context.ts';
import { sendLinkPage, sendUselessLink, shownAddress } from './link-pages.ts';

type EmailPurpose = 'email-verification' | 'email-change';

/** Shows the confirmation button. Its id `confirm` is relied on from outside. */
export const sendEmailPage = (purpose: EmailPurpose) => async (context: LinkContext) => {
  const action = await context.actionTokens.find(purpose, context.link);
  if (action) sendQuestion(context, purpose, action);
  else sendUselessLink(context, purpose);
};

/** Answers the pressed button. */
export const confirmEmail = (purpose: EmailPurpose) => async (context: LinkContext) => {
  const { req, csrf, link } = context;
  const { stale } = readForm(req, csrf);
  const action = await context.actionTokens.find(purpose, link);
  if (!action) return sendUselessLink(context, purpose);
  if (stale) return sendQuestion(context, purpose, action, { stale });
  const { links } = messagesIn(context.language);
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
  const { links, account: messages } = messagesIn(context.language);
  const isChange = purpose === 'email-change';
  const texts = isChange ? links.change : links.verification;
  const content = html`${stale && problemNotice(messages.stale, html`<p>${messages.staleAdvice}</p>`, { focus: true })}
<p class="lead">${texts.lead} ${shownAddress(email)}</p>
${isChange && account.email && html`<p class="remedy">${links.change.replaces(account.email)}</p>`}
<form method="post" action="${context.path}">
${csrfField(context.csrf[0])}
<button class="wide" id="confirm" type="submit">${texts.submit}</button>
</form>
<p class="fine">${links.notYou}</p>`;
  sendLinkPage(context, { status: stale ? 403 : 200, title: texts.title, problem: stale, content });
}

function sendDone(context: LinkContext, title: string, sentence: Html): void {
  const { site, language } = context;
  const content = html`<p class="lead">${sentence}</p>
<p class="choices"><a class="button" id="continue" href="${site.base}${ACCOUNT_PATH}">${messagesIn(language).links.toAccount}</a></p>`;
  sendLinkPage(context, { once: true, title, emblem: iconEmblem('check'), content });
}

// Only the reader of the mail learns that the address is taken. The person who asked for the change does not.
function sendTaken(context: LinkContext, { email }: Action): void {
  const { site, language } = context;
  const { links } = messagesIn(language);
  const content = html`<p class="lead">${links.taken.cause} ${shownAddress(email)}</p>
<p class="remedy">${links.taken.remedy}</p>
<p class="choices"><a class="button" id="continue" href="${site.base}${ACCOUNT_PATH}">${links.toAccount}</a></p>
<p class="help">${links.noHelp} ${whomToAsk(context)}</p>`;
  const page = { title: links.taken.title, problem: true, emblem: iconEmblem('warning'), content };
  sendLinkPage(context, { status: 409, once: true, ...page });
}
