// The forms about a second factor, for the sign-in and the account pages: one sets up an app, one asks for a code.

import { encode } from 'uqr';
import type { PageScript } from '#web/assets.ts';
import { problemNotice } from '#web/components.ts';
import { type Html, html, linkTarget } from '#web/html.ts';
import type { Language } from '#web/language.ts';
import type { PageFrame } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import { csrfField } from './csrf.ts';
import { type FieldProblem, field } from './field.ts';
import { type FormButton, type FormOrigin, type PostedForm, readForm, refuseControlCharacters } from './form.ts';
import { type Pause, pauseNotice } from './pause-notice.ts';

/**
 * Names and ids of the fields for a code of the app and for a recovery code. They must not change, because programs of others rely on them.
 */
const CODE_FIELD = 'code';
const RECOVERY_FIELD = 'recovery';

/** Reason why a code was refused. `waiting` means that the code was not checked, because there were too many wrong codes before. */
type CodeRefusal = { kind: 'wrong' } | { kind: 'used' } | ({ kind: 'waiting' } & Pause);

/** The problem of a form with a code. `stale` means that the form had no valid token (`readForm`). */
export type CodeProblem = CodeRefusal | { kind: 'missing' } | { kind: 'stale' };

/** Checks a code of the app or a recovery code, which then cannot be used again. Resolves with undefined if the code was right. */
export type CheckCode = (code: PostedByAccount) => Promise<CodeRefusal | undefined>;

interface PostedByAccount extends FormOrigin {
  accountId: string;
  typed: string;
  /**
   * Set if somebody has already signed in to the account in this browser. Failures in this browser are then counted separately from
   * failures of strangers.
   */
  device?: string | undefined;
}

/** The code in a posted form. `problem` is set if the form itself is faulty, so that no code needs to be checked. */
interface PostedCode {
  typed: string;
  /** True if the person sent a recovery code rather than a code of the app. */
  recovery: boolean;
  problem?: CodeProblem;
}

/** Reads the code in a posted form, which must have one of the tokens of its page. Throws `UnusableForm` if the form cannot be used. */
export function readCode(form: PostedForm): PostedCode {
  const { fields, stale } = readForm(form, [CODE_FIELD, RECOVERY_FIELD]);
  const recoveryCode = (fields.recovery ?? '').trim();
  const recovery = recoveryCode !== '' || (fields.code === undefined && fields.recovery !== undefined);
  const typed = recoveryCode || (fields.code ?? '').trim();
  refuseControlCharacters(recovery ? RECOVERY_FIELD : CODE_FIELD, typed);
  if (stale) return { typed, recovery, problem: { kind: 'stale' } };
  return typed ? { typed, recovery } : { typed, recovery, problem: { kind: 'missing' } };
}

interface CodeForm extends PageFrame {
  /** Path to which the form is posted. */
  action: string;
  token: string;
  problem?: CodeProblem | undefined;
  /** True if the account pages show the form. Then its texts differ from those of a sign-in. */
  ofAccount: boolean;
  button: FormButton;
  /** Set if the person can use a passkey instead (`pauseNotice`). */
  passkey?: object | undefined;
  /** Link with which the person leaves the form, if there is one. */
  cancel?: { href: string; label: string } | undefined;
}

/**
 * Renders two forms. One asks for a code of the app. The other asks for a recovery code, and is folded because few people need it.
 * `recovery` is true if the form for a recovery code was posted. `app` is false if the account has no app; then the first form is left out.
 */
export function codeForms(form: CodeForm & { recovery: boolean; app?: boolean }): Html {
  const { problem, recovery, app = true } = form;
  const noticed = problem && codeNotice(problem, form);
  const { missingAdvice, noApp, wrongAdvice } = messagesIn(form.language).secondFactor;
  const advice = { missingAdvice, wrongAdvice };
  const of = (mine: boolean) => ({ problem: mine ? codeProblem(form, advice) : undefined, focus: mine && !noticed });
  return html`${noticed}
${app && formAround(form, codeInput(form.language, of(!recovery)), form.button.id)}
<details class="other-way"${recovery && html` open`}><summary>${noApp}</summary>
${formAround({ ...form, cancel: undefined }, recoveryInput(form.language, of(recovery)), `${form.button.id}-recovery`)}
</details>`;
}

/**
 * Renders a link to the operator's support, for a person who has neither the app nor a recovery code. Returns undefined if the operator has
 * given no support address.
 */
export function lostFactorHelp({ site, language }: PageFrame): Html | undefined {
  const { lost, lostLink } = messagesIn(language).secondFactor;
  const support = linkTarget(site.supportUrl);
  return support === undefined ? undefined : html`<p class="help">${lost} <a href="${support}">${lostLink}</a></p>`;
}

interface SetUpForm extends CodeForm {
  /** The content of the QR code: `otpauth://...`. */
  address: string;
  /** The secret in base 32, for people who cannot scan. */
  key: string;
}

/**
 * Renders the form that sets up an app in three steps. In the last step, the person types the first code of the app. On a phone, the button
 * that opens the app comes first, because a phone cannot scan its own screen. On other devices, the QR code comes first
 * (`second-factor.css`).
 */
