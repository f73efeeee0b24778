// A person changes their names and the language of their pages.

import { accountSession, type PageContext, pathOf, record } from '#openid/account/page-context.ts';
import { sendSpacePage } from '#openid/account/space-page.ts';
import type { Account } from '#store/accounts/account-row.ts';
import { tokensOfSession } from '#web/forms/csrf.ts';
import { LANGUAGES, writeLanguage } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';
import { type ProfileForm, profileForm, readProfileForm } from './profile-form.ts';

/** Shows the form with the stored values, or with the sent ones and their problems. */
export async function sendEditPage(context: PageContext, form?: ProfileForm): Promise<void> {
  const { account, language } = context;
  const { given = '', family = '', nickname = '', name } = account;
  const shown = form ?? { values: { given, family, name, nickname, language: account.language ?? '' }, problems: {} };
  const problem = form !== undefined;
  sendSpacePage(context, {
    status: form?.stale ? 403 : problem ? 422 : 200,
    section: 'profile',
    title: messagesIn(language).profile.edit,
    problem,
    content: profileForm(context, shown),
  });
}

/** Answers the posted form. Only changed values are stored and recorded. */
export async function saveProfile(context: PageContext): Promise<void> {
  const { req, res, site, account } = context;
  const form = readProfileForm(context, tokensOfSession(req.session));
  if (form.stale || Object.keys(form.problems).length > 0) return sendEditPage(context, form);
  const changes = changesTo(account, form.values);
  const fields = Object.keys(changes);
  if (fields.length > 0) {
    await context.accounts.update(account.id, changes);
    await record(context, 'account.profile-changed', { fields });
    accountSession(req).notice = { kind: 'profile-saved' };
  }
  // An older cookie of the language switch would hide the new choice.
  if ('language' in changes)
    writeLanguage(
      res,
      site,
      LANGUAGES.find((language) => language === changes['language']),
    );
  res.redirect(303, pathOf(site, 'profile'));
}

/** Null removes. A full name that was only composed of given and family name goes on to be. */
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
