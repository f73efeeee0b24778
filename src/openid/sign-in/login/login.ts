// The first step of a sign-in: checks login and password with throttling, and continues with the next step that is due (`finish-login.ts`).

import { goOnAfterPassword, progressOf } from '#openid/sign-in/finish-login.ts';
import { type SignInContext, stepDetail } from '#openid/sign-in/page-context.ts';
import { TooManyHashes } from '#shared/crypto/secret-hash.ts';
import { queueKeyOf } from '#shared/fair-queue.ts';
import { readForm, refuseControlCharacters } from '#web/forms/form.ts';
import {
  AUTHENTICATOR,
  asksToKeep,
  type LoginProblem,
  REMEMBER,
  sendLoginPage,
  sendStaleLoginPage,
} from './login-page.ts';

/** Answers the posted login form. */
export async function answerLogin(context: SignInContext): Promise<void> {
  const { req, res, interaction, path, audit, log } = context;
  if (interaction.prompt !== 'login') return res.redirect(303, path);
  const { fields, stale } = readForm(context, ['login', 'password', REMEMBER, AUTHENTICATOR]);
  const { password = '' } = fields;
  const typed = (fields.login ?? '').trim();
  refuseControlCharacters('login', typed);
  const remember = fields.remember === 'yes';
  const refuse = (problem: LoginProblem) => sendLoginPage(context, { login: typed, remember, problem });

  if (stale) return refuse({ kind: 'stale' });
  if (!typed || !password) return refuse({ kind: 'incomplete', login: !typed, password: !password });

  const origin = { client: interaction.client.id, address: req.ip };
  const device = await context.devices.deviceOf(req, typed);
  const attempt = await context.throttle.begin(typed, req.ip ?? '', device);
  if (attempt.outcome === 'waiting') {
    const account = await context.accountOf(typed);
    const details = stepDetail(context);
    await audit.record({ event: 'sign-in.throttled', actor: 'unknown', account, ...origin, details });
    return refuse({ kind: 'waiting', seconds: attempt.seconds, of: attempt.of });
  }
  const busy = () => {
    log.info(origin, 'sign-in put off: too many passwords at once');
    return refuse({ kind: 'busy' });
  };
  if (attempt.outcome === 'busy') return busy();
  const queueKey = queueKeyOf(req.ip ?? '', attempt.known ? device : undefined);
  const account = await context.authenticate(typed, password, queueKey).catch(async (error: unknown) => {
    // If too many passwords wait to be checked, this password was not checked, so the attempt is not counted.
    if (!(error instanceof TooManyHashes)) throw error;
    await attempt.untried();
  });
  if (!account) return busy();
  if (account.refused) {
    const details = { reason: account.refused, ...stepDetail(context), ...(device !== undefined && { known: true }) };
    await audit.record({ event: 'sign-in.failed', actor: 'unknown', account: account.accountId, ...origin, details });
    return refuse({ kind: 'wrong' });
  }
  await attempt.succeeded();
  const authenticator = fields.authenticator === 'yes';
  const isAsked = asksToKeep(context) && context.kept.read(req).shared === undefined;
  await goOnAfterPassword(context, account, { authenticator, ...(isAsked && { remember }) });
}

/** Shows the page in another language, with the address that the person has typed. The password in the form is ignored. */
export async function switchLanguage(context: SignInContext): Promise<void> {
  const { res, interaction, path } = context;
  if (interaction.prompt !== 'login' || (await progressOf(context))) return res.redirect(303, path);
  const { fields, stale } = readForm(context, ['login', REMEMBER]);
  const login = (fields.login ?? '').trim();
  refuseControlCharacters('login', login);
  if (stale) return sendStaleLoginPage(context);
  sendLoginPage(context, { login, remember: fields.remember === 'yes' });
}

/** Deletes the e-mail address that the browser has kept. */
export const forgetLogin = (context: SignInContext): Promise<void> => changeKept(context, { login: undefined });

/** Deletes the note in the browser's cookie that several people use this browser. */
export const markNotShared = (context: SignInContext): Promise<void> => changeKept(context, { shared: undefined });

async function changeKept(
  context: SignInContext,
  change: Parameters<SignInContext['kept']['change']>[2],
): Promise<void> {
  const { req, res, interaction, path, kept } = context;
  if (interaction.prompt !== 'login') return res.redirect(303, path);
  if (readForm(context).stale) return sendStaleLoginPage(context);
  kept.change(req, res, change);
  res.redirect(303, path);
}
