// The page at the service's own address. It describes the service and links to the documents for integrators.

import type { RequestHandler } from 'express';
import { ACCOUNT_PATH } from '#config/own-client.ts';
import { TRY_PATH } from '#config/try-client.ts';
import { type Html, html } from '#web/html.ts';
import { keepPublicPage, pageHeaders } from '#web/http/page-headers.ts';
import { keepLanguage, languageLink, languageOf } from '#web/language.ts';
import { type PageFrame, renderPage } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import { OUTBOX_PATH, type Site } from '#web/site.ts';

export interface HomePage {
  /** Address of the directory's reference page. */
  docs: string;
  /** True if the demo relying party runs beside the service. */
  demo: boolean;
}

/** Answers `GET /`. */
export function homePage(site: Site, page: HomePage): RequestHandler {
  return (req, res) => {
    pageHeaders(res);
    keepLanguage(req, res, site);
    keepPublicPage(res);
    res.type('html').send(render({ site, language: languageOf(req), languageLink: languageLink(req) }, page));
  };
}

function render(frame: PageFrame, page: HomePage): string {
  const { site } = frame;
  const { home } = messagesIn(frame.language);
  const content = html`<p class="lead">${home.introduction(site.name)}</p>
<section class="section"><h2>${home.people}</h2><p>${home.peopleAdvice}</p>
<ul class="cards">${link(site.base + ACCOUNT_PATH, home.account, home.accountAbout)}</ul></section>
<section class="section"><h2>${home.developers}</h2>
${waysForIntegrators(frame, page)}</section>`;
  return renderPage({ ...frame, title: home.title, indexed: !site.sandbox, content });
}

/** Links to the pages and documents that integrators need. */
export function waysForIntegrators({ site, language }: Pick<PageFrame, 'site' | 'language'>, { docs, demo }: HomePage) {
  const { home, mails } = messagesIn(language);
  return html`<ul class="cards">${demo && link(`${site.base}/demo`, home.demo, home.demoAbout)}${link(
    `${site.base}/.well-known/openid-configuration`,
    home.discovery,
    home.discoveryAbout,
  )}${link(docs, home.directory, home.directoryAbout)}${link(site.base + TRY_PATH, home.tryIt, home.tryItAbout)}${
    site.outbox && link(site.base + OUTBOX_PATH, mails.outbox.title, mails.outbox.about)
  }</ul>`;
}

function link(target: string, name: string, about: string): Html {
  return html`<li><a href="${target}">${name}<span>${about}</span></a></li>`;
}
