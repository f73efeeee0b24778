// Lets a person change their names and the language of their pages.

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

/** The name fields in their order, each with its autocomplete name. The account has a member of the same name for each. */
const NAMES = { given: 'given-name', family: 'family-name', name: 'name', nickname: 'nickname' } as const;
const LANGUAGE = 'language';
type NameField = keyof typeof NAMES;

interface ProfileForm {
  /** Values of the fields that the person may change. An unknown or unwanted value is ''. */
  values: Partial<Record<NameField | typeof LANGUAGE, string>>;
  problems: Partial<Record<NameField, FieldProblem>>;
  /** True if the form did not come from a page of this browser. */
  stale?: boolean;
}

/** Shows the form with the stored values, or with the sent ones and their problems. */
export async function sendEditPage(context: AccountContext, form?: ProfileForm): Promise<void> {
  const { given = '', family = '', nickname = '', name, language = '' } = context.account;
  sendSpacePage(context, {
    status: form?.stale ? 403 : form ? 422 : 200,
    section: 'profile',
    title: context.messages.profile.edit,
    content: profileForm(context, form ?? { values: { given, family, name, nickname, language }, problems: {} }),
  });
}

/** Answers the posted form. Stores and records only changed values. */
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
  // The cookie of the language switch gets the new choice too, because an older one in it would win.
  const chosen = LANGUAGES.find((language) => language === changes['language']);
  if ('language' in changes) writeLanguage(res, site, chosen);
  leadTo(context, 'profile', fields.length > 0 ? { kind: 'profile-saved' } : undefined);
}

/**
 * Returns the changed values, with null for a removed one. If the full name was composed of given and family name, it changes with them.
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

/** The name fields that a person may change. Fields with a value come first. */
function editableNames({ settings, account }: AccountContext): NameField[] {
  const { editable } = settings.profile;
  const names = Object.keys(NAMES) as NameField[];
  return names
    .filter((name) => editable.includes(name === 'nickname' ? 'nickname' : 'name'))
    .toSorted((one, other) => Number(!account[one]) - Number(!account[other]));
}

/** Reads the posted values. Ignores fields that the person may not change. Throws `UnusableForm`. */
function readProfileForm(context: AccountContext): ProfileForm {
  const names = editableNames(context);
  const { fields, stale } = readForm(context.req, context.tokens, [...names, LANGUAGE]);
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

/** The form. Programs of others rely on the button's id `save-profile`. */
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
