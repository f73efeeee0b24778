// Sends a page of Express: its headers, its status and its HTML.

import type { Response } from 'express';
import { pageHeaders } from '#web/http/page-headers.ts';
import { type Page, type PageFrame, renderPage } from '#web/layout.ts';

interface RequestOfPage extends PageFrame {
  res: Response;
  /** Addresses to which the forms of the page may redirect (`pageHeaders`). */
  formsLeadTo?: readonly string[];
}

/** A page without its frame. With a status of 400 or more, `Page.problem` is set. */
export type PageParts = Omit<Page, keyof PageFrame | 'problem'> & {
  /** Status of the response, 200 by default. */
  status?: number;
  /** True for a page that cannot be requested again. It has no language switch. */
  once?: boolean;
};

export function sendPage(request: RequestOfPage, { status = 200, once = false, ...page }: PageParts): void {
  const { res, site, language, languageLink, formsLeadTo = [] } = request;
  pageHeaders(res, { formsLeadTo, scripts: page.scripts ?? [] });
  const frame = { site, language, languageLink: once ? undefined : languageLink };
  const html = renderPage({ ...frame, ...page, problem: status >= 400 });
  res.status(status).type('html').send(html);
}
