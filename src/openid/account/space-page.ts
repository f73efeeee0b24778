// The frame of every account page: a header with the service and the person's name, the navigation, the page.

import { problemNotice } from '#web/components.ts';
import { type Html, type HtmlValue, html } from '#web/html.ts';
import { pageHeaders } from '#web/http/page-headers.ts';
import type { Language } from '#web/language.ts';
import {
  addressToCheck,
  assetOf,
  footer,
  languageSwitch,
  type PageFrame,
  renderDocument,
  sandboxNotice,
} from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import type { PageScript } from '#web/page-scripts.ts';
import { takeNotice } from './notices.ts';
import { type PageContext, pathOf } from './page-context.ts';

/** The entries of the navigation, in their order. Each is also the name of a page. */
const SECTIONS = ['profile', 'security', 'applications', 'sessions', 'activity'] as const;
export type Section = (typeof SECTIONS)[number];

interface SpacePage {
  /** 200 unless given. */
  status?: number;
  /** Position of the page in the navigation. */
  section: Section;
  /** The page's only h1. */
  title: string;
  /** True if something went wrong. The browser's title says so too. */
  problem?: boolean;
  content: HtmlValue;
  scripts?: readonly PageScript[];
  /** True for a page that asks for a password: the address stands above the form, so that the person can check it. */
  showAddress?: boolean;
  /** True for a page that is shown only once. It has no language switch, which would request it again. */
  once?: boolean;
}

/** Sends a page, together with the notice of the last action if there is one. */
export function sendSpacePage(context: PageContext, page: SpacePage): void {
  const { res, site, language, languageLink } = context;
  const { section, title, problem = false, content, scripts = [] } = page;
  const frame = { site, language, languageLink: page.once ? undefined : languageLink };
  const body = html`${header(context, frame)}
<div class="space">
${navigation(context, section)}
<div class="space-content">
${sandboxNotice(frame)}
<main id="content" tabindex="-1">
<h1>${title}</h1>
${takeNotice(context)}
${page.showAddress && html`<p class="fine" id="address">${addressToCheck(frame)}</p>`}
${content}
</main>
${footer(frame)}
</div>
</div>`;
  pageHeaders(res, { scripts });
  const document = renderDocument({ ...frame, title, problem, scripts }, body, 'account-space');
  res
    .status(page.status ?? 200)
    .type('html')
    .send(document);
}

function header({ site, account, language }: PageContext, frame: PageFrame): Html {
  const { signOut } = messagesIn(language).account;
  return html`<header class="space-header">
<a class="identity" href="${pathOf({ base: site.base }, 'profile')}"><img src="${assetOf(site, 'mark-inverse.svg')}" alt="" width="32" height="32"><span>${site.name}</span></a>
<p class="whose">${account.name}</p>
${languageSwitch(frame)}
<a class="leave" id="sign-out" href="${site.base}/logout">${signOut}</a>
</header>`;
}

function navigation({ site, language }: PageContext, current: Section): Html {
  const { navigation, sections } = messagesIn(language).account;
  const entry = (section: Section) =>
    html`<li><a href="${pathOf(site, section)}"${section === current && html` aria-current="page"`}>${sections[section]}</a></li>`;
  return html`<nav class="sections" aria-label="${navigation}"><ul>${SECTIONS.map(entry)}</ul></nav>`;
}

/** A part of a page. Its id is relied on from outside. */
export function part(id: string, heading: string, content: HtmlValue): Html {
  return html`<section class="section account" id="${id}"><h2>${heading}</h2>
${content}
</section>`;
}

/** The notice above a form that did not come from a page of this session. */
export function staleNotice(language: Language): Html {
  const { stale, staleAdvice } = messagesIn(language).account;
  return problemNotice(stale, html`<p>${staleAdvice}</p>`, { focus: true });
}
