// The notice after too many failures (SEC-39, SEC-59). It says that attempts are paused, when the pause ends, and what the person can do
// meanwhile. It is the same whether or not the account exists, so that it does not reveal that.

import { problemNotice } from '#web/components.ts';
import { formatMinutes, formatTime } from '#web/dates.ts';
import { type Html, html } from '#web/html.ts';
import type { Language } from '#web/language.ts';
import type { PageFrame } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import { whomToAsk } from '#web/pages/ways-on.ts';

export interface Pause {
  /** Seconds until the next attempt is allowed. */
  seconds: number;
  /** The attempts that must wait: those at one account (which may not exist), or all attempts from one part of the network. */
  of: 'account' | 'network';
}

/** The problem of a person who must wait before requesting something again. */
export type Waiting = { kind: 'waiting' } & Pick<Pause, 'seconds'>;

/** Renders the notice for a person who must wait. Its texts depend on what the person has requested. */
export function waitingNotice(
  { waiting, waitingAdvice }: { waiting: string; waitingAdvice: (until: string, time: string) => string },
  { seconds }: Waiting,
  language: Language,
): Html {
  // The time that remains is right for a person in another time zone than the service, too.
  const until = formatTime(Date.now() / 1000 + seconds, language);
  return problemNotice(waiting, waitingAdvice(until, formatMinutes(seconds, language)));
}

interface PausedPage extends PageFrame {
  /**
   * Path of the page on which people request a mail for a new password. A new password ends the pause of an account. Set if a password has
   * failed.
   */
  forgotten?: string;
  /**
   * Set if the person can use a passkey instead. A sign-in with a passkey is possible even if other people have failed to sign in to the
   * account.
   */
  passkey?: object | undefined;
}

/** Renders the notice. It takes the focus when the page opens, because the person has no field to correct. */
export function pauseNotice({ seconds, of }: Pause, page: PausedPage): Html {
  const { site, language, forgotten, passkey } = page;
  const { pause } = messagesIn(language);
  const { title, advice } = pause[of];
  const until = formatTime(Date.now() / 1000 + seconds, language);
  const byMail = of === 'account' && site.mailAvailable && forgotten;
  const details = html`<p>${advice(until, formatMinutes(seconds, language))}</p>
<p>${pause.now}</p>
<ul>
<li>${pause.knownBrowser}</li>
${of === 'network' && html`<li>${pause.otherNetwork}</li>`}
${of === 'account' && passkey && html`<li>${pause.passkey}</li>`}
${byMail && html`<li><a href="${byMail}">${pause.newPassword}</a></li>`}
</ul>
<p>${whomToAsk(page)}</p>`;
  return problemNotice(title, details);
}
