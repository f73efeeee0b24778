// Owns the pages that the OpenID provider shows by itself: faults of a request, the question before a sign-out, its end.
// Does not own their looks (`error-page.ts`, `logout-page.ts`) nor when they are shown.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { REQUEST_ID } from '../shared/log/log.ts';
import { keepLanguage, type Language, languageLink, languageOf } from '../web/language.ts';
import { pageHeaders } from '../web/page-headers.ts';
import type { Site } from '../web/site.ts';
import { type Difference, renderErrorPage } from './error-page.ts';
import { POST_AT_ONCE, renderFormPostPage } from './form-post-page.ts';
import { renderLogoutPage, renderNotSignedInPage, renderSignedOutPage } from './logout-page.ts';

/** What these pages read of the provider's context. */
interface Context {
  req: IncomingMessage;
  res: ServerResponse;
  oidc?: {
    client?: { clientName?: string | undefined } | undefined;
    params?: { ui_locales?: unknown; post_logout_redirect_uri?: unknown } | undefined;
  };
}

interface Fault {
  error: string;
  description?: string;
  parameter?: string;
  difference?: Difference;
  unknownClient?: boolean;
  signOut?: { session?: { action: string; xsrf: string } };
}

/** An answer that the browser posts to a client. */
type CallbackForm = Pick<Parameters<typeof renderFormPostPage>[0], 'action' | 'fields'>;

/** The pages for one site; each sets its headers and returns a whole HTML document. */
export function createProviderPages(site: Site) {
  const frame = ({ req, oidc }: Context) => ({
    site,
    language: languageOf(req, text(oidc?.params?.ui_locales)),
    // Only a page that was asked for, not the answer to a form, can be asked for again in another language.
    ...(req.method === 'GET' && { languageLink: (language: Language) => languageLink(req, language) }),
  });
  const clientOf = ({ oidc }: Context) => ({ clientName: oidc?.client?.clientName });

  return {
    error: (ctx: Context, fault: Fault): string => {
      pageHeaders(ctx.res);
      keepLanguage(ctx.req, ctx.res, site);
      const reference = String(ctx.res.getHeader(REQUEST_ID) ?? '');
      return renderErrorPage({ ...frame(ctx), ...fault, reference });
    },
    logout: (ctx: Context, form: string): string => {
      const destination = text(ctx.oidc?.params?.post_logout_redirect_uri);
      pageHeaders(ctx.res, destination === undefined ? {} : { formsLeadTo: [destination] });
      keepLanguage(ctx.req, ctx.res, site);
      return renderLogoutPage({ ...frame(ctx), ...clientOf(ctx), form });
    },
    notSignedIn: (ctx: Context): string => {
      pageHeaders(ctx.res);
      keepLanguage(ctx.req, ctx.res, site);
      return renderNotSignedInPage(frame(ctx));
    },
    formPost: (ctx: Context, form: CallbackForm): string => {
      pageHeaders(ctx.res, { formsLeadTo: [form.action], script: POST_AT_ONCE });
      // Without the switch: to ask again for an answer is to make another one.
      return renderFormPostPage({ site, language: frame(ctx).language, ...form });
    },
    signedOut: (ctx: Context): string => {
      pageHeaders(ctx.res);
      keepLanguage(ctx.req, ctx.res, site);
      return renderSignedOutPage({ ...frame(ctx), ...clientOf(ctx) });
    },
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
