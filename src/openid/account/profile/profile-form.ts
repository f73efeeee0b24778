// The form with a person's names and the language of their pages.

import { type PageContext, pathOf } from '#openid/account/page-context.ts';
import { staleNotice } from '#openid/account/space-page.ts';
import { nameProblem, tidyName } from '#shared/names.ts';
import { type CsrfTokens, csrfField, tokensOfSession } from '#web/forms/csrf.ts';
import { type FieldProblem, field, problemSummary } from '#web/forms/field.ts';
import { readForm } from '#web/forms/form.ts';
import { type Html, html } from '#web/html.ts';
import { LANGUAGES } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';

/** Fields in their order, with their autocomplete names. Each is also a member of an account. */
const NAMES = { given: 'given-name', family: 'family-name', name: 'name', nickname: 'nickname' } as const;
const LANGUAGE = 'language';
type NameField = keyof typeof NAMES;

export interface ProfileForm {
  /** The fields that the person may change; '' if the value is unknown or unwanted. */
  values: Partial<Record<NameField | typeof LANGUAGE, string>>;
  problems: Partial<Record<NameField, FieldProblem>>;
  /** It came from no page of this browser. */
  stale?: boolean;
}

/** The names that a person may change. */
function editableNames({ settings }: PageContext): NameField[] {
  const { editable } = settings.profile;
  const names = Object.keys(NAMES) as NameField[];
  return names.filter((name) => editable.includes(name === 'nickname' ? 'nickname' : 'name'));
}

/** Reads the posted values. Fields that the person may not change are ignored. Throws `UnusableForm`. */
export function readProfileForm(context: PageContext, tokens: CsrfTokens): ProfileForm {
  const names = editableNames(context);
  const { fields, stale } = readForm(context.req, tokens, [...names, LANGUAGE]);
  const messages = messagesIn(context.language).profile.problem;
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

/** The form. The button's id `save-profile` is relied on from outside. */
export function profileForm(context: PageContext, { values, problems, stale = false }: ProfileForm): Html {
  const { req, site, language, path } = context;
  const { account, profile } = messagesIn(language);
  const names = editableNames(context);
  const first = names.find((name) => problems[name]);
  const input = (name: NameField): Html => {
    const help = profile.help[name];
    return field({
      language,
      id: name,
      label: profile.field[name],
      attributes: html` value="${values[name] ?? ''}" autocomplete="${NAMES[name]}" maxlength="200"${name === 'name' && html` required`}`,
      help:
        help === undefined
          ? undefined
          : { id: `${name}-help`, content: html`<p class="field-help" id="${name}-help">${help}</p>` },
      problem: problems[name],
      focus: name === first,
    });
  };
  return html`${stale && staleNotice(language)}
${problemSummary(profile.problems, problems)}
<form method="post" action="${path}" novalidate>${csrfField(tokensOfSession(req.session)[0])}
${names.map(input)}
${languageChoice(context, values.language ?? '')}
<div class="choices">
<button id="save-profile" type="submit">${profile.save}</button>
<a class="button quiet" id="cancel" href="${pathOf(site, 'profile')}">${account.cancel}</a>
</div>
</form>`;
}

function languageChoice({ language }: PageContext, chosen: string): Html {
  const { profile } = messagesIn(language);
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
