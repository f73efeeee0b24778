// The frame of every page of the demo: head, masthead, navigation, language switch and footer.

import { type Html, html } from '#demo/html.ts';
import { demoPaths } from '#demo/paths.ts';
import { LANGUAGES, type View } from '#demo/view.ts';

/** Names of the style sheets. Every page loads all of them from `/demo/styles/`. */
export const STYLES = ['frame', 'content', 'steps', 'search', 'record', 'records', 'requests'];

interface PageParts {
  title: string;
  /** Name of the navigation entry for this page. The navigation marks it. */
  current?: string;
  content: Html;
  /** Names of the scripts that the page loads from `/demo/`. `copy` makes the copy buttons work, and `towns` belongs to the search. */
  scripts?: readonly ('copy' | 'towns')[];
}

/** Renders a whole HTML document. */
export function page(view: View, { title, current, content, scripts }: PageParts): string {
  const { messages, to } = view;
  return html`<!doctype html>
<html lang="${messages.language.tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} – ${messages.brand}</title>
<link rel="icon" href="${to('mirabelle.svg')}" type="image/svg+xml">
${STYLES.map((name) => html`<link rel="stylesheet" href="${to(`styles/${name}.css`)}">`)}
${scripts?.map((name) => html`<script defer src="${to(`${name}.js`)}"></script>`)}
</head>
<body>
<a class="skip" href="#content">${messages.skip}</a>
<header class="masthead">
<p class="invented">${messages.invented}</p>
<div class="masthead-row">
<a class="brand" href="${to(demoPaths.start)}"><img src="${to('mirabelle.svg')}" alt="" width="36" height="36">${messages.brand}</a>
${languageSwitch(view)}
${view.person && personBox(view, view.person)}
</div>
${view.person && navigation(view, current)}
</header>
<main id="content" tabindex="-1">
${content}
</main>
${scripts && html`<p class="unseen" id="copied" role="status"></p>`}
<footer class="footer"><p>${messages.footer}</p></footer>
</body>
</html>
`.markup;
}

function navigation({ messages, to }: View, current?: string): Html {
  const pages = ['practitioners', 'steps'] as const;
  return html`<nav class="navigation" aria-label="${messages.nav.label}">
${pages.map((name) => html`<a href="${to(name)}"${name === current && html` aria-current="page"`}>${name === 'steps' ? messages.nav.steps : messages.directory.title}</a>`)}
</nav>`;
}

function languageSwitch(view: View): Html {
  const other = view.language === 'fr' ? 'en' : 'fr';
  const { name, tag } = LANGUAGES[other].language;
  return html`<a class="language" href="${view.inLanguage(other)}" hreflang="${tag}" lang="${tag}">${name}</a>`;
}

function personBox({ messages, to }: View, name: string): Html {
  return html`<div class="person">
<span class="person-name">${name}</span>
<form method="post" action="${to('sign-out')}"><button class="quiet">${messages.signOut}</button></form>
</div>`;
}

/**
 * The button that signs in. It is a form and not a link, because browsers may prefetch a link, and a sign-in changes the session of the
 * browser.
 */
export function signInForm({ to }: View, label: string, returnTo?: string): Html {
  return html`<form method="post" action="${to('sign-in', { returnTo })}"><button class="primary">${label}</button></form>`;
}
