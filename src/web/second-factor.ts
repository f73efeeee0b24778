// Owns the parts that every page about a second factor is put together from: setting up an app, the field for a code, the
// list of recovery codes. Does not own the pages (`src/signin/`, `src/account/`).

import { encode } from 'uqr';
import { problemNotice } from './components.ts';
import { type Html, html } from './html.ts';
import { formatMinutes, type Language } from './language.ts';
import { messagesIn } from './messages.ts';

/** Names and ids of the fields for a code of the app and for a recovery code; relied on from outside. */
export const CODE_FIELD = 'code';
export const RECOVERY_FIELD = 'recovery';

/** Why a code was not taken. `waiting`: after too many wrong ones, it was not looked at. */
export type CodeFault = { kind: 'wrong' } | { kind: 'used' } | { kind: 'waiting'; seconds: number };

/** What is wrong with a form that carried a code. `stale`: it no longer fitted the browser's session. */
export type CodeProblem = CodeFault | { kind: 'missing' } | { kind: 'stale' };

export interface CodeNotice {
  language: Language;
  /** A recovery code was sent, rather than one of the app. */
  recovery?: boolean;
  /** The page's own words for what follows from what was done there. */
  advice: { stale: string; staleTitle: string; waiting: (time: string) => string; waitingTitle: string };
  /** In place of the usual advice, where an app is being set up. */
  missing?: string;
  wrong?: string;
}

/** The notice above a form whose code was not taken; it takes the focus when there is but to wait. */
export function codeNotice(problem: CodeProblem, { language, recovery, advice, missing, wrong }: CodeNotice): Html {
  const messages = messagesIn(language).secondFactor;
  const notice = (title: string, text: string, focus = false) => problemNotice(title, html`<p>${text}</p>`, { focus });
  switch (problem.kind) {
    case 'missing':
      return notice(messages.missing, missing ?? messages.missingAdvice);
    case 'used':
      return notice(messages.used, messages.usedAdvice);
    case 'stale':
      return notice(advice.staleTitle, advice.stale);
    case 'waiting':
      return notice(advice.waitingTitle, advice.waiting(formatMinutes(problem.seconds, language)), true);
    case 'wrong':
      return recovery
        ? notice(messages.wrongRecovery, messages.wrongRecoveryAdvice)
        : notice(messages.wrong, wrong ?? messages.wrongAdvice);
  }
}

export interface CodeInput {
  language: Language;
  /** The code that was sent is wrong, as the notice `problem` above the form says. */
  faulty?: boolean;
  /** The page opens in this field. */
  focus?: boolean;
}

/** The field for a code of the app, with its label; to be placed in a form. */
export function codeInput({ language, faulty, focus }: CodeInput): Html {
  const messages = messagesIn(language).secondFactor;
  return html`<div class="field code">
<label for="${CODE_FIELD}">${messages.code}</label>
<input id="${CODE_FIELD}" name="${CODE_FIELD}" type="text" inputmode="numeric" autocomplete="one-time-code" autocorrect="off" spellcheck="false" maxlength="9" aria-describedby="code-help${faulty && ' problem'}"${faulty && html` aria-invalid="true"`}${focus && html` autofocus`}>
<p class="field-help" id="code-help">${messages.codeHelp}</p>
</div>`;
}

/** The field for a recovery code: folded away, and with a keyboard of its own, because few ever need it. */
export function recoveryInput({ language, faulty, focus }: CodeInput): Html {
  const messages = messagesIn(language).secondFactor;
  return html`<details${faulty && html` open`}><summary>${messages.noApp}</summary>
<div class="field">
<label for="${RECOVERY_FIELD}">${messages.recoveryCode}</label>
<input id="${RECOVERY_FIELD}" name="${RECOVERY_FIELD}" type="text" autocomplete="off" autocapitalize="characters" autocorrect="off" spellcheck="false" maxlength="60" aria-describedby="recovery-help${faulty && ' problem'}"${faulty && html` aria-invalid="true"`}${focus && html` autofocus`}>
<p class="field-help" id="recovery-help">${messages.recoveryHelp}</p>
</div></details>`;
}

export interface SetUpSteps {
  language: Language;
  /** `otpauth://...`: what the QR code says. */
  address: string;
  /** The secret in base 32, for those who cannot scan. */
  key: string;
  faulty?: boolean;
}

/** The three steps of setting up an app; the last holds the field for the first code. To be placed in a form. */
export function setUpSteps({ language, address, key, faulty = false }: SetUpSteps): Html {
  const messages = messagesIn(language).secondFactor;
  return html`<ol class="set-up-steps">
<li><p>${messages.stepApp}</p></li>
<li><p>${messages.stepScan}</p>
${qrCode(address, messages.qr)}
<details><summary>${messages.cannotScan}</summary>
<p>${messages.typeKey}</p>
<p class="secret-key"><code>${(key.match(/.{1,4}/g) ?? []).join(' ')}</code></p>
<p><a href="${address}">${messages.openApp}</a></p>
</details></li>
<li><p>${messages.stepCode}</p>
${codeInput({ language, faulty, focus: faulty })}</li>
</ol>`;
}

/** Recovery codes on the only page that shows them, with what they are for. */
export function recoveryCodeList({ language, codes }: { language: Language; codes: readonly string[] }): Html {
  const messages = messagesIn(language).secondFactor;
  return html`<p class="lead">${messages.recoveryAbout}</p>
<ul class="recovery-codes" aria-label="${messages.recoveryCodes}">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p class="fine">${messages.recoveryOnce}</p>`;
}

/** A QR code as an element of the page itself: the content security policy allows no `data:` address. */
function qrCode(text: string, label: string): Html {
  // Dark on light in the dark theme too, with the four modules of quiet zone that readers rely on (ISO/IEC 18004).
  const { size, data } = encode(text, { ecc: 'M', border: 4 });
  const path = data
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
    .filter((module) => module !== '')
    .join('');
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path class="qr-light" d="M0 0h${size}v${size}h-${size}z"/><path class="qr-dark" d="${path}"/></svg>`;
}
