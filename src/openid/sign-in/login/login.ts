// The first step of a sign-in: checks login and password, with throttling, and goes on to the second factor.

import { LINK_PATH, OWN_CLIENT_ID } from '#config/own-client.ts';
import { type PageContext, sendPage } from '#openid/sign-in/page-context.ts';
import { passwordlessRequest } from '#openid/sign-in/passkey-requests.ts';
import { goOnAfterPassword, progressOf } from '#openid/sign-in/progress.ts';
import type { Attempt } from '#openid/sign-in/throttle.ts';
import { TooManyHashes } from '#shared/crypto/secret-hashing.ts';
import { deviceDetail } from '#shared/device.ts';
import { queueKeyOf } from '#shared/fair-queue.ts';
import { readForm, refuseControlCharacters } from '#web/forms/form.ts';
import { languageLinkTo } from '#web/language.ts';
import { type LoginProblem, loginScripts, renderLoginPage } from './login-page.ts';

/** `Retry-After` if too many passwords wait to be checked. The longest queue is worked off by then. */
const BUSY_SECONDS = 15;

/** Answers the posted login form. */
export async function answerLogin(context: PageContext): Promise<void> {
  const { req, res, interaction, path, audit, log } = context;
  if (interaction.prompt !== 'login') return res.redirect(303, path);
  const { fields, stale } = readForm(req, context.tokens, ['login', 'password']);
  const { password = '' } = fields;
  const typed = (fields.login ?? '').trim();
  refuseControlCharacters('login', typed);
  const refuse = (status: number, problem: LoginProblem) => sendLoginPage(context, status, { login: typed, problem });

  if (stale) return refuse(403, { kind: 'stale' });
  if (!typed || !password) return refuse(422, { kind: 'incomplete', login: !typed, password: !password });

  const origin = { client: interaction.client.id, address: req.ip };
  const device = await context.devices.deviceOf(req, typed);
  const attempt = await context.throttle.begin(typed, req.ip ?? '', device);
  if (attempt.outcome === 'waiting') {
    const account = await context.accountOf(typed);
    await audit.record({
      event: 'sign-in.throttled',
      actor: 'unknown',
      account,
      ...origin,
      details: deviceDetail(req),
    });
    res.set('retry-after', String(attempt.seconds));
    return refuse(429, { kind: 'waiting', seconds: attempt.seconds, of: attempt.of });
  }
  const busy = () => {
    log.info(origin, 'sign-in put off: too many passwords at once');
    res.set('retry-after', String(BUSY_SECONDS));
    return refuse(503, { kind: 'busy' });
  };
  if (attempt.outcome === 'busy') return busy();
  const account = await check(context, { login: typed, password, device, attempt });
  if (!account) return busy();
  if (account.refused) {
    const details = { reason: account.refused, ...deviceDetail(req) };
    await audit.record({ event: 'sign-in.failed', actor: 'unknown', account: account.accountId, ...origin, details });
    return refuse(422, { kind: 'wrong' });
  }
  await attempt.succeeded();
  await goOnAfterPassword(context, account);
}

interface Tried {
  login: string;
  password: string;
  device: string | undefined;
  attempt: Extract<Attempt, { outcome: 'open' }>;
}

/** Returns undefined if too many passwords wait. Then this was not an attempt. */
async function check({ req, authenticate }: PageContext, { login, password, device, attempt }: Tried) {
  const queueKey = queueKeyOf(req.ip ?? '', attempt.known ? device : undefined);
  try {
    return await authenticate(login, password, queueKey);
  } catch (error) {
    if (!(error instanceof TooManyHashes)) throw error;
    await attempt.untried();
    return undefined;
  }
}

/** Shows the page in another language, with the typed address. The password is not read. */
export async function switchLanguage(context: PageContext): Promise<void> {
  const { req, res, interaction, path, tokens } = context;
  if (interaction.prompt !== 'login' || (await progressOf(context))) return res.redirect(303, path);
  const { fields, stale } = readForm(req, tokens, ['login']);
  const login = (fields.login ?? '').trim();
  refuseControlCharacters('login', login);
  if (stale) return sendStaleLoginPage(context);
  sendLoginPage(context, 200, { login });
}

/** Shows the page, with the login that is known already. */
export function showLoginPage(context: PageContext): void {
  const { loginHint, account } = context.interaction;
  sendLoginPage(context, 200, { login: loginHint ?? account?.email ?? '' });
}

/** Shows the page again for a form that did not come from it. */
export function sendStaleLoginPage(context: PageContext): void {
  sendLoginPage(context, 403, { login: '', problem: { kind: 'stale' } });
}

/** Sends the page that asks for login and password. `login` prefills its field. */
export function sendLoginPage(
  context: PageContext,
  status: number,
  state: { login: string; problem?: LoginProblem },
): void {
  const { site, language, interaction, path, tokens } = context;
  const passkey = passwordlessRequest(context);
  const page = renderLoginPage({
    site,
    language,
    languageLink: languageLinkTo(`${path}/language`),
    action: `${path}/login`,
    cancelAction: `${path}/cancel`,
    forgotten: `${site.base}${LINK_PATH}/password-reset?sign-in=${interaction.uid}`,
    passkeyAction: `${path}/passkey`,
    passkey,
    token: tokens[0],
    clientName: interaction.client.name,
    again: interaction.account && (interaction.client.id === OWN_CLIENT_ID ? 'for-account' : 'for-application'),
    ...state,
  });
  sendPage(context, status, page, loginScripts({ passkey }));
}
