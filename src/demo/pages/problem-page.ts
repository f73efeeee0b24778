// The error page of the demo, with a button to sign in again or a link to the start page.

import { html } from '#demo/html.ts';
import type { Messages } from '#demo/messages/en.ts';
import { demoPaths } from '#demo/paths.ts';
import type { View } from '#demo/view.ts';
import { page, signInForm } from './layout.ts';

export interface Problem {
  kind: keyof Messages['problem'];
  /** The reason, as it was given. */
  detail?: string;
  /** Page of the demo to come back to after signing in. */
  returnTo?: string;
}

export function problemPage(view: View, { kind, detail, returnTo }: Problem): string {
  const { title, text } = view.messages.problem[kind];
  const again = kind === 'session' ? view.messages.signIn : view.messages.signInAgain;
  return page(view, {
    title,
    content: html`<section class="hero">
<h1>${title}</h1>
<p class="lead">${text}</p>
${detail && (kind === 'cancelled' ? html`<details><summary>${view.messages.problem.cancelled.said}</summary><pre tabindex="0">${detail}</pre></details>` : html`<pre tabindex="0">${detail}</pre>`)}
${kind === 'unknownPage' || kind === 'gone' ? html`<a class="button" href="${view.to(demoPaths.start)}">${view.messages.toStart}</a>` : signInForm(view, again, returnTo)}
</section>`,
  });
}
