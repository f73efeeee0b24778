// Lets a person add, rename and remove passkeys. Each of these needs a fresh sign-in (SEC-70). `store/accounts/factors/passkeys.ts` limits
// the passkeys of an account, `shared/rate-limits.ts` limits the attempts in an hour.

import { type AccountContext, accountSession, leadTo, ownSession, record } from '#openid/account/page-context.ts';
import { sendSpacePage } from '#openid/account/space-page.ts';
import { newPasskeyName, newUserHandle } from '#openid/sign-in/passkey/passkey-registration.ts';
import type { Passkey } from '#store/accounts/factors/passkeys.ts';
import { formStatus, readForm, refuseControlCharacters, UnusableForm } from '#web/forms/form.ts';
import { PASSKEY_FIELD } from '#web/forms/passkey-form.ts';
import { LONGEST_NAME, type PasskeysProblem, passkeysContent } from './passkeys-page.ts';
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
  const { fields, stale } = readForm(context.req, context.tokens, [PASSKEY_FIELD, 'rename', 'remove', 'name']);
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
  if (!made) return sendPasskeysPage(context, { kind: 'failed' });
  if (typeof made === 'number') return sendPasskeysPage(context, { kind: 'waiting', seconds: made });
  const added = await passkeys.add(account.id, made, ownSession(req));
  // `taken` means that the passkey is registered already, to this account or another. An authenticator that respects the list of this
  // account's passkeys makes no such passkey.
  if (added.refused) return sendPasskeysPage(context, { kind: added.refused === 'taken' ? 'failed' : 'too-many' });
  const { id, name } = added.passkey;
  await record(context, 'passkey.added', { passkey: id, name });
  if (added.codes) return sendRecoveryCodes(context, added.codes, 'passkey');
  leadTo(context, 'passkeys', { kind: 'passkey-added', name });
}

async function renamePasskey(context: AccountContext, id: string, name: string): Promise<void> {
  const { account } = context;
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
 * The owner of a new passkey. The first passkey of an account gets the user handle in the session. Later passkeys get the handle of the
 * first.
 */
function ownerOf({ req, account }: AccountContext, [first]: readonly Passkey[]) {
  const session = accountSession(req);
  session.passkeyUser ??= newUserHandle();
  return { account, sessionId: req.sessionID, userHandle: first?.userHandle ?? session.passkeyUser };
}