export function setUpForm(form: SetUpForm): Html {
  const { language, address, key, problem } = form;
  const { secondFactor: messages, form: controls, account } = messagesIn(language);
  const noticed = problem && codeNotice(problem, form);
  const advice = {
    missingAdvice: form.ofAccount ? account.missingAdvice : messages.codeHelp,
    wrongAdvice: messages.setUpWrongAdvice,
  };
  const state = { problem: codeProblem(form, advice), focus: problem !== undefined && !noticed };
  const steps = html`<ol class="set-up-steps">
<li><p>${messages.stepApp}</p></li>
<li><p class="on-desktop">${messages.stepScan}</p><p class="on-phone">${messages.stepOpen}</p>
<div class="scan">
<p class="open-app"><a class="button quiet" href="${address}">${messages.openApp}</a></p>
<p class="on-phone">${messages.stepScanElsewhere}</p>
${qrCode(address, messages.qr)}
<details><summary>${messages.cannotScan}</summary>
<p>${messages.typeKey}</p>
<p class="secret-key"><code>${(key.match(/.{1,4}/g) ?? []).join(' ')}</code></p>
<div class="tools"><button class="quiet small" type="button" data-copy="${key}" data-done="${controls.copied}" hidden>${controls.copy}</button> <span role="status"></span></div>
</details>
</div></li>
<li><p>${messages.stepCode}</p>
${codeInput(language, state)}</li>
</ol>
<p class="fine">${messages.recoveryNext}</p>`;
  return html`${noticed}
${formAround(form, steps, form.button.id)}`;
}

/** The scripts of a page that sets up an app. The page also works without them. */
export const SET_UP_SCRIPTS: readonly PageScript[] = ['copy'];

function formAround({ action, token, button, cancel }: CodeForm, content: Html, buttonId: string): Html {
  return html`<form method="post" action="${action}" novalidate>
${csrfField(token)}
${content}
<div class="choices">
<button id="${buttonId}"${(button.danger || button.quiet) && html` class="${button.danger ? 'danger' : 'quiet'}"`} type="submit">${button.label}</button>
${cancel && html`<a class="button quiet" id="cancel" href="${cancel.href}">${cancel.label}</a>`}
</div>
</form>`;
}

/** Returns the problem that is shown beside the field of a refused code. Returns undefined for a problem that `codeNotice` shows. */
function codeProblem(
  { language, problem, recovery }: CodeForm & { recovery?: boolean },
  { missingAdvice, wrongAdvice }: { missingAdvice: string; wrongAdvice: string },
): FieldProblem | undefined {
  const messages = messagesIn(language).secondFactor;
  switch (problem?.kind) {
    case 'missing':
      return { title: messages.missing, advice: recovery ? messages.recoveryHelp : missingAdvice };
    case 'used':
      return { title: messages.used, advice: messages.usedAdvice };
    case 'wrong':
      return recovery
        ? { title: messages.wrongRecovery, advice: messages.wrongRecoveryAdvice }
        : { title: messages.wrong, advice: wrongAdvice };
    default:
      return undefined;
  }
}

/**
 * Returns the notice for a problem that does not concern the code itself; undefined for any other problem. It stands above the form, so
 * that people read it first.
 */
function codeNotice(problem: CodeProblem, form: CodeForm): Html | undefined {
  const { account, secondFactor, signIn } = messagesIn(form.language);
  if (problem.kind === 'stale') {
    return form.ofAccount
      ? problemNotice(account.stale, account.staleAdvice)
      : problemNotice(signIn.stale, secondFactor.staleAdvice);
  }
  return problem.kind === 'waiting' ? pauseNotice(problem, form) : undefined;
}

interface InputState {
  problem: FieldProblem | undefined;
  /** True if the page opens with the focus in this field. */
  focus: boolean;
}

function codeInput(language: Language, state: InputState): Html {
  const { code, codeHelp } = messagesIn(language).secondFactor;
  return field({
    language,
    id: CODE_FIELD,
    label: code,
    className: 'code',
    attributes: html` inputmode="numeric" autocomplete="one-time-code" autocorrect="off" spellcheck="false" maxlength="9" required`,
    help: { id: 'code-help', content: html`<p class="field-help" id="code-help">${codeHelp}</p>` },
    ...state,
  });
}

/**
 * Renders the field for a recovery code. It differs from the field for a code of the app, because a recovery code also has letters, for
 * which a phone must show another keyboard.
 */
function recoveryInput(language: Language, state: InputState): Html {
  const { recoveryCode, recoveryHelp } = messagesIn(language).secondFactor;
  return field({
    language,
    id: RECOVERY_FIELD,
    label: recoveryCode,
    attributes: html` autocomplete="off" autocapitalize="characters" autocorrect="off" spellcheck="false" maxlength="60" required`,
    help: { id: 'recovery-help', content: html`<p class="field-help" id="recovery-help">${recoveryHelp}</p>` },
    ...state,
  });
}

/** Renders a QR code as an SVG element of the page, because the content security policy allows no `data:` address. */
function qrCode(text: string, label: string): Html {
  // The QR code is dark on a light ground even in the dark theme. The border of four modules around it is necessary for scanners (ISO/IEC
  // 18004).
  const { size, data } = encode(text, { ecc: 'M', border: 4 });
  const path = data
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
    .filter((module) => module !== '')
    .join('');
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path class="qr-light" d="M0 0h${size}v${size}h-${size}z"/><path class="qr-dark" d="${path}"/></svg>`;
}
