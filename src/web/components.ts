// Small parts that pages share: notices, emblems, a person's card.

import { formatAgo, formatDateTime } from './dates.ts';
import { type Html, type HtmlValue, html } from './html.ts';
import { initialsOf } from './initials.ts';
import type { Language } from './language.ts';

/**
 * Returns a notice of a problem above a form, with the id `problem`. It takes the focus when the page opens, so that people read it first.
 * `focus` is false if a field has the focus instead. `details` is a sentence, or HTML with links to the fields.
 */
export function problemNotice(title: string, details: string | Html, { focus = true } = {}): Html {
  return html`<div class="notice" id="problem" role="alert" tabindex="-1"${focus && html` autofocus`}>
<p class="notice-title">${title}</p>
${paragraph(details)}
</div>`;
}

/** Returns a notice of a finished action. It takes the focus when the page opens, so that people read it first. */
export function doneNotice(title: string, details: string | Html): Html {
  return html`<div class="notice done" id="done" role="status" tabindex="-1" autofocus>
<p class="notice-title">${title}</p>
${paragraph(details)}
</div>`;
}

function paragraph(text: string | Html): Html {
  return typeof text === 'string' ? html`<p>${text}</p>` : text;
}

/**
 * Returns a time as people say it, such as "5 minutes ago". The exact time is in a tooltip and, for programs, in an attribute. `phrase`
 * puts other words around the text.
 */
export function timeAgo(seconds: number, language: Language, phrase = (text: string) => text): Html {
  const iso = new Date(seconds * 1000).toISOString();
  const exact = formatDateTime(seconds, language);
  return html`<time datetime="${iso}" title="${exact}">${phrase(formatAgo(seconds, language))}</time>`;
}

/** Returns a round emblem with the first letter of a name. Screen readers skip it, because the page also shows the name. */
export function initialEmblem(name: string): Html {
  return html`<div class="emblem" aria-hidden="true">${initialsOf(name)[0]}</div>`;
}

type Icon = 'warning' | 'leave' | 'check' | 'key';

/** Returns a round emblem with an icon. Screen readers skip it, because the title of the page has the same meaning. */
export function iconEmblem(icon: Icon): Html {
  return html`<div class="emblem emblem-${icon}" aria-hidden="true"></div>`;
}

/** Returns a card with the name and address of the signed-in person, with `action` at its end. */
export function personCard(person: { name: string; email?: string }, label: string, action: HtmlValue): Html {
  return html`<section class="person" aria-label="${label}">
<span class="initial" aria-hidden="true">${initialsOf(person.name)[0]}</span>
<p><span class="person-label">${label}</span> <strong>${breakable(person.name)}</strong> ${person.email && html`<span class="person-email">${breakable(person.email)}</span>`}</p>
${action}
</section>`;
}

/**
 * Returns an e-mail address. If the address is too long for the line, a browser breaks it before the @. It breaks the address elsewhere
 * only if that is not enough.
 */
export function breakable(email: string): Html {
  const at = email.lastIndexOf('@');
  return at < 0 ? html`${email}` : html`${email.slice(0, at)}<wbr>${email.slice(at)}`;
}
