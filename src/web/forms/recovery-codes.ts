// Shows new recovery codes, on the only page that ever shows them. People can print, copy or download them. They tick a box to confirm that
// they have kept the codes.

import type { PageScript } from '#web/assets.ts';
import { formatDate } from '#web/dates.ts';
import { type Html, html } from '#web/html.ts';
import type { PageFrame } from '#web/layout.ts';
import { messagesIn } from '#web/messages.ts';
import { csrfField } from './csrf.ts';
import { fieldProblem } from './field.ts';
import { type PostedForm, readForm } from './form.ts';

/** Name and id of the box. They must not change, because programs of others rely on them. */
const SAVED = 'saved';

/** The scripts of the page with the codes. Without them, people can print the page or select the codes. */
export const RECOVERY_CODES_SCRIPTS: readonly PageScript[] = ['copy', 'keep-codes'];

/** The reason for the codes: the account's first second factor (`app`, `passkey`), or a replacement of earlier codes (`renewed`). */
export type RecoveryCodesFor = 'app' | 'passkey' | 'renewed';

/** New recovery codes, made today, for the account that signs in with `login`. */
export interface NewRecoveryCodes {
  codes: readonly string[];
  login: string;
  madeFor: RecoveryCodesFor;
}

/**
 * Renders the codes and says what they are for. A print (`second-factor.css`) and the downloaded file have only the codes, with a heading,
 * the login, the date and the address of the service.
 */
export function recoveryCodeList({ site, language }: PageFrame, { codes, login, madeFor }: NewRecoveryCodes): Html {
  const { secondFactor: messages, form } = messagesIn(language);
  const fileName = `${messages.recoveryCodes} ${site.name}.txt`.toLowerCase().replace(/[^\p{L}\p{N}.]+/gu, '-');
  const title = `${site.name} – ${messages.recoveryCodes}`;
  const sheet = messages.recoverySheet(login, formatDate(Date.now() / 1000, language), `${site.host}${site.base}`);
  return html`<p class="lead">${messages.recoveryAbout[madeFor]}</p>
<p class="caution"><strong>${messages.recoveryOnce}</strong> ${messages.recoveryKeep}</p>
<div class="recovery-sheet">
<div class="printed"><p>${title}</p>${sheet.map((line) => html`<p>${line}</p>`)}</div>
<ul class="recovery-codes" id="recovery-codes" aria-label="${messages.recoveryCodes}">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
</div>
<div class="tools">
<button class="quiet small" id="print-codes" type="button" hidden>${messages.print}</button>
<button class="quiet small" id="download-codes" type="button" data-file="${fileName}" data-heading="${[title, ...sheet].join('\n')}" hidden>${messages.download}</button>
<button class="quiet small" id="copy-codes" type="button" data-copy="${codes.join('\n')}" data-done="${form.copied}" hidden>${form.copy}</button>
<span role="status"></span>
</div>`;
}

interface SavedForm extends PageFrame {
  /** Path to which the form is posted. */
  action: string;
  token: string;
  /** True if the form was sent without its box ticked. */
  unsaved?: boolean;
}

/**
 * Renders a form with a box, in which people confirm that they have kept the codes. The browser itself refuses to send the form until the
 * box is ticked, because the response to the form could not show the codes again.
 */
export function savedForm({ language, action, token, unsaved = false }: SavedForm): Html {
  const { recoverySaved, recoveryContinue, recoveryUnsaved } = messagesIn(language).secondFactor;
  const problem = `${SAVED}-problem`;
  return html`<form method="post" action="${action}">
${csrfField(token)}
${unsaved && fieldProblem(problem, { title: recoveryUnsaved })}
<label class="check"><input id="${SAVED}" name="${SAVED}" type="checkbox" value="yes" required${unsaved && html` aria-invalid="true" aria-describedby="${problem}" autofocus`}> ${recoverySaved}</label>
<div class="choices"><button id="continue" type="submit">${recoveryContinue}</button></div>
</form>`;
}

/** Checks whether a posted form has its box ticked and one of the tokens. */
export function readSaved(form: PostedForm): boolean {
  const { fields, stale } = readForm(form, [SAVED]);
  return !stale && fields.saved === 'yes';
}
