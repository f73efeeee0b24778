// The pages of the OpenID provider itself: errors of a request, the question before a sign-out, the end of a sign-out, and the form that
// carries a response to a client.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { iconEmblem } from '#web/components.ts';
import { html, trustedHtml } from '#web/html.ts';
import { pageHeaders } from '#web/http/page-headers.ts';
import { keepLanguage, type Language, languageLink, languageOf } from '#web/language.ts';
import { type PageFrame, renderPage } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import { type ErrorPage, renderErrorPage, requestIdOf } from '#web/pages/error-page.ts';
import { applicationOf, type RegisteredApplication, waysOn } from '#web/pages/ways-on.ts';
import type { Site } from '#web/site.ts';
import type { CallbackForm } from './authorization-response.ts';

/** The parts of the provider's context (`ctx`) that these pages read. */
interface Context {
  req: IncomingMessage;
  res: ServerResponse;
  oidc?: {
    client?: RegisteredApplication | undefined;
    params?: { ui_locales?: unknown; post_logout_redirect_uri?: unknown } | undefined;
  };
}

type ProviderError = Omit<ErrorPage, 'site' | 'language' | 'languageLink' | 'reference'>;

/** Makes the pages of one site. Each function sets the headers of the response and returns a whole HTML document. */
export function createProviderPages(site: Site) {
  const prepare = ({ req, res, oidc }: Context, formsLeadTo: readonly string[] = []) => {
    pageHeaders(res, { formsLeadTo });
    keepLanguage(req, res, site);
    return {
      site,
      language: languageOf(req, text(oidc?.params?.ui_locales)),
      // The response to a form has no language switch, because the switch requests the page again with GET.
      languageLink: req.method === 'GET' ? languageLink(req) : undefined,
      clientName: oidc?.client?.clientName,
    };
  };

  return {
    error: (ctx: Context, error: ProviderError): string => {
      const application = ctx.oidc?.client && applicationOf(ctx.oidc.client);
      return renderErrorPage({ ...prepare(ctx), ...error, application, reference: requestIdOf(ctx.res) });
    },

    /** The question before a sign-out. `form` is the library's own form, with the id `op.logoutForm`. */
    logout: (ctx: Context, form: string): string => {
      const destination = text(ctx.oidc?.params?.post_logout_redirect_uri);
      return renderLogoutPage({ ...prepare(ctx, destination === undefined ? [] : [destination]), form });
    },

    /** The page after a request to sign out if nobody is signed in. */
    notSignedIn: (ctx: Context): string => renderNotSignedInPage(prepare(ctx)),

    signedOut: (ctx: Context): string => renderSignedOutPage(prepare(ctx)),

    /** The page with the form that posts an authorization response to the client's callback without a click. */
    formPost: ({ req, res, oidc }: Context, form: CallbackForm): string => {
      pageHeaders(res, { formsLeadTo: [form.action], scripts: ['post-form'] });
      // The page has no language switch, because the switch would request the page again, and the library would make a new response.
      return renderFormPostPage(site, languageOf(req, text(oidc?.params?.ui_locales)), form);
    },
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * The page that carries a response to a client (`response_mode=form_post`). Its form posts itself, or has a button if scripts are off. The
 * page is the same for a success and for an error, because the client itself shows the error.
 */
function renderFormPostPage(site: Site, language: Language, { action, fields }: CallbackForm): string {
  const messages = messagesIn(language).formPost;
  const inputs = fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">\n`);
  const content = html`<p class="lead">${messages.automatic}</p>
<noscript><p class="remedy">${messages.withoutScript}</p></noscript>
<form id="answer" method="post" action="${action}">
${inputs}<div class="choices"><button id="continue" type="submit">${messages.submit}</button></div>
</form>`;
  const scripts = ['post-form'] as const;
  return renderPage({ site, language, title: messages.title, emblem: iconEmblem('check'), content, scripts });
}

interface SignOutPage extends PageFrame {
  /** The client that asks for the sign-out; undefined if it is unknown. */
  clientName?: string | undefined;
}

/**
 * Asks before a session ends (SEC-37). `form` is the library's own form, with the id `op.logoutForm` and a hidden token. If the form is
 * sent without the field `logout`, the person is signed out of the asking client only, and the page has a button for this. If no client
 * asks, the page has a link instead, which leaves the person signed in.
 */
function renderLogoutPage(page: SignOutPage & { form: string }): string {
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

/** The page after a request to sign out from a browser without a session. */
function renderNotSignedInPage(page: PageFrame): string {
  const { signedOut } = messagesIn(page.language);
  const content = html`<p class="lead">${signedOut.never(page.site.name)}</p>
${waysOn(page, { account: signedOut.signIn })}`;
  return renderPage({ ...page, title: signedOut.neverTitle, emblem: iconEmblem('check'), content });
}

/** The page after a sign-out. If there is a `clientName`, the person has signed out of this client only. */
function renderSignedOutPage(page: SignOutPage): string {
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
