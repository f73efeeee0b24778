// The page that explains a sandbox: its fictional content, the accounts to sign in with, and links to other pages. The discovery document
// names it as `service_documentation`.

import type { RequestHandler } from 'express';
import { ACCOUNT_PATH } from '#config/own-client.ts';
import { html } from '#web/html.ts';
import { keepLanguage, type Language, languageLink, languageOf } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';
import type { Site } from '#web/site.ts';
import { type HomePage, waysForIntegrators } from './home-page.ts';
import { type PageParts, sendPage } from './send-page.ts';

/** Answers `GET /sandbox`. */
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
  // The notice that every page of a sandbox shows says the rest.
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
