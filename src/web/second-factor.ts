// The forms about a second factor, which the sign-in and the account pages share: setting up an app, typing a code, and the
// list of recovery codes.

import type { Request } from 'express';
import { encode } from 'uqr';
import { problemNotice } from './components.ts';
import { type CsrfTokens, csrfField } from './csrf.ts';
import { readForm, refuseControlCharacters } from './form.ts';
import { type Html, html, linkTarget } from './html.ts';
import type { Language } from './language.ts';
import type { PageFrame } from './layout.ts';
import { type Messages, messagesIn } from './messages.ts';
import { type Pause, pauseNotice } from './pause-notice.ts';

/** Names and ids of the fields for a code of the app and for a recovery code; relied on from outside. */
const CODE_FIELD = 'code';
const RECOVERY_FIELD = 'recovery';

/** Why a code was not accepted. `waiting`: after too many wrong ones, it was not looked at. */
type CodeRefusal = { kind: 'wrong' } | { kind: 'used' } | ({ kind: 'waiting' } & Pause);

/** What is wrong with a form that carried a code. `stale`: it carried no token of the browser's own pages. */
export type CodeProblem = CodeRefusal | { kind: 'missing' } | { kind: 'stale' };

/** Checks a code of the app or a recovery code, and uses it up; undefined when it was right. */
export type CheckCode = (code: {
  accountId: string;
  typed: string;
  /** The application that it is shown for, and the network address of the browser. */
  client: string;
  address: string;
  /** Where the browser is known to the account: its failures count apart from those of strangers. */
  device?: string | undefined;
  /** Of its browser and system, for the audit trail. */
  about?: { device?: string };
}) => Promise<CodeRefusal | undefined>;

/** A posted code; `problem` when there is nothing to check. */
interface PostedCode {
  typed: string;
  /** A recovery code was sent, rather than one of the app. */
  recovery: boolean;
  problem?: CodeProblem;
}

/** Reads the code of a posted form, which has to carry one of `tokens`. Throws `UnusableForm`. */
export function readCode(req: Request, tokens: CsrfTokens): PostedCode {
  const { fields, stale } = readForm(req, tokens, [CODE_FIELD, RECOVERY_FIELD]);
  const recoveryCode = (fields.recovery ?? '').trim();
  const recovery = recoveryCode !== '';
  const typed = recoveryCode || (fields.code ?? '').trim();
  refuseControlCharacters(recovery ? RECOVERY_FIELD : CODE_FIELD, typed);
  if (stale) return { typed, recovery, problem: { kind: 'stale' } };
  return typed ? { typed, recovery } : { typed, recovery, problem: { kind: 'missing' } };
}

/** Status of the answer that shows a form again. */
export function statusOf(problem: CodeProblem | undefined): number {
  if (!problem) return 200;
  return problem.kind === 'stale' ? 403 : problem.kind === 'waiting' ? 429 : 422;
}

/** What the sign-in and the account pages word differently. */
export interface CodeTexts {
  stale: { title: string; advice: string };
  missingAdvice: string;
  wrongAdvice: string;
}

interface CodeForm extends PageFrame {
  /** Path that the form is posted to. */
  action: string;
  token: string;
  problem?: CodeProblem | undefined;
  texts: CodeTexts;
  buttons: Html;
}

/** The form that asks for a code of the app or a recovery code, with the notice above it. */
export function codeForm(form: CodeForm & { recovery: boolean }): Html {
  const { language, problem, recovery } = form;
  const messages = messagesIn(language).secondFactor;
  const waits = problem?.kind === 'waiting';
  const state = (mine: boolean) => ({ invalid: problem !== undefined && !waits && mine, focus: !waits && mine });
  return html`${problem && codeNotice(problem, form)}
<form method="post" action="${form.action}" novalidate>
${csrfField(form.token)}
${codeInput(messages, state(!recovery))}
${recoveryInput(messages, state(recovery))}
${form.buttons}
</form>`;
}

