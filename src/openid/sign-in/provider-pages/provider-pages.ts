// The pages of the OpenID provider itself: errors of a request, the question before a sign-out, its end, and the form that carries a
// response to a client.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { iconEmblem } from '#web/components.ts';
import { html } from '#web/html.ts';
import { pageHeaders } from '#web/http/page-headers.ts';
import { keepLanguage, type Language, languageLink, languageOf } from '#web/language.ts';
import { renderPage } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import { type ErrorPage, renderErrorPage, requestIdOf } from '#web/pages/error-page.ts';
import { applicationOf, type RegisteredApplication } from '#web/pages/ways-on.ts';
import type { Site } from '#web/site.ts';
import { renderLogoutPage, renderNotSignedInPage, renderSignedOutPage } from './logout-page.ts';

/** The parts of the provider's context (`ctx`) that these pages read. */
interface Context {
  req: IncomingMessage;
  res: ServerResponse;
  oidc?: {
    client?: RegisteredApplication | undefined;
    params?: { ui_locales?: unknown; post_logout_redirect_uri?: unknown } | undefined;
  };
}

/** A form that the browser posts to the client's callback. */
interface FormPost {
  action: string;
  fields: readonly (readonly [name: string, value: string])[];
}

type ProviderError = Omit<ErrorPage, 'site' | 'language' | 'languageLink' | 'reference'>;

/** The pages for one site. Each sets its headers and returns a whole HTML document. */
export function createProviderPages(site: Site) {
  const prepare = ({ req, res, oidc }: Context, formsLeadTo: readonly string[] = []) => {
    pageHeaders(res, { formsLeadTo });
    keepLanguage(req, res, site);
    return {
      site,
      language: languageOf(req, text(oidc?.params?.ui_locales)),
      // Only a page requested with GET can be requested again in another language. The answer to a form cannot.
      languageLink: req.method === 'GET' ? languageLink(req) : undefined,
      clientName: oidc?.client?.clientName,
    };
  };

  return {
    error: (ctx: Context, error: ProviderError): string => {
      const application = ctx.oidc?.client && applicationOf(ctx.oidc.client);
      return renderErrorPage({ ...prepare(ctx), ...error, application, reference: requestIdOf(ctx.res) });
    },

    logout: (ctx: Context, form: string): string => {
      const destination = text(ctx.oidc?.params?.post_logout_redirect_uri);
      return renderLogoutPage({ ...prepare(ctx, destination === undefined ? [] : [destination]), form });
    },

    notSignedIn: (ctx: Context): string => renderNotSignedInPage(prepare(ctx)),

    signedOut: (ctx: Context): string => renderSignedOutPage(prepare(ctx)),

    formPost: ({ req, res, oidc }: Context, form: FormPost): string => {
      pageHeaders(res, { formsLeadTo: [form.action], scripts: ['post-form'] });
      // There is no language switch: requesting the response again would make a new one.
      return renderFormPostPage(site, languageOf(req, text(oidc?.params?.ui_locales)), form);
    },
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * The page that carries a response to a client (`response_mode=form_post`): a form that posts itself, with a button if scripts are off. It
 * is the same for a response and for an error, which the client shows.
 */
function renderFormPostPage(site: Site, language: Language, { action, fields }: FormPost): string {
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
