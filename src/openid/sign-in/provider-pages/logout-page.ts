// The pages of a sign-out: the question before and the confirmation after.

import { iconEmblem } from '#web/components.ts';
import { html, trustedHtml } from '#web/html.ts';
import { type PageFrame, renderPage } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import { waysOn } from '#web/pages/ways-on.ts';

interface SignOutPage extends PageFrame {
  /** The client that asks for the sign-out, where it is known. */
  clientName?: string | undefined;
}

/**
 * Asks before a session ends (SEC-37). `form` is the provider's own form, id `op.logoutForm`, with its hidden token. If it is sent without
 * `logout`, it signs out only of the asking client; without such a client, staying is a mere link.
 */
export function renderLogoutPage(page: SignOutPage & { form: string }): string {
  const { site, clientName } = page;
  const { signOut } = messagesIn(page.language);
  const reason = clientName === undefined ? signOut.everywhere(site.name) : signOut.fromClient(clientName, site.name);
  const stay =
    clientName === undefined
      ? html`<a class="button quiet" id="stay" href="${site.base}/">${signOut.stay}</a>`
      : html`<button class="quiet" id="stay" type="submit" form="op.logoutForm">${signOut.leaveOnly(clientName)}</button>`;
  const content = html`<p class="lead">${reason}</p>
${trustedHtml(page.form)}
<div class="choices stacked">
<button id="sign-out" type="submit" form="op.logoutForm" name="logout" value="yes">${signOut.confirm(site.name)}</button>
${stay}
</div>`;
  return renderPage({ ...page, title: signOut.title, emblem: iconEmblem('leave'), content });
}

/** The page for a browser without a session. */
export function renderNotSignedInPage(page: PageFrame): string {
  const { signedOut } = messagesIn(page.language);
  const content = html`<p class="lead">${signedOut.never(page.site.name)}</p>
${waysOn(page, { account: signedOut.signIn })}`;
  return renderPage({ ...page, title: signedOut.neverTitle, emblem: iconEmblem('check'), content });
}

/** The page after the session has ended or, with `clientName`, after only this client was left. */
export function renderSignedOutPage(page: SignOutPage): string {
  const { signedOut, home } = messagesIn(page.language);
  const { clientName } = page;
  return renderPage({
    ...page,
    title: clientName === undefined ? signedOut.title : signedOut.partlyTitle(clientName),
    emblem: iconEmblem('check'),
    content: html`<p class="lead">${
      clientName === undefined ? signedOut.advice : signedOut.partlyAdvice(page.site.name)
    }</p>
${waysOn(page, { account: clientName === undefined ? signedOut.signIn : home.account })}`,
  });
}
