// The notice that attempts are paused after too many failures: whose, until when, and what helps now (SEC-39, SEC-59). It says the
// same of an account that does not exist.

import { problemNotice } from './components.ts';
import { type Html, html, linkTarget } from './html.ts';
import { formatMinutes, formatTime } from './language.ts';
import type { PageFrame } from './layout.ts';
import { messagesIn } from './messages.ts';

export interface Pause {
  /** Seconds until the next attempt is allowed. */
  seconds: number;
  /** Whose attempts wait: those at one account, existing or not, or all from one part of the network. */
  of: 'account' | 'network';
}

/** The notice; it takes the focus, because no field has anything to correct. */
export function pauseNotice({ seconds, of }: Pause, { site, language }: PageFrame): Html {
  const { pause, signIn } = messagesIn(language);
  const { title, advice, now } = pause[of];
  const until = formatTime(Date.now() / 1000 + seconds, language);
  const support = linkTarget(site.supportUrl);
  const details = html`<p>${advice(until, formatMinutes(seconds, language))}</p>
<p>${now}${support && html` <a href="${support}">${signIn.helpLink}</a>`}</p>`;
  return problemNotice(title, details, { focus: true });
}
