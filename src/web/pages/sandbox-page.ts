// The page that explains a sandbox: its fictional content, and the accounts to sign in with. Discovery names it as `service_documentation`.

import type { RequestHandler } from 'express';
import { html } from '#web/html.ts';
import { keepLanguage, type Language, languageLink, languageOf } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';
import type { Site } from '#web/site.ts';
import { type PageParts, sendPage } from './send-page.ts';

/** Answers `GET /sandbox`. */
export function sandboxPage(site: Site): RequestHandler {
  return (req, res) => {
    const language = languageOf(req);
    keepLanguage(req, res, site);
    sendPage({ res, site, language, languageLink: languageLink(req) }, pageOf(site, language));
  };
}

function pageOf(site: Site, language: Language): PageParts {
  const { sandbox } = messagesIn(language);
  const { people } = site;
  const facts = [sandbox.people, sandbox.data, sandbox.rights, sandbox.lost];
  const accounts =
    people.length === 0
      ? html`<p>${sandbox.askOperator}</p>`
      : html`<p>${sandbox.accountsAbout} <code>${people[0]?.password}</code></p>
<ul class="bullets">
${people.map(({ name, login, note }) => html`<li><strong>${name}</strong>, ${note[language]} <span class="person-email">${login}</span></li>\n`)}</ul>`;
  const content = html`<p class="lead">${sandbox.introduction(site.name)}</p>
<section class="section"><h2>${sandbox.facts}</h2><ul class="bullets">${facts.map((fact) => html`<li>${fact}</li>`)}</ul></section>
<section class="section"><h2>${sandbox.accounts}</h2>${accounts}</section>`;
  return { title: sandbox.title, aboutSandbox: true, content };
}
