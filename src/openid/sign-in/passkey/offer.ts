// Offers a passkey to a person who has signed in by password at their own browser, before the person continues to the application (decision
// 115). The sign-in must be as fresh as for the account pages (SEC-70), so that another person gets no offer if they find the page open
// later.

import { finishLogin, progressOf, recordStep, type SignInProgress } from '#openid/sign-in/finish-login.ts';
import type { SignInContext } from '#openid/sign-in/page-context.ts';
import { FRESH_FOR } from '#shared/sign-in-methods.ts';
import { isSignInValid } from '#store/accounts/end-sessions.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { iconEmblem, problemNotice } from '#web/components.ts';
import { csrfField } from '#web/forms/csrf.ts';
import { formStatus, readForm } from '#web/forms/form.ts';
import { firstPasskeyCaution, passkeyCreationForm, readPasskey } from '#web/forms/passkey-form.ts';
import { type Waiting, waitingNotice } from '#web/forms/pause-notice.ts';
import type { NewRecoveryCodes } from '#web/forms/recovery-codes.ts';
import { html } from '#web/html.ts';
import { renewSession } from '#web/http/page-session.ts';
import { sendPage } from '#web/layout.ts';
import { newPasskeyName } from './passkey-registration.ts';

type OfferProblem = { kind: 'stale' | 'failed' } | Waiting;

/** Seconds for which a browser gets no offer after the answer "not now". */
const LATER = 30 * 86_400;

/**
 * Shows the page. The ids `create-passkey`, `later` and `shared` of the buttons must not change, because programs of others rely on them.
 */
export async function sendOffer(context: SignInContext, progress: SignInProgress, problem?: OfferProblem) {
  const { res, path, tokens, language, passkeys: ways, messages } = context;
  const { passkeys } = messages;
  const owner = await ownerOf(context, progress);
  if (!owner || !ways) return finishLogin(context, { ...progress, offered: true });
  const create = passkeyCreationForm({
    action: `${path}/new-passkey`,
    token: tokens[0],
    options: ways.registration.optionsFor(owner, []),
    button: { id: 'create-passkey', label: passkeys.add },
    exists: passkeys.exists,
  });
  const form = (name: string, kind: string, label: string) =>
    html`<form method="post" action="${path}/${name}">${csrfField(tokens[0])}<button class="wide ${kind}" id="${name}" type="submit">${label}</button></form>`;
  const content = html`<p class="lead">${passkeys.offer.about}</p>
${problem?.kind === 'stale' && problemNotice(passkeys.stale, passkeys.staleAdvice)}
${problem?.kind === 'failed' && problemNotice(passkeys.failed, passkeys.failedAdvice)}
${problem?.kind === 'waiting' && waitingNotice(passkeys, problem, language)}
${firstPasskeyCaution(language)}
${create}
${form('later', 'quiet', passkeys.offer.later)}
${form('shared', 'plain', passkeys.offer.shared)}
<p class="fine">${passkeys.offer.laterAbout}</p>`;
  const about = { status: formStatus(res, problem), title: passkeys.offer.title, emblem: iconEmblem('key') };
  sendPage(context, { ...about, content, scripts: ['passkey'] });
}

/**
 * Adds the passkey that the browser has posted. If the account gets recovery codes with its first passkey, `sendRecoveryPage` shows the
 * codes next.
 */
export const addOffered =
  (sendRecoveryPage: (context: SignInContext, made: NewRecoveryCodes) => void) =>
  async (context: SignInContext): Promise<void> => {
    const { req, res, path, interaction, passkeys } = context;
    const { text, stale } = readPasskey(context);
    const progress = await progressOf(context);
    const owner = progress && (await ownerOf(context, progress));
    if (!owner || !passkeys) return res.redirect(303, path);
    if (stale) return sendOffer(context, progress, { kind: 'stale' });
    const device = newPasskeyName(req.headers['user-agent'], context.language);
    const made = await passkeys.registration.check(text, owner, device);
    if (typeof made === 'number') return sendOffer(context, progress, { kind: 'waiting', seconds: made });
    const { account } = interaction;
    const own = account?.id === progress.accountId ? account.sessionUid : undefined;
    const added = made && (await passkeys.add(progress.accountId, made, own, progress.signedInAt));
    if (added && added.refused === 'ended') return res.redirect(303, path);
    if (!added || added.refused) return sendOffer(context, progress, { kind: 'failed' });
    const { id, name } = added.passkey;
    await recordStep(context, progress, 'passkey.added', { passkey: id, name });
    const { offer: _answered, ...rest } = progress;
    const proved = { ...rest, offered: true as const, signedInAt: added.notBefore };
    if (!added.codes) return finishLogin(context, proved);
    await renewSession(req);
    req.session.progress = { ...proved, codesShown: true };
    sendRecoveryPage(context, { login: progress.email, codes: added.codes, madeFor: 'passkey' });
  };

/**
 * Continues without a passkey. `later`: this browser gets no offer for 30 days. `shared`: it gets no offer any more, because several people
 * use it.
 */
export const declineOffer =
  (why: 'later' | 'shared') =>
  async (context: SignInContext): Promise<void> => {
    const { req, res, path, kept } = context;
    const progress = await progressOf(context);
    if (progress?.offer === undefined) return res.redirect(303, path);
    if (readForm(context).stale) return sendOffer(context, progress, { kind: 'stale' });
    const { offer: _answered, remember, ...rest } = progress;
    const isShared = why === 'shared';
    kept.change(req, res, isShared ? { shared: true, login: undefined } : { offerAfter: epochSeconds() + LATER });
    const goesOn = { ...rest, offered: true as const };
    await finishLogin(context, isShared || remember === undefined ? goesOn : { ...goesOn, remember });
  };

/**
 * Returns the person to whom a passkey is offered. Returns undefined if there is no offer, if the sign-in is too old, or if the account is
 * gone. Also returns undefined if this sign-in is no longer valid, for example because the account has got a second factor meanwhile
 * (SEC-55).
 */
async function ownerOf({ passkeys }: SignInContext, { accountId, uid, offer, signedInAt }: SignInProgress) {
  const isOpen = offer !== undefined && epochSeconds() - signedInAt <= FRESH_FOR;
  const account = isOpen ? await passkeys?.account(accountId) : undefined;
  if (!account || !isSignInValid(account, signedInAt, undefined)) return undefined;
  return { account, sessionId: uid, userHandle: offer ?? '' };
}
