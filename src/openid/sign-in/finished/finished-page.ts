// The page of a finished sign-in, for a person who comes back to it: its outcome and the way on.

import { iconEmblem } from '#web/components.ts';
import { html } from '#web/html.ts';
import { type PageFrame, renderPage } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import { waysOn } from '#web/pages/ways-on.ts';
import type { FinishedSignIn } from './finished-sign-ins.ts';

interface FinishedPage extends PageFrame {
  application: FinishedSignIn['application'] | undefined;
  outcome: Exclude<FinishedSignIn['outcome'], 'over'>;
}

/** The links' ids `application` and `account` are relied on from outside. */
export function renderFinishedPage(page: FinishedPage): string {
  const { outcome, application } = page;
  const { finished, home } = messagesIn(page.language);
  const isOpen = outcome === 'signed-in';
  const { title, lead, leadOfOwn } = finished[outcome];
  const content = html`<p class="lead">${application ? lead(application.name) : leadOfOwn}</p>
${waysOn(page, { application, account: home.account })}
${isOpen && html`<p class="fine">${finished.shared}</p>`}`;
  return renderPage({ ...page, title, emblem: iconEmblem(isOpen ? 'check' : 'leave'), content });
}
