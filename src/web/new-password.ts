// The form for a new password, which the sign-in and the account pages share (SEC-66). It needs no script: the password is typed twice.

import type { Request, Response } from 'express';
import { PASSWORD_LENGTH, type PasswordProblem } from '../shared/crypto/password-rules.ts';
import { problemNotice } from './components.ts';
import { type CsrfTokens, csrfField } from './csrf.ts';
import { readForm } from './form.ts';
import { type Html, html } from './html.ts';
import type { PageFrame } from './layout.ts';
import { messagesIn } from './messages.ts';
import { type Pause, pauseNotice } from './pause-notice.ts';

/** Names and ids of the fields; relied on from outside. */
const CURRENT = 'password';
const CHOSEN = 'new-password';
const AGAIN = 'new-password-again';

/**
 * Why a password was not taken. `same`: it is the one before; `wrong`: the present one is; `stale`: the form no longer fits, or the
 * password was changed meanwhile; `waiting`: after too many failures, nothing was looked at.
 */
export type NewPasswordProblem =
  | { kind: PasswordProblem | 'missing' | 'different' | 'same' | 'wrong' | 'stale' | 'busy' }
  | ({ kind: 'waiting' } & Pause);

/** A wish to change a password; `current` where the present one is asked for. */
interface PasswordChange {
  accountId: string;
  current?: string | undefined;
  chosen: string;
  /** Public identifier of the session that stays: the person's own. */
  keep?: string | undefined;
  /** The application that it is shown for, and the network address of the browser. */
  client: string;
  address: string;
}

/** Changes a password; `notBefore` and `mark` are those of a sign-in by the new one. */
export type ChangePassword = (
  change: PasswordChange,
) => Promise<{ problem: NewPasswordProblem } | { problem?: undefined; notBefore: number; mark: string }>;

/** Reads a posted form; `problem` when there is nothing to check. Throws `UnusableForm`. */
export function readNewPassword(
  req: Request,
  tokens: CsrfTokens,
  { withCurrent }: { withCurrent: boolean },
): { current?: string; chosen: string; problem?: NewPasswordProblem } {
  const { fields, stale } = readForm(req, tokens, [CURRENT, CHOSEN, AGAIN]);
  const { [CURRENT]: current = '', [CHOSEN]: chosen = '', [AGAIN]: again = '' } = fields;
  const read = { chosen, ...(withCurrent && { current }) };
  if (stale) return { ...read, problem: { kind: 'stale' } };
  if (!chosen || !again || (withCurrent && !current)) return { ...read, problem: { kind: 'missing' } };
  if (chosen.normalize('NFC') !== again.normalize('NFC')) return { ...read, problem: { kind: 'different' } };
  return read;
}

/** Status of the answer that shows the form; sets its `Retry-After` where it has one. */
export function newPasswordStatus(res: Response, problem: NewPasswordProblem | undefined): number {
  if (!problem) return 200;
  const delay = problem.kind === 'waiting' ? problem.seconds : problem.kind === 'busy' ? 15 : undefined;
  if (delay !== undefined) res.set('retry-after', String(delay));
  const statuses: Partial<Record<NewPasswordProblem['kind'], number>> = { stale: 403, waiting: 429, busy: 503 };
  return statuses[problem.kind] ?? 422;
}

interface NewPasswordForm extends PageFrame {
  /** Path that the form is posted to. */
  action: string;
  token: string;
  /** E-mail address: password managers store the password under it; Chromium's looks at text fields alone, hidden ones too. */
  login: string;
  /** The present password is asked for as well. */
  withCurrent: boolean;
  problem?: NewPasswordProblem | undefined;
  /** With the button `save-password`, whose id is relied on from outside. */
  buttons: Html;
}

/** The form, with the rules in words and the notice above it. */
export function newPasswordForm(page: NewPasswordForm): Html {
  const { language, action, token, login, withCurrent, problem, buttons } = page;
  const messages = messagesIn(language).newPassword;
  const wrong = problem?.kind === 'wrong' ? CURRENT : problem && problem.kind !== 'waiting' ? CHOSEN : undefined;
  const { ruleOfLength, ruleOfCommon, ruleOfPersonal } = messages;
  const rules = [ruleOfLength(String(PASSWORD_LENGTH.least)), ruleOfCommon, ruleOfPersonal];
  const first = withCurrent ? CURRENT : CHOSEN;
  const focus = problem?.kind === 'waiting' ? undefined : problem?.kind === 'missing' ? first : (wrong ?? first);
  const input = (name: string, label: string, autocomplete: string, help?: string): Html => {
    const described = [help, wrong === name && 'problem'].filter(Boolean).join(' ');
    return html`<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="password" autocomplete="${autocomplete}" required${described && html` aria-describedby="${described}"`}${
      wrong === name && html` aria-invalid="true"`
    }${focus === name && html` autofocus`}>`;
  };
  return html`${problem && notice(problem, page)}
<form method="post" action="${action}" novalidate>
${csrfField(token)}
<input hidden type="text" name="login" value="${login}" autocomplete="username" readonly>
${withCurrent && html`<div class="field">${input(CURRENT, messages.current, 'current-password')}</div>`}
<div class="field">
${input(CHOSEN, messages.password, 'new-password', 'rules')}
<ul class="field-help" id="rules">${rules.map((rule) => html`<li>${rule}</li>`)}</ul>
</div>
<div class="field">
${input(AGAIN, messages.again, 'new-password')}
</div>
${buttons}
</form>`;
}

function notice(problem: NewPasswordProblem, page: PageFrame): Html {
  const messages = messagesIn(page.language).newPassword;
  if (problem.kind === 'waiting') return pauseNotice(problem, page);
  const { title, advice } = messages.problem[problem.kind];
  return problemNotice(title, html`<p>${advice}</p>`, { focus: false });
}
