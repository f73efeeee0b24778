// Renders a form field for every form: its label, problem, input and help, in this order. The problem comes before the input, so that a
// phone's keyboard does not hide the problem when the input has the focus.

import { problemNotice } from '#web/components.ts';
import { type Html, html } from '#web/html.ts';
import type { Language } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';

/** The problem of a field (`title`), and what the person can do about it (`advice`). */
export interface FieldProblem {
  title: string;
  advice?: string | undefined;
}

interface Field {
  language: Language;
  id: string;
  /** Name of the input; by default the id. */
  name?: string;
  label: string;
  /** Further attributes of the input. */
  attributes: Html;
  /** Help for filling in the field: a paragraph or a list, below the input. */
  help?: { id: string; content: Html } | undefined;
  problem?: FieldProblem | undefined;
  /** True if the page opens with the focus in this field. */
  focus: boolean;
  /** True for a password field with a button that shows the password. The button needs the script `show-password`. */
  password?: boolean;
  /** Further class names of the field. */
  className?: string;
}

/** Renders a field. Its problem has the id `<field>-problem`. */
export function field(field: Field): Html {
  const { id, name = id, label, attributes, help, problem, focus, password, className } = field;
  const problemId = `${id}-problem`;
  const described = [problem && problemId, help?.id].filter(Boolean).join(' ');
  const state = html`${described && html` aria-describedby="${described}"`}${problem && html` aria-invalid="true"`}${focus && html` autofocus`}`;
  const input = html`<input id="${id}" name="${name}" type="${password ? 'password' : 'text'}"${attributes}${state}>`;
  return html`<div class="field${className !== undefined && ` ${className}`}">
<label for="${id}">${label}</label>
${problem && fieldProblem(problemId, problem)}
${password ? passwordInput(field, input) : input}
${help?.content}
</div>`;
}

/** Returns the attributes of a field for an e-mail address. `autocomplete` tells the browser what it may fill in. */
export function addressAttributes(autocomplete: string, value: string): Html {
  return html` inputmode="email" autocomplete="${autocomplete}" autocapitalize="none" autocorrect="off" spellcheck="false" maxlength="254" required value="${value}"`;
}

/** Renders the problem of a field, which stands beside the field. */
export function fieldProblem(id: string, { title, advice }: FieldProblem): Html {
  return html`<p class="field-problem" id="${id}"><strong>${title}</strong>${advice !== undefined && html` ${advice}`}</p>`;
}

/**
 * Renders a notice above a form, with links to the faulty fields. Each field also shows its own problem, so fewer than two faulty fields
 * need no notice: then it returns undefined.
 */
export function problemSummary(
  title: string,
  problems: Readonly<Record<string, FieldProblem | undefined>>,
): Html | undefined {
  const found = Object.entries(problems).flatMap(([id, problem]) => (problem ? [{ id, text: problem.title }] : []));
  if (found.length < 2) return undefined;
  const links = found.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`);
  return problemNotice(title, html`<ul>${links}</ul>`, { focus: false });
}

/**
 * Renders a password input with the button that shows the password. The button is hidden until its script runs. Without the script, the
 * input fills the line.
 */
function passwordInput({ language, id, label }: Field, input: Html): Html {
  const { show, showAbout } = messagesIn(language).form;
  return html`<div class="password-input">${input}<button class="quiet show-password" type="button" aria-controls="${id}" aria-pressed="false" aria-label="${showAbout(label)}" hidden>${show}</button></div>`;
}
