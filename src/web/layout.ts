// The frame of every page: head, panel with the logo, language switch, one h1, footer. Also has the function that sends a page with its
// headers and its status.

import type { Response } from 'express';
import { type PageScript, scriptElements } from './assets.ts';
import { type Html, type HtmlValue, html, linkTarget } from './html.ts';
import { pageHeaders } from './http/page-headers.ts';
import { LANGUAGES, type Language, type LanguageLink } from './language.ts';
import { messagesIn } from './messages.ts';
import { SANDBOX_PATH, type Site } from './site.ts';

/** Data that every page needs: facts about the service, and the language. */
export interface PageFrame {
  site: Site;
  language: Language;
  /** Makes the links of the language switch. Absent on pages that cannot be requested again, which have no switch. */
  languageLink?: LanguageLink | undefined;
}

export interface Page extends PageFrame {
  /** The page's only h1, and the first part of the browser's title. */
  title: string;
  /** True if something went wrong. The browser's title then begins with a word for that, because screen readers read the title first. */
  problem?: boolean;
  /** Small round picture above the title, with a letter or an icon. */
  emblem?: Html;
  content: HtmlValue;
  /** Scripts of the page, which its headers must allow (`pageHeaders`). */
  scripts?: readonly PageScript[];
  /** True for a page that asks for a password. It shows the host that people compare with their address bar (`addressToCheck`). */
  showAddress?: boolean;
  /** True if search engines may show the page. */
  indexed?: boolean;
  /** True for the page that explains a sandbox. The notice of the sandbox needs no link there. */
  aboutSandbox?: boolean;
  /**
   * Id of a form that the language switch sends to `languageLink`, so that what the person has typed is not lost. The switch then comes
   * after the content, because the Enter key presses the first button of a form.
   */
  languageForm?: string;
  /** True for a page with a long text. Its panel becomes a band, and the content takes the full width. */
  reading?: boolean;
}

/** Renders a whole HTML document, with the panel of the service beside or above its content. */
export function renderPage(page: Page): string {
  const { site, language } = page;
  const messages = messagesIn(language);
  const panel = html`<header class="panel">
<div class="identity"><img src="${assetOf(site, 'mark-inverse.svg')}" alt="" width="44" height="44"><span>${site.name}</span></div>
<p class="tagline">${messages.page.tagline}</p>
${page.showAddress && html`<p class="address">${addressToCheck(page)}</p>`}
</header>`;
  const body = html`${panel}
<div class="column">
${sandboxNotice(page)}
${page.languageForm === undefined && languageSwitch(page)}
<main id="content" tabindex="-1">
${page.emblem}
<h1>${page.title}</h1>
${page.content}
</main>
${page.languageForm !== undefined && languageSwitch(page, page.languageForm)}
${footer(page)}
</div>`;
  return renderDocument(page, body, page.reading ? 'reading' : undefined);
}

/** Renders a whole HTML document with a body that the caller has made. `body` must contain the only `main`, with the id `content`. */
export function renderDocument(page: Omit<Page, 'content'>, body: Html, bodyClass?: string): string {
  const { site, language, title } = page;
  const messages = messagesIn(language);
  return html`<!DOCTYPE html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
${!page.indexed && html`<meta name="robots" content="noindex">`}
<title>${page.problem ? `${messages.page.problem} – ` : ''}${title} – ${site.name}</title>
<link rel="icon" href="${assetOf(site, 'mark.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetOf(site, 'style.css')}">
</head>
<body${bodyClass !== undefined && html` class="${bodyClass}"`}>
<a class="skip" href="#content">${messages.page.skip}</a>
${body}
${scriptElements(page.scripts ?? [])}</body>
</html>
`.toString();
}

/** Returns the address from which pages load a file of `assets/`. */
export function assetOf(site: Site, name: string): string {
  return `${site.base}${site.assets.path(name)}`;
}

/**
 * Renders the notice that stands on every page of a sandbox, so that nobody mistakes the sandbox for the real service. Returns undefined if
 * the service is no sandbox.
 */
export function sandboxNotice({ site, language, aboutSandbox }: Omit<Page, 'title' | 'content'>): Html | undefined {
  if (!site.sandbox) return undefined;
  const { sandbox } = messagesIn(language);
  const more = !aboutSandbox && html` <a href="${site.base}${SANDBOX_PATH}">${sandbox.more}</a>`;
  return html`<aside class="sandbox" aria-label="${sandbox.label}"><p>${sandbox.notice}${more}</p></aside>`;
}

/**
 * Renders the language switch: a link to the page in each other language, or a button of the form `form`. Returns undefined if the page
 * cannot be requested again.
 */
export function languageSwitch({ language: current, languageLink: link }: PageFrame, form?: string): Html | undefined {
  if (!link) return undefined;
  const others = LANGUAGES.filter((language) => language !== current);
  return html`<nav class="languages" aria-label="${messagesIn(current).page.otherLanguage}">${others.map((language) => {
    const { languageName } = messagesIn(language);
    return form === undefined
      ? html`<a href="${link(language)}" hreflang="${language}" lang="${language}">${languageName}</a>`
      : html`<button form="${form}" formaction="${link(language)}" formnovalidate lang="${language}" type="submit">${languageName}</button>`;
  })}</nav>`;
}

/** Renders the links to the operator's support and privacy pages. Returns undefined if the operator has given neither. */
export function footer({ site, language }: PageFrame): Html | undefined {
  const messages = messagesIn(language);
  const links = [
    [linkTarget(site.supportUrl), messages.page.support],
    [linkTarget(site.privacyUrl), messages.page.privacy],
  ] as const;
  const shown = links.filter(([target]) => target !== undefined);
  if (shown.length === 0) return undefined;
  return html`<footer><nav class="links" aria-label="${messages.page.footer}">${shown.map(
    ([target, text]) => html`<a href="${target}">${text}</a>`,
  )}</nav></footer>`;
}

/** Renders the host of the service, which people compare with their address bar before they type a password. */
export function addressToCheck({ site, language }: PageFrame): Html {
  const [before = '', after = ''] = messagesIn(language).page.address(site.host).split(site.host, 2);
  return html`${before}<strong>${site.host}</strong>${after}`;
}

interface RequestOfPage extends PageFrame {
  res: Response;
  /** Addresses to which the forms of the page may redirect (`pageHeaders`). */
  formsLeadTo?: readonly string[];
}

/**
 * What the caller of `sendPage` gives for a page: everything except the frame. `sendPage` sets `Page.problem` if `status` is 400 or more.
 */
export type PageParts = Omit<Page, keyof PageFrame | 'problem'> & {
  /** Status of the response, 200 by default. */
  status?: number;
  /** True for a page that cannot be requested again, and therefore gets no language switch. */
  once?: boolean;
};

export function sendPage(request: RequestOfPage, { status = 200, once = false, ...page }: PageParts): void {
  const { res, site, language, languageLink, formsLeadTo = [] } = request;
  pageHeaders(res, { formsLeadTo, scripts: page.scripts ?? [] });
  const frame = { site, language, languageLink: once ? undefined : languageLink };
  const text = renderPage({ ...frame, ...page, problem: status >= 400 });
  res.status(status).type('html').send(text);
}
