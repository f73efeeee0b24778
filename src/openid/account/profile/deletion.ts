// A person asks for the deletion of their account, or takes that back; an operator does it (`accounts delete`).

import { OWN_CLIENT_ID } from '#config/own-client.ts';
import { accountSession, type PageContext, pathOf } from '#openid/account/page-context.ts';
import { sendSpacePage } from '#openid/account/space-page.ts';
import { problemNotice } from '#web/components.ts';
import { csrfField, tokensOfSession } from '#web/forms/csrf.ts';
import { readForm } from '#web/forms/form.ts';
import { html } from '#web/html.ts';
import { messagesIn } from '#web/messages.ts';

/** Says what would go and what stays, and asks whether to. The button's id `request-deletion` is relied on from outside. */
export async function sendDeletionPage(context: PageContext, { stale = false } = {}): Promise<void> {
  const { req, res, site, language, path, account } = context;
  if (account.deletionRequestedAt !== undefined) return res.redirect(303, pathOf(site, 'profile'));
  const { account: common, profile } = messagesIn(language);
  const list = (items: readonly string[]) =>
    html`<ul class="plain">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
  const content = html`${stale && problemNotice(common.stale, html`<p>${common.staleAdvice}</p>`, { focus: true })}
<p class="lead">${profile.deletionAbout}</p>
<section class="section"><h2>${profile.deletionGoes}</h2>${list(profile.deletionGoesList)}</section>
<section class="section"><h2>${profile.deletionStays}</h2>${list(profile.deletionStaysList)}</section>
<form method="post" action="${path}">${csrfField(tokensOfSession(req.session)[0])}
<div class="choices stacked">
<button class="danger" id="request-deletion" type="submit">${profile.deletionSubmit}</button>
<a class="button quiet" id="cancel" href="${pathOf(site, 'profile')}">${common.cancel}</a>
</div>
</form>`;
  const title = profile.deletionTitle;
  sendSpacePage(context, { status: stale ? 403 : 200, section: 'profile', title, problem: stale, content });
}

/** Asks for it. */
export async function requestDeletion(context: PageContext): Promise<void> {
  if (readForm(context.req, tokensOfSession(context.req.session)).stale)
    return sendDeletionPage(context, { stale: true });
  await note(context, true);
}

/** Leads to the profile, where the button stands that takes it back. */
export async function sendWithdrawalPage({ res, site }: PageContext): Promise<void> {
  res.redirect(303, pathOf(site, 'profile'));
}

/** Takes it back. */
export async function withdrawDeletion(context: PageContext): Promise<void> {
  const { req, res, site } = context;
  if (readForm(req, tokensOfSession(req.session)).stale) return res.redirect(303, pathOf(site, 'profile'));
  await note(context, false);
}

async function note({ req, res, site, account, audit, accountDeletion }: PageContext, wanted: boolean): Promise<void> {
  if (await accountDeletion.request(account.id, wanted)) {
    const event = wanted ? 'account.deletion-requested' : 'account.deletion-withdrawn';
    const about = { account: account.id, client: OWN_CLIENT_ID, address: req.ip };
    await audit.record({ event, actor: `account:${account.id}`, ...about });
    accountSession(req).notice = { kind: wanted ? 'deletion-requested' : 'deletion-withdrawn' };
  }
  res.redirect(303, pathOf(site, 'profile'));
}
