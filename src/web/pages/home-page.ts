// Two pages: the home page, at the service's own address, describes the service and links to the documents for integrators. The other page
// explains a sandbox; its address is the `service_documentation` of the discovery document.

import type { RequestHandler } from 'express';
import { ACCOUNT_PATH, TRY_PATH } from '#config/built-in-clients.ts';
import { type Html, html } from '#web/html.ts';
import { keepPublicPage, pageHeaders } from '#web/http/page-headers.ts';
import { keepLanguage, type Language, languageLink, languageOf } from '#web/language.ts';
import { type PageFrame, type PageParts, renderPage, sendPage } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import { OUTBOX_PATH, type Site } from '#web/site.ts';

interface HomePage {
  /** Address of the directory's reference page. */
  docs: string;
  /** True if the demo relying party runs beside the service. */
  demo: boolean;
}

/** Makes the handler of `GET /`, which sends the home page. */
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

/** Renders links to the pages and documents that integrators need. */
function waysForIntegrators({ site, language }: Pick<PageFrame, 'site' | 'language'>, { docs, demo }: HomePage) {
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

/**
 * Makes the handler of `GET /sandbox`. The page says that the content is fictional, lists the accounts to sign in with, and links to other
 * pages.
 */
export function sandboxPage(site: Site, ways: HomePage): RequestHandler {
  return (req, res) => {
    const language = languageOf(req);
    keepLanguage(req, res, site);
    sendPage({ res, site, language, languageLink: languageLink(req) }, pageOf(site, language, ways));
  };
}

function pageOf(site: Site, language: Language, ways: HomePage): PageParts {
  const { sandbox, home } = messagesIn(language);
  const { people } = site;
  // The page needs no other facts, because the notice on every page of a sandbox says the rest.
  const facts = [sandbox.rights, sandbox.lost];
  const account = `${site.base}${ACCOUNT_PATH}`;
  const accounts =
    people.length === 0
      ? html`<p>${sandbox.askOperator}</p>`
      : html`<p>${sandbox.accountsAbout} <code>${people[0]?.password}</code></p>
<ul class="cards">
${people.map(({ name, login, note }) => html`<li><a href="${account}?login_hint=${encodeURIComponent(login)}">${name}<span>${note[language]}</span><span class="person-email">${login}</span></a></li>\n`)}</ul>`;
  const content = html`<p class="lead">${sandbox.introduction(site.name)}</p>
<section class="section"><h2>${sandbox.facts}</h2><ul class="bullets">${facts.map((fact) => html`<li>${fact}</li>`)}</ul></section>
<section class="section"><h2>${sandbox.accounts}</h2>${accounts}</section>
<section class="section"><h2>${home.developers}</h2>${waysForIntegrators({ site, language }, ways)}</section>`;
  return { title: sandbox.title, aboutSandbox: true, content };
}
