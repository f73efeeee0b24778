// Lets a person request the deletion of their account, or withdraw the request. An operator deletes the account (`accounts delete`).

import { type AccountContext, leadTo, record } from '#openid/account/page-context.ts';
import { sendQuestion } from '#openid/account/space-page.ts';
import { readForm } from '#web/forms/form.ts';
import { html } from '#web/html.ts';

/** Explains the effects of a deletion, and asks for confirmation. Programs of others rely on the button's id `request-deletion`. */
export async function sendDeletionPage(context: AccountContext, { stale = false } = {}): Promise<void> {
  const { messages, account } = context;
  if (account.deletionRequestedAt !== undefined) return leadTo(context, 'profile');
  const { profile } = messages;
  const list = (items: readonly string[]) =>
    html`<ul class="plain">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
  const question = {
    section: 'profile',
    title: profile.deletionTitle,
    text: html`<p class="lead">${profile.deletionAbout}</p>
<section class="section"><h2>${profile.deletionGoes}</h2>${list(profile.deletionGoesList)}</section>
<section class="section"><h2>${profile.deletionStays}</h2>${list(profile.deletionStaysList)}</section>`,
    button: { id: 'request-deletion', label: profile.deletionSubmit, danger: true },
    back: 'profile',
  } as const;
  sendQuestion(context, question, stale);
}

/** Stores the request for a deletion. */
export async function requestDeletion(context: AccountContext): Promise<void> {
  if (readForm(context.req, context.tokens).stale) return sendDeletionPage(context, { stale: true });
  await note(context, true);
}

/** Redirects to the profile, which has the button that withdraws the request. */
export async function sendWithdrawalPage(context: AccountContext): Promise<void> {
  leadTo(context, 'profile');
}

/** Withdraws the request. */
export async function withdrawDeletion(context: AccountContext): Promise<void> {
  const { req, tokens } = context;
  if (readForm(req, tokens).stale) return leadTo(context, 'profile');
  await note(context, false);
}

async function note(context: AccountContext, wanted: boolean): Promise<void> {
  const { account, accountDeletion } = context;
  if (await accountDeletion.request(account.id, wanted)) {
    const event = wanted ? 'account.deletion-requested' : 'account.deletion-withdrawn';
    await record(context, event);
    return leadTo(context, 'profile', { kind: wanted ? 'deletion-requested' : 'deletion-withdrawn' });
  }
  leadTo(context, 'profile');
}
