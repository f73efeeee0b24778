// Owns the page at the service's own address: what it is, and where integrators find its documents.
// Does not own those documents.

import { ACCOUNT_PATH } from '../config/own-client.ts';
import { type Html, html } from '../web/html.ts';
import type { Language } from '../web/language.ts';
import { renderPage } from '../web/layout.ts';
import { messagesIn } from '../web/messages.ts';
import type { Site } from '../web/site.ts';

export interface HomePage {
  site: Site;
  language: Language;
  languageLink: (language: Language) => string;
  /** Address of the directory's reference page. */
  docs: string;
  /** Whether the demo relying party runs beside the service. */
  demo: boolean;
}

/** The start page. */
export function renderHomePage(page: HomePage): string {
  const { site } = page;
  const { home } = messagesIn(page.language);
  const content = html`<p class="lead">${home.introduction(site.name)}</p>
<section class="section"><h2>${home.people}</h2><p>${home.peopleAdvice}</p>
<ul class="cards">${link(site.base + ACCOUNT_PATH, home.account, home.accountAbout)}</ul></section>
<section class="section"><h2>${home.developers}</h2>
<ul class="cards">${page.demo && link(`${site.base}/demo`, home.demo, home.demoAbout)}${link(
    `${site.base}/.well-known/openid-configuration`,
    home.discovery,
    home.discoveryAbout,
  )}${link(page.docs, home.directory, home.directoryAbout)}</ul></section>`;
  return renderPage({ site, language: page.language, languageLink: page.languageLink, title: home.title, content });
}

function link(target: string, name: string, about: string): Html {
  return html`<li><a href="${target}">${name}<span>${about}</span></a></li>`;
}
