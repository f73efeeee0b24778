// The page with a person's passkeys, and the part of the security page that leads to it.

import { type AccountContext, pathOf } from '#openid/account/page-context.ts';
import { actionLink, part, staleNotice } from '#openid/account/space-page.ts';
import { MOST_PASSKEYS, type Passkey } from '#store/accounts/factors/passkeys.ts';
import { problemNotice, timeAgo } from '#web/components.ts';
import { formatDate } from '#web/dates.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { field } from '#web/forms/field.ts';
import { firstPasskeyCaution, passkeyCreationForm, withoutPasskey } from '#web/forms/passkey-form.ts';
import { type Waiting, waitingNotice } from '#web/forms/pause-notice.ts';
import { type Html, html } from '#web/html.ts';

/** Maximum characters of a passkey's name. */
export const LONGEST_NAME = 60;

export type PasskeysProblem =
  | { kind: 'stale' | 'failed' | 'too-many' | 'last' }
  | Waiting
  /** The name of this passkey is missing. */
  | { kind: 'no-name'; id: string };

interface PasskeysPage {
  passkeys: readonly Passkey[];
  /** Options for a new passkey; undefined if browsers cannot make one for this address. */
  options: object | undefined;
  problem: PasskeysProblem | undefined;
}

/** The content of the page. Programs of others rely on the button's id `create-passkey`. */
export function passkeysContent(context: AccountContext, { passkeys, options, problem }: PasskeysPage): Html {
  const { path, account, tokens } = context;
  const messages = context.messages.passkeys;
  const entry = (passkey: Passkey) =>
    html`<li class="box passkey-entry">${facts(context, passkey)}
${renaming(context, passkey, problem?.kind === 'no-name' && problem.id === passkey.id)}
${removal(context, passkey)}</li>`;
  return html`${problem && notice(context, problem)}
<p class="lead">${messages.about}</p>
${passkeys.length > 0 && part('yours', messages.yours, html`<ul class="passkeys">${passkeys.map(entry)}</ul>`)}
${part(
  'add',
  messages.addFirst,
  html`<p>${messages.addAbout}</p>
${account.hasPassword && passkeys.length === 0 && firstPasskeyCaution(context.language)}
${withoutPasskey(options ? messages.addWithoutScript : messages.impossible)}
${
  options &&
  passkeyCreationForm({
    action: path,
    token: tokens[0],
    options,
    button: { id: 'create-passkey', label: messages.add },
    exists: messages.exists,
  })
}`,
)}`;
}

function facts({ language, messages: { passkeys: messages } }: AccountContext, passkey: Passkey): Html {
  const { name, createdAt, lastUsedAt, synced } = passkey;
  const used = lastUsedAt === undefined ? messages.neverUsed : timeAgo(lastUsedAt, language, messages.used);
  return html`<h3>${name}</h3>
<p class="passkey-facts">${messages.created(formatDate(createdAt, language))}, ${used}${synced && html`, ${messages.synced}`}</p>`;
}

/** The form that renames a passkey. `missing` means that it was sent without a name. */
function renaming(context: AccountContext, { id, name }: Passkey, missing: boolean): Html {
  const { language, path, tokens } = context;
  const messages = context.messages.passkeys;
  return html`<details${missing && html` open`}><summary>${messages.rename}</summary>
<form method="post" action="${path}" novalidate>${csrfField(tokens[0])}
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

function removal({ path, tokens, messages: { passkeys: messages } }: AccountContext, { id, name }: Passkey): Html {
  return html`<details><summary>${messages.remove}</summary>
<form method="post" action="${path}">${csrfField(tokens[0])}
<input type="hidden" name="remove" value="${id}">
<p>${messages.removeAbout}</p>
<button class="danger small" type="submit">${messages.removeSubmit(name)}</button>
</form></details>`;
}

function notice(context: AccountContext, problem: PasskeysProblem): Html | undefined {
  const { passkeys } = context.messages;
  switch (problem.kind) {
    case 'stale':
      return staleNotice(context);
    case 'failed':
      return problemNotice(passkeys.failed, passkeys.failedAdvice);
    case 'waiting':
      return waitingNotice(passkeys, problem, context.language);
    case 'too-many':
      return problemNotice(passkeys.tooMany, passkeys.tooManyAdvice(MOST_PASSKEYS));
    case 'last':
      return problemNotice(passkeys.last, passkeys.lastAdvice);
    case 'no-name':
      return undefined;
  }
}

/** The section about passkeys on the security page. Programs of others rely on the link's id `passkeys-page`. */
export function passkeysPart(context: AccountContext, passkeys: readonly Passkey[]): Html {
  const messages = context.messages.passkeys;
  if (passkeys.length === 0) {
    return html`<div class="box"><p class="state state-off">${messages.none}</p>
<p>${messages.about}</p>
<p class="choices"><a class="button" id="passkeys-page" href="${pathOf(context.site, 'passkeys')}">${messages.addFirst}</a></p></div>`;
  }
  return html`<div class="box"><ul class="passkeys">${passkeys.map((passkey) => html`<li>${facts(context, passkey)}</li>`)}</ul>
<ul class="actions"><li>${actionLink(context, 'passkeys', 'passkeys-page', messages.manage)}</li></ul></div>`;
}