/** Whom to ask when neither the app nor a recovery code is at hand. */
export function lostFactorHelp({ site, language }: PageFrame): Html | undefined {
  const { lost, lostLink } = messagesIn(language).secondFactor;
  const support = linkTarget(site.supportUrl);
  return support === undefined ? undefined : html`<p class="help">${lost} <a href="${support}">${lostLink}</a></p>`;
}

interface SetUpForm extends CodeForm {
  /** `otpauth://...`: the content of the QR code. */
  address: string;
  /** The secret in base 32, for those who cannot scan. */
  key: string;
}

/** The form that sets up an app in three steps, the last of which is its first code. */
export function setUpForm(form: SetUpForm): Html {
  const { language, address, key, problem } = form;
  const messages = messagesIn(language).secondFactor;
  const invalid = problem !== undefined;
  return html`${problem && codeNotice(problem, form)}
<form method="post" action="${form.action}" novalidate>
${csrfField(form.token)}
<ol class="set-up-steps">
<li><p>${messages.stepApp}</p></li>
<li><p>${messages.stepScan}</p>
${qrCode(address, messages.qr)}
<details><summary>${messages.cannotScan}</summary>
<p>${messages.typeKey}</p>
<p class="secret-key"><code>${(key.match(/.{1,4}/g) ?? []).join(' ')}</code></p>
<p><a href="${address}">${messages.openApp}</a></p>
</details></li>
<li><p>${messages.stepCode}</p>
${codeInput(messages, { invalid, focus: invalid })}</li>
</ol>
${form.buttons}
</form>`;
}

/** The notice above a form whose code was not accepted; it takes the focus when there is nothing to do but wait. */
function codeNotice(problem: CodeProblem, form: CodeForm & { recovery?: boolean }): Html {
  const { language, texts, recovery } = form;
  const messages = messagesIn(language).secondFactor;
  const notice = (title: string, text: string) => problemNotice(title, html`<p>${text}</p>`, { focus: false });
  switch (problem.kind) {
    case 'missing':
      return notice(messages.missing, texts.missingAdvice);
    case 'used':
      return notice(messages.used, messages.usedAdvice);
    case 'stale':
      return notice(texts.stale.title, texts.stale.advice);
    case 'waiting':
      return pauseNotice(problem, form);
    case 'wrong':
      return recovery
        ? notice(messages.wrongRecovery, messages.wrongRecoveryAdvice)
        : notice(messages.wrong, texts.wrongAdvice);
  }
}

interface InputState {
  /** What was sent is wrong, as the notice `problem` above the form explains. */
  invalid: boolean;
  /** The page opens in this field. */
  focus: boolean;
}

function codeInput(messages: Messages['secondFactor'], { invalid, focus }: InputState): Html {
  return html`<div class="field code">
<label for="${CODE_FIELD}">${messages.code}</label>
<input id="${CODE_FIELD}" name="${CODE_FIELD}" type="text" inputmode="numeric" autocomplete="one-time-code" autocorrect="off" spellcheck="false" maxlength="9" aria-describedby="code-help${invalid && ' problem'}"${invalid && html` aria-invalid="true"`}${focus && html` autofocus`}>
<p class="field-help" id="code-help">${messages.codeHelp}</p>
</div>`;
}

/** The field for a recovery code: folded away, and with a keyboard of its own, because few ever need it. */
function recoveryInput(messages: Messages['secondFactor'], { invalid, focus }: InputState): Html {
  return html`<details${invalid && html` open`}><summary>${messages.noApp}</summary>
<div class="field">
<label for="${RECOVERY_FIELD}">${messages.recoveryCode}</label>
<input id="${RECOVERY_FIELD}" name="${RECOVERY_FIELD}" type="text" autocomplete="off" autocapitalize="characters" autocorrect="off" spellcheck="false" maxlength="60" aria-describedby="recovery-help${invalid && ' problem'}"${invalid && html` aria-invalid="true"`}${focus && html` autofocus`}>
<p class="field-help" id="recovery-help">${messages.recoveryHelp}</p>
</div></details>`;
}

/** Recovery codes on the only page that shows them, with what they are for. */
export function recoveryCodeList(language: Language, codes: readonly string[]): Html {
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
