// The forms about a second factor, which the sign-in and the account pages share: setting up an app, and typing a code.

import type { Request } from 'express';
import { encode } from 'uqr';
import { problemNotice } from '#web/components.ts';
import { type Html, html, linkTarget } from '#web/html.ts';
import type { Language } from '#web/language.ts';
import type { PageFrame } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import type { PageScript } from '#web/page-scripts.ts';
import { type CsrfTokens, csrfField } from './csrf.ts';
import { type FieldProblem, field } from './field.ts';
import { readForm, refuseControlCharacters } from './form.ts';
import { type Pause, pauseNotice } from './pause-notice.ts';

/** Names and ids of the fields for a code of the app and for a recovery code, relied on from outside. */
const CODE_FIELD = 'code';
const RECOVERY_FIELD = 'recovery';

/** Reason why a code was refused. `waiting` means that it was not checked, after too many wrong ones. */
type CodeRefusal = { kind: 'wrong' } | { kind: 'used' } | ({ kind: 'waiting' } & Pause);

/** The problem of a form with a code. `stale` means that it had no token of the browser's own pages. */
export type CodeProblem = CodeRefusal | { kind: 'missing' } | { kind: 'stale' };

/** Checks a code of the app or a recovery code, and uses it up. Returns undefined if it was right. */
export type CheckCode = (code: {
  accountId: string;
  typed: string;
  /** The application at whose sign-in the form is shown, and the network address of the browser. */
  client: string;
  address: string;
  /** Set if the browser is known to the account: its failures count separately from those of strangers. */
  device?: string | undefined;
  /** Browser and system, for the audit trail, and the language of the page, for the notice. */
  about?: { device?: string };
  language?: Language;
}) => Promise<CodeRefusal | undefined>;

/** A posted code. `problem` is set if there is nothing to check. */
interface PostedCode {
  typed: string;
  /** True if a recovery code was sent rather than a code of the app. */
  recovery: boolean;
  problem?: CodeProblem;
}

/** Reads the code of a posted form, which has to carry one of `tokens`. Throws `UnusableForm`. */
export function readCode(req: Request, tokens: CsrfTokens): PostedCode {
  const { fields, stale } = readForm(req, tokens, [CODE_FIELD, RECOVERY_FIELD]);
  const recoveryCode = (fields.recovery ?? '').trim();
  const recovery = recoveryCode !== '' || (fields.code === undefined && fields.recovery !== undefined);
  const typed = recoveryCode || (fields.code ?? '').trim();
  refuseControlCharacters(recovery ? RECOVERY_FIELD : CODE_FIELD, typed);
  if (stale) return { typed, recovery, problem: { kind: 'stale' } };
  return typed ? { typed, recovery } : { typed, recovery, problem: { kind: 'missing' } };
}

interface CodeForm extends PageFrame {
  /** Path that the form is posted to. */
  action: string;
  token: string;
  problem?: CodeProblem | undefined;
  /** True if the account pages show the form. Their texts differ from those of a sign-in. */
  ofAccount: boolean;
  button: {
    id: string;
    label: string;
    /** True if the action cannot be undone. */
    danger?: boolean;
    /** True if another way stands out. */
    quiet?: boolean;
  };
  /** Set if a passkey can be used instead (`pauseNotice`). */
  passkey?: object | undefined;
  /** Path that leads away from the form, if there is such a link. */
  cancel?: { href: string; label: string } | undefined;
}

/**
 * Two forms: one asks for a code of the app. The other, folded away because few ever need it, asks for a recovery code. `recovery` means
 * that the second one was posted; `app` is false if the account has no app.
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

/** Whom to ask when neither the app nor a recovery code is at hand. */
export function lostFactorHelp({ site, language }: PageFrame): Html | undefined {
  const { lost, lostLink } = messagesIn(language).secondFactor;
  const support = linkTarget(site.supportUrl);
  return support === undefined ? undefined : html`<p class="help">${lost} <a href="${support}">${lostLink}</a></p>`;
}

interface SetUpForm extends CodeForm {
  /** The content of the QR code: `otpauth://...`. */
  address: string;
  /** The secret in base 32, for people that cannot scan. */
  key: string;
}

/**
 * The form that sets up an app in three steps. The last one is to type the first code of the app. A phone cannot scan its own screen: there
 * the button that opens the app comes first, elsewhere the QR code (`second-factor.css`).
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

/** The scripts of a page that sets up an app, which also works without them. */
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

/** The problem beside the field of a refused code. */
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

/** The notice above the form, for a problem that does not concern the code. It is read first. */
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
  /** The page opens in this field. */
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

/** The field of a recovery code, which needs another keyboard than a code of the app. */
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

/** A QR code as an element of the page itself, because the content security policy allows no `data:` address. */
function qrCode(text: string, label: string): Html {
  // Dark on light in the dark theme too, with the four modules of quiet zone that readers rely on (ISO/IEC 18004).
  const { size, data } = encode(text, { ecc: 'M', border: 4 });
  const path = data
    .flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
    .filter((module) => module !== '')
    .join('');
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path class="qr-light" d="M0 0h${size}v${size}h-${size}z"/><path class="qr-dark" d="${path}"/></svg>`;
}
