// Lets a person change their names and the language of the pages.

import { type AccountContext, leadTo, pathOf, record } from '#openid/account/page-context.ts';
import { sendSpacePage, staleNotice } from '#openid/account/space-page.ts';
import { nameProblem, tidyName } from '#shared/names.ts';
import type { Account } from '#store/accounts/account-row.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { type FieldProblem, field, problemSummary } from '#web/forms/field.ts';
import { readForm } from '#web/forms/form.ts';
import { type Html, html } from '#web/html.ts';
import { LANGUAGES, writeLanguage } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';

/**
 * The fields for names, in the order of the form. Each key is the name of a field and of the property of `Account` that the field changes.
 * Each value is that of the HTML attribute `autocomplete`.
 */
const NAMES = { given: 'given-name', family: 'family-name', name: 'name', nickname: 'nickname' } as const;
const LANGUAGE = 'language';
type NameField = keyof typeof NAMES;

interface ProfileForm {
  /** Values of the fields that the person may change. An empty text stands for a value that is unknown or was removed. */
  values: Partial<Record<NameField | typeof LANGUAGE, string>>;
  problems: Partial<Record<NameField, FieldProblem>>;
  /** True if the form did not come from a page of this session. */
  stale?: boolean;
}

/** Shows the form. Without `form`, it has the values of the account; otherwise it has the posted values, with their problems. */
export async function sendEditPage(context: AccountContext, form?: ProfileForm): Promise<void> {
  const { given = '', family = '', nickname = '', name, language = '' } = context.account;
  sendSpacePage(context, {
    status: statusOf(form),
    section: 'profile',
    title: context.messages.profile.edit,
    content: profileForm(context, form ?? { values: { given, family, name, nickname, language }, problems: {} }),
  });
}

function statusOf(form: ProfileForm | undefined): number {
  if (!form) return 200;
  return form.stale ? 403 : 422;
}

/** Answers the posted form. Only values that have changed are stored and recorded. */
export async function saveProfile(context: AccountContext): Promise<void> {
  const { res, site, account } = context;
  const form = readProfileForm(context);
  if (form.stale || Object.keys(form.problems).length > 0) return sendEditPage(context, form);
  const changes = changesTo(account, form.values);
  const fields = Object.keys(changes);
  if (fields.length > 0) {
    await context.accounts.update(account.id, changes);
    await record(context, 'account.profile-changed', { fields });
  }
  // The choice is also written into the cookie of the language switch, because an earlier choice in that cookie would take precedence.
  const chosen = LANGUAGES.find((language) => language === changes['language']);
  if ('language' in changes) writeLanguage(res, site, chosen);
  leadTo(context, 'profile', { kind: 'profile-saved' });
}

/**
 * Returns the fields with changed values. A removed value is null. If the full name consisted of the given and family name, and the person
 * did not edit the full name, it is changed as well.
 */
function changesTo(account: Account, values: ProfileForm['values']): Record<string, string | null> {
  const { given, family, name } = values;
  const wasComposed = account.name === `${account.given} ${account.family}` && name === account.name;
  const wanted: Record<string, string> = {
    ...values,
    ...(wasComposed && given && family && { name: `${given} ${family}` }),
  };
  const changed = Object.entries(wanted).filter(([field, value]) => value !== (account[field as keyof Account] ?? ''));
  return Object.fromEntries(changed.map(([field, value]) => [field, value === '' ? null : value]));
}

/** Returns the fields for names that the person may change. Fields with a value come first. */
function editableNames({ settings, account }: AccountContext): NameField[] {
  const { editable } = settings.profile;
  const names = Object.keys(NAMES) as NameField[];
  return names
    .filter((name) => editable.includes(name === 'nickname' ? 'nickname' : 'name'))
    .toSorted((one, other) => Number(!account[one]) - Number(!account[other]));
}

/**
 * Reads the posted values. Fields that the person may not change are ignored. Throws `UnusableForm` if a field is repeated, or if the form
 * has the wrong content type.
 */
function readProfileForm(context: AccountContext): ProfileForm {
  const names = editableNames(context);
  const { fields, stale } = readForm(context, [...names, LANGUAGE]);
  const messages = context.messages.profile.problem;
  const form: ProfileForm = { values: {}, problems: {}, stale };
  for (const name of names) {
    const value = tidyName(fields[name] ?? '');
    form.values[name] = value;
    const problem = value === '' && name !== 'name' ? undefined : nameProblem(value);
    if (problem) form.problems[name] = value === '' ? messages.missing : messages[problem];
  }
  form.values.language = LANGUAGES.find((language) => language === fields[LANGUAGE]) ?? '';
  return form;
}

/** Renders the form. External programs rely on the id of its button, `save-profile`. */
function profileForm(context: AccountContext, { values, problems, stale = false }: ProfileForm): Html {
  const { site, language, messages, path, tokens } = context;
  const { account, profile } = messages;
  const names = editableNames(context);
  const first = names.find((name) => problems[name]);
  const input = (name: NameField): Html => {
    const id = `${name}-help`;
    const help = profile.help[name] && html`<p class="field-help" id="${id}">${profile.help[name]}</p>`;
    return field({
      language,
      id: name,
      label: profile.field[name],
      attributes: html` value="${values[name] ?? ''}" autocomplete="${NAMES[name]}" maxlength="200"${name === 'name' && html` required`}`,
      help: help ? { id, content: help } : undefined,
      problem: problems[name],
      focus: name === first,
    });
  };
  return html`${stale && staleNotice(context)}
${problemSummary(profile.problems, problems)}
<form method="post" action="${path}" novalidate>${csrfField(tokens[0])}
${names.map(input)}
${languageChoice(context, values.language ?? '')}
<div class="choices">
<button id="save-profile" type="submit">${profile.save}</button>
<a class="button quiet" id="cancel" href="${pathOf(site, 'profile')}">${account.cancel}</a>
</div>
</form>`;
}

function languageChoice({ messages: { profile } }: AccountContext, chosen: string): Html {
  const choices = [
    ...LANGUAGES.map((one) => [one, messagesIn(one).languageName] as const),
    ['', profile.browserLanguage] as const,
  ];
  return html`<fieldset class="radios" aria-describedby="language-help">
<legend>${profile.field.language}</legend>
<p class="field-help" id="language-help">${profile.help.language}</p>
${choices.map(
  ([value, label]) =>
    html`<label${value !== '' && html` lang="${value}"`}><input type="radio" name="${LANGUAGE}" value="${value}"${value === chosen && html` checked`}> <span>${label}</span></label>
`,
)}</fieldset>`;
}
