// The page with a person's passkeys, and the part of the security page that leads to it.

import { type PageContext, pathOf } from '#openid/account/page-context.ts';
import { part } from '#openid/account/space-page.ts';
import { MOST_PASSKEYS, type Passkey } from '#store/accounts/factors/passkeys.ts';
import { problemNotice } from '#web/components.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { field } from '#web/forms/field.ts';
import { passkeyCreationForm, withoutPasskey } from '#web/forms/passkey-form.ts';
import { type Html, html } from '#web/html.ts';
import { formatDate, formatTime, type Language } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';

/** Characters of a name. */
export const LONGEST_NAME = 60;

export type PasskeysProblem =
  | { kind: 'stale' | 'failed' | 'too-many' | 'last' }
  | { kind: 'waiting' /** Until another try. */; seconds: number }
  /** The name of this passkey is missing. */
  | { kind: 'no-name'; id: string };

interface PasskeysPage {
  passkeys: readonly Passkey[];
  /** Options for a new passkey; undefined if browsers make none here. */
  options: object | undefined;
  problem: PasskeysProblem | undefined;
  token: string;
}

/** The content of the page. The button `create-passkey` is relied on from outside. */
export function passkeysContent({ path, language, account }: PageContext, page: PasskeysPage): Html {
  const { passkeys, options, problem, token } = page;
  const messages = messagesIn(language).passkeys;
  const entry = (passkey: Passkey) =>
    html`<li class="box passkey-entry">${facts(passkey, language)}
${renaming({ passkey, path, token, language, missing: problem?.kind === 'no-name' && problem.id === passkey.id })}
${removal({ passkey, path, token, language })}</li>`;
  return html`${problem && notice(problem, language)}
<p class="lead">${messages.about}</p>
${passkeys.length > 0 && part('yours', messages.yours, html`<ul class="passkeys">${passkeys.map(entry)}</ul>`)}
${part(
  'add',
  messages.addFirst,
  html`<p>${messages.addAbout}</p>
${account.hasPassword && passkeys.length === 0 && html`<p>${messages.addSecondStep}</p>`}
${withoutPasskey(options ? messages.addWithoutScript : messages.impossible)}
${
  options &&
  passkeyCreationForm({
    action: path,
    token,
    options,
    button: { id: 'create-passkey', label: messages.add },
    exists: messages.exists,
  })
}`,
)}`;
}

function facts({ name, createdAt, lastUsedAt, synced }: Passkey, language: Language): Html {
  const messages = messagesIn(language).passkeys;
  const used = lastUsedAt === undefined ? messages.neverUsed : messages.used(formatDate(lastUsedAt, language));
  return html`<h3>${name}</h3>
<p class="passkey-facts">${messages.created(formatDate(createdAt, language))}, ${used}${synced && html`, ${messages.synced}`}</p>`;
}

interface EntryForm {
  passkey: Passkey;
  path: string;
  token: string;
  language: Language;
}

function renaming({ passkey: { id, name }, path, token, language, missing }: EntryForm & { missing: boolean }): Html {
  const messages = messagesIn(language).passkeys;
  return html`<details${missing && html` open`}><summary>${messages.rename}</summary>
<form method="post" action="${path}" novalidate>${csrfField(token)}
<input type="hidden" name="rename" value="${id}">
${field({
  language,
  id: `name-${id}`,
  name: 'name',
  label: messages.nameOf(name),
  attributes: html` autocomplete="off" maxlength="${LONGEST_NAME}" required value="${missing ? '' : name}"`,
  problem: missing ? { title: messages.nameMissing } : undefined,
  focus: missing,
})}
<button class="small quiet" type="submit">${messages.save}</button>
</form></details>`;
}

function removal({ passkey: { id, name }, path, token, language }: EntryForm): Html {
  const messages = messagesIn(language).passkeys;
  return html`<details><summary>${messages.remove}</summary>
<form method="post" action="${path}">${csrfField(token)}
<input type="hidden" name="remove" value="${id}">
<p>${messages.removeAbout}</p>
<button class="danger small" type="submit">${messages.removeSubmit(name)}</button>
</form></details>`;
}

function notice(problem: PasskeysProblem, language: Language): Html | undefined {
  const { account, passkeys } = messagesIn(language);
  const shown = (title: string, advice: string) => problemNotice(title, html`<p>${advice}</p>`, { focus: true });
  switch (problem.kind) {
    case 'stale':
      return shown(account.stale, account.staleAdvice);
    case 'failed':
      return shown(passkeys.failed, passkeys.failedAdvice);
    case 'waiting':
      return shown(passkeys.waiting, passkeys.waitingAdvice(formatTime(Date.now() / 1000 + problem.seconds, language)));
    case 'too-many':
      return shown(passkeys.tooMany, passkeys.tooManyAdvice(MOST_PASSKEYS));
    case 'last':
      return shown(passkeys.last, passkeys.lastAdvice);
    case 'no-name':
      return undefined;
  }
}

/** The part of the security page. The link `passkeys-page` is relied on from outside. */
export function passkeysPart({ site, language }: PageContext, passkeys: readonly Passkey[]): Html {
  const messages = messagesIn(language).passkeys;
  const href = pathOf(site, 'passkeys');
  if (passkeys.length === 0) {
    return html`<div class="box"><p class="state state-off">${messages.none}</p>
<p>${messages.about}</p>
<p class="choices"><a class="button" id="passkeys-page" href="${href}">${messages.addFirst}</a></p></div>`;
  }
  return html`<div class="box"><ul class="passkeys">${passkeys.map((passkey) => html`<li>${facts(passkey, language)}</li>`)}</ul>
<ul class="actions"><li><a class="action" id="passkeys-page" href="${href}">${messages.manage}</a></li></ul></div>`;
}
