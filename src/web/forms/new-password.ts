// The form for a new password, which the sign-in and the account pages share (SEC-66). It works without a script, because the password is
// typed twice, which reveals a typing error.

import { PASSWORD_LENGTH, type PasswordProblem } from '#shared/crypto/password-rules.ts';
import type { PageScript } from '#web/assets.ts';
import { problemNotice } from '#web/components.ts';
import { type Html, html } from '#web/html.ts';
import type { PageFrame } from '#web/layout.ts';
import { type Messages, messagesIn } from '#web/messages.ts';
import { csrfField } from './csrf.ts';
import { type FieldProblem, field, problemSummary } from './field.ts';
import { type FormOrigin, type PostedForm, readForm } from './form.ts';
import { type Pause, pauseNotice } from './pause-notice.ts';

/** Names and ids of the fields. They must not change, because programs of others rely on them. */
const CURRENT = 'password';
const CHOSEN = 'new-password';
const AGAIN = 'new-password-again';
type FieldName = typeof CURRENT | typeof CHOSEN | typeof AGAIN;

/** The scripts of a page with the form. The form also works without them. */
export const NEW_PASSWORD_SCRIPTS: readonly PageScript[] = ['show-password', 'password-strength'];

/**
 * Reason why a password was refused. `same`: the new password is the old one. `wrong`: the present password was typed wrongly. `stale`: the
 * form is outdated, or the password has changed meanwhile. `waiting`: the present password was not checked, because there were too many
 * failures.
 */
export type NewPasswordProblem =
  | {
      kind: PasswordProblem;
      /** True if the two typed passwords also differ. */
      different?: boolean;
    }
  | { kind: 'different' | 'same' | 'wrong' | 'stale' | 'busy' }
  | { kind: 'missing'; fields: readonly FieldName[] }
  | ({ kind: 'waiting' } & Pause);

/** A request to change a password. `current` is the present password if the form asks for it. */
interface PasswordChange extends FormOrigin {
  accountId: string;
  current?: string | undefined;
  chosen: string;
  /** True if the two typed passwords differ. Then nothing is changed, but other faults of the new password are still reported. */
  different: boolean;
  /**
   * Public identifier of the session in which the person changes the password. This session does not end, but the person's other sessions
   * do.
   */
  keep?: string | undefined;
}

/**
 * Changes a password. Resolves with the problem if the change was refused. Otherwise, resolves with the values that a sign-in with the new
 * password needs: `notBefore` and `passwordHashDigest`.
 */
export type ChangePassword = (
  change: PasswordChange,
) => Promise<{ problem: NewPasswordProblem } | { problem?: undefined; notBefore: number; passwordHashDigest: string }>;

/**
 * Reads a posted form. `problem` is set if the form itself is faulty, so that no password needs to be checked. Throws `UnusableForm` like
 * `readForm`.
 */
export function readNewPassword(
  form: PostedForm,
  { withCurrent }: { withCurrent: boolean },
): { current?: string; chosen: string; different: boolean; problem?: NewPasswordProblem } {
  const { fields, stale } = readForm(form, [CURRENT, CHOSEN, AGAIN]);
  const { [CURRENT]: current = '', [CHOSEN]: chosen = '', [AGAIN]: again = '' } = fields;
  const different = chosen.normalize('NFC') !== again.normalize('NFC');
  const read = { chosen, different, ...(withCurrent && { current }) };
  if (stale) return { ...read, problem: { kind: 'stale' } };
  const missing: FieldName[] = [];
  if (withCurrent && !current) missing.push(CURRENT);
  if (!chosen) missing.push(CHOSEN);
  if (!again) missing.push(AGAIN);
  if (missing.length > 0) return { ...read, problem: { kind: 'missing', fields: missing } };
  return read;
}

/** Returns the problem of a password that breaks a rule, or that was typed in two different ways; undefined if it has no problem. */
export function problemOf(rule: PasswordProblem | undefined, different: boolean): NewPasswordProblem | undefined {
  if (rule) return { kind: rule, different };
  return different ? { kind: 'different' } : undefined;
}

