// Owns the page that says what went wrong in a person's own space, and how to go on.
// Does not own when it is shown (`errors.ts`).

import { iconEmblem } from '../web/components.ts';
import { html } from '../web/html.ts';
import type { Language } from '../web/language.ts';
import { renderPage } from '../web/layout.ts';
import { type Messages, messagesIn } from '../web/messages.ts';
import type { Site } from '../web/site.ts';

type ProblemMessages = Messages['account']['problem'];

/** The problems that have a title, a cause and a remedy. */
export type Problem = {
  [Key in keyof ProblemMessages]: ProblemMessages[Key] extends { remedy: string } ? Key : never;
}[keyof ProblemMessages];

export interface ProblemPage {
  site: Site;
  language: Language;
  problem: Problem;
  /** The request's id, as in the log. */
  reference: string;
  /** Path at which the person can go on. */
  again: string;
}

/** The page. Pure: the caller sets the status. It has no switch: what was asked for is not asked for a second time. */
export function renderProblemPage({ site, language, problem, reference, again }: ProblemPage): string {
  const messages = messagesIn(language).account.problem;
  const { title, cause, remedy } = messages[problem];
  const content = html`<p class="lead">${cause}</p>
<p class="remedy">${remedy}</p>
<p class="choices"><a class="button" id="again" href="${again}">${messages.again}</a></p>
<dl class="reference">
<dt>${messages.reference}</dt><dd>${reference}</dd>
<dt>${messages.code}</dt><dd>${problem}</dd>
</dl>`;
  return renderPage({ site, language, title, problem: true, emblem: iconEmblem('warning'), content });
}
