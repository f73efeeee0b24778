// The error page of the demo, with a button to sign in again or a link to the start page.

import { html } from '#demo/html.ts';
import type { Messages } from '#demo/messages/en.ts';
import { demoPaths, SEARCH_PATHS } from '#demo/paths.ts';
import type { View } from '#demo/view.ts';
import { page, signInForm } from './layout.ts';

export interface Problem {
  kind: keyof Messages['problem'];
  /** The reason, in the words of the error. */
  detail?: string;
  /** Page of the demo that follows the next sign-in. */
  returnTo?: string;
}

export function problemPage(view: View, { kind, detail, returnTo }: Problem): string {
  const { messages, to } = view;
  const { title, text } = messages.problem[kind];
  const again = kind === 'session' ? messages.signIn : messages.signInAgain;
  const reason = detail && html`<pre tabindex="0">${detail}</pre>`;
  // A cancelled sign-in is no error. So the service's description of it, which is for developers, is folded at the end of the page.
  const isCancelled = kind === 'cancelled';
  const ways = {
    unknownPage: html`<a class="button" href="${to(demoPaths.start)}">${messages.toStart}</a>`,
    gone: html`<a class="button" href="${to(SEARCH_PATHS.Practitioner)}">${messages.directory.newSearch}</a>`,
  };
  return page(view, {
    title,
    content: html`<section class="hero">
<h1>${title}</h1>
<p class="lead">${text}</p>
${!isCancelled && reason}
${kind === 'unknownPage' || kind === 'gone' ? ways[kind] : signInForm(view, again, returnTo)}
${isCancelled && html`<details class="others"><summary>${messages.problem.cancelled.said}</summary>${reason}</details>`}
</section>`,
  });
}