interface NewPasswordForm extends PageFrame {
  /** Path to which the form is posted. */
  action: string;
  token: string;
  /**
   * E-mail address under which password managers store the password. It is in a text field with the attribute `hidden`, because Chromium's
   * password manager ignores fields of the type `hidden`.
   */
  login: string;
  /** Name of the person, if it is known. The password must not be based on it. */
  name?: string;
  /** True if the form also asks for the present password. */
  withCurrent: boolean;
  /** True if this is the account's first password. */
  first?: boolean;
  problem?: NewPasswordProblem | undefined;
  /** The buttons of the form. One of them must have the id `save-password`, because programs of others rely on it. */
  buttons: Html;
}

/** Renders the form, with the password rules in words, and with a notice above it if there is a problem. */
export function newPasswordForm(page: NewPasswordForm): Html {
  const { language, action, token, login, withCurrent, first: isFirst, problem, buttons } = page;
  const { newPassword: messages, profile } = messagesIn(language);
  const problems = problem ? fieldProblems(problem, messages) : {};
  const { ruleOfLength, ruleOfCommon, ruleOfPersonal } = messages;
  const labels = isFirst ? messages.first : messages;
  const rules = [ruleOfLength(String(PASSWORD_LENGTH.least)), ruleOfCommon, ruleOfPersonal];
  const noticed = problem && notice(problem, page);
  const names: FieldName[] = withCurrent ? [CURRENT, CHOSEN, AGAIN] : [CHOSEN, AGAIN];
  const first = noticed ? undefined : (names.find((name) => problems[name]) ?? names[0]);
  const input = (name: FieldName, label: string, autocomplete: string, help?: { id: string; content: Html }): Html =>
    field({
      language,
      id: name,
      label,
      attributes: html` autocomplete="${autocomplete}" required`,
      help,
      problem: problems[name],
      focus: name === first,
      password: true,
    });
  const help = html`${strengthIndicator(page)}
<ul class="field-help" id="rules">${rules.map((rule) => html`<li>${rule}</li>`)}</ul>`;
  return html`${noticed ?? problemSummary(problem?.kind === 'missing' ? messages.incomplete : profile.problems, problems)}
<form method="post" action="${action}" novalidate>
${csrfField(token)}
<input hidden type="text" name="login" value="${login}" autocomplete="username" readonly>
${withCurrent && input(CURRENT, messages.current, 'current-password')}
${input(CHOSEN, labels.password, 'new-password', { id: 'rules', content: help })}
${input(AGAIN, labels.again, 'new-password')}
${buttons}
</form>`;
}

/** Renders the indicator of the password's strength. A script shows it and updates its text while the person types. */
function strengthIndicator({ language, login, name = '' }: NewPasswordForm): Html {
  const { short, personal, simple, fair, good, strong } = messagesIn(language).newPassword.strength;
  const least = String(PASSWORD_LENGTH.least);
  return html`<div class="strength" id="strength" data-own="${login} ${name}" data-least="${least}" data-short="${short(least)}" data-personal="${personal}" data-simple="${simple}" data-fair="${fair}" data-good="${good}" data-strong="${strong}" hidden><span class="strength-bar"></span><p role="status"></p></div>`;
}

/** Returns the problems that are shown beside fields, by the name of the field. */
function fieldProblems(
  problem: NewPasswordProblem,
  messages: Messages['newPassword'],
): { [Name in FieldName]?: FieldProblem } {
  if (problem.kind === 'missing') {
    return Object.fromEntries(problem.fields.map((name) => [name, { title: messages.missing[name] }]));
  }
  if (problem.kind === 'waiting' || problem.kind === 'stale' || problem.kind === 'busy') return {};
  const { different } = messages.problem;
  return {
    [problem.kind === 'wrong' ? CURRENT : CHOSEN]: messages.problem[problem.kind],
    ...('different' in problem && problem.different && { [AGAIN]: different }),
  };
}

/**
 * Returns the notice for a problem that belongs to no field; undefined for any other problem. It stands above the form, so that people read
 * it first.
 */
function notice(problem: NewPasswordProblem, page: PageFrame): Html | undefined {
  if (problem.kind === 'waiting') return pauseNotice(problem, page);
  if (problem.kind !== 'stale' && problem.kind !== 'busy') return undefined;
  const { title, advice } = messagesIn(page.language).newPassword.problem[problem.kind];
  return problemNotice(title, advice);
}
