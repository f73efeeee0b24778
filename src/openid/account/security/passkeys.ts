// Lets a person add, rename and remove passkeys. The page requires a fresh sign-in (SEC-70). `store/accounts/factors/passkeys.ts` limits
// the number of passkeys of an account, and `shared/rate-limits.ts` limits the attempts in an hour.

import { type AccountContext, leadTo, ownSession, pathOf, record } from '#openid/account/page-context.ts';
import { actionLink, part, sendSpacePage, staleNotice } from '#openid/account/space-page.ts';
import { newPasskeyName } from '#openid/sign-in/passkey/passkey-registration.ts';
import { digest } from '#shared/crypto/digest.ts';
import { readRegistration } from '#shared/webauthn/responses.ts';
import { MOST_PASSKEYS, type Passkey } from '#store/accounts/factors/passkeys.ts';
import { problemNotice, timeAgo } from '#web/components.ts';
import { formatDate } from '#web/dates.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { field } from '#web/forms/field.ts';
import { formStatus, readForm, refuseControlCharacters, UnusableForm } from '#web/forms/form.ts';
import { firstPasskeyCaution, PASSKEY_FIELD, passkeyCreationForm, withoutPasskey } from '#web/forms/passkey-form.ts';
import { type Waiting, waitingNotice } from '#web/forms/pause-notice.ts';
import { type Html, html } from '#web/html.ts';
import { sendRecoveryCodes } from './second-factor.ts';

/** Shows the page. */
export async function sendPasskeysPage(context: AccountContext, problem?: PasskeysProblem): Promise<void> {
  const { res, messages, account, passkeyRegistration: registration } = context;
  const passkeys = await context.passkeys.list(account.id);
  const options = registration?.optionsFor(ownerOf(context, passkeys), passkeys);
  const content = passkeysContent(context, { passkeys, options, problem });
  const scripts = options ? (['passkey'] as const) : [];
  const { title } = messages.passkeys;
  sendSpacePage(context, { status: formStatus(res, problem), section: 'security', title, content, scripts });
}

/** Answers the forms of the page: adds, renames or removes a passkey. */
export async function answerPasskeys(context: AccountContext): Promise<void> {
  const { fields, stale } = readForm(context, [PASSKEY_FIELD, 'rename', 'remove', 'name']);
  if (stale) return sendPasskeysPage(context, { kind: 'stale' });
  const { passkey, rename, remove, name = '' } = fields;
  if (passkey !== undefined) return addPasskey(context, passkey);
  if (remove !== undefined) return removePasskey(context, remove);
  if (rename !== undefined) return renamePasskey(context, rename, name.trim());
  throw new UnusableForm(400, 'the form has to name a passkey');
}

async function addPasskey(context: AccountContext, text: string): Promise<void> {
  const { req, account, passkeys, passkeyRegistration } = context;
  const device = newPasskeyName(req.headers['user-agent'], context.language);
  const owner = ownerOf(context, await passkeys.list(account.id));
  const made = await passkeyRegistration?.check(text, owner, device);
  if (!made) {
    // If the form was sent twice, the passkey is there, and this response may replace the page with the recovery codes.
    const sent = readRegistration(text)?.id;
    const there = (await passkeys.list(account.id)).find(({ credentialId }) => credentialId === sent);
    if (!there) return sendPasskeysPage(context, { kind: 'failed' });
    if (req.session.account?.codesFor) return leadTo(context, 'savedCodes');
    return leadTo(context, 'passkeys', { kind: 'passkey-added', name: there.name });
  }
  if (typeof made === 'number') return sendPasskeysPage(context, { kind: 'waiting', seconds: made });
  const added = await passkeys.add(account.id, made, ownSession(req));
  // `taken` means that this account or another already has the passkey. This is unusual, because the options list the passkeys of the
  // account and an authenticator should not register any of them again.
  if (added.refused) return sendPasskeysPage(context, { kind: added.refused === 'taken' ? 'failed' : 'too-many' });
  const { id, name } = added.passkey;
  await record(context, 'passkey.added', { passkey: id, name });
  if (added.codes) return sendRecoveryCodes(context, added.codes, 'passkey');
  leadTo(context, 'passkeys', { kind: 'passkey-added', name });
}

async function renamePasskey(context: AccountContext, id: string, name: string): Promise<void> {
  const { account } = context;
  refuseControlCharacters('rename', id);
  refuseControlCharacters('name', name);
  if (name === '') return sendPasskeysPage(context, { kind: 'no-name', id });
  if (await context.passkeys.rename(account.id, id, name.slice(0, LONGEST_NAME))) {
    await record(context, 'passkey.renamed', { passkey: id });
    return leadTo(context, 'passkeys', { kind: 'passkey-renamed' });
  }
  leadTo(context, 'passkeys');
}

async function removePasskey(context: AccountContext, id: string): Promise<void> {
  const { req, account } = context;
  const removed = await context.passkeys.remove(account.id, id, ownSession(req));
  if (removed === 'last') return sendPasskeysPage(context, { kind: 'last' });
  if (removed !== 'gone') {
    await record(context, 'passkey.removed', { passkey: id, name: removed.name });
    return leadTo(context, 'passkeys', { kind: 'passkey-removed', name: removed.name });
  }
  leadTo(context, 'passkeys');
}

/**
 * Returns the owner of a new passkey. All passkeys of an account have the user handle of its first passkey. For the first one, the user
 * handle is a digest of the random id of the session. So it is the same on two pages of the session that are opened at the same time.
 */
function ownerOf({ req: { sessionID: sessionId }, account }: AccountContext, [first]: readonly Passkey[]) {
  return { account, sessionId, userHandle: first?.userHandle ?? digest(`passkey user ${sessionId}`) };
}

/** Maximum number of characters of a passkey's name. */
const LONGEST_NAME = 60;

type PasskeysProblem =
  | { kind: 'stale' | 'failed' | 'too-many' | 'last' }
  | Waiting
  /** A passkey was to be renamed, but the form had no name. `id` is the id of this passkey. */
  | { kind: 'no-name'; id: string };

interface PasskeysPage {
  passkeys: readonly Passkey[];
  /** Options for the creation of a passkey. Undefined if browsers cannot create passkeys for the host of the issuer. */
  options: object | undefined;
  problem: PasskeysProblem | undefined;
}

/** Renders the content of the page. External programs rely on the id of the button, `create-passkey`. */
function passkeysContent(context: AccountContext, { passkeys, options, problem }: PasskeysPage): Html {
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
${withoutPasskey(options ? messages.addWithoutScript : messages.impossible)}
${account.hasPassword && passkeys.length === 0 && firstPasskeyCaution(context.language)}
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

/** Renders the form that renames a passkey. With `missing`, it says that the posted form had no name. */
function renaming(context: AccountContext, { id, name }: Passkey, missing: boolean): Html {
  const { language, path, tokens } = context;
  const messages = context.messages.passkeys;
  return html`<details${missing && html` open`}><summary aria-label="${messages.renameOf(name)}">${messages.rename}</summary>
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
  return html`<details><summary aria-label="${messages.removeSubmit(name)}">${messages.remove}</summary>
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

/** Renders the part of the security page about passkeys. External programs rely on the id of its link, `passkeys-page`. */
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
