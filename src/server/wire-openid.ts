// Wires the OpenID provider, the sign-in pages and the account pages. All three are built from the keys, and built anew when
// the keys change: on the same records, so that no sign-in notices.

import type { RequestListener } from 'node:http';
import type { RequestHandler } from 'express';
import type { Provider } from 'oidc-provider';
import { ACCOUNT_PATH, OWN_CLIENT_ID } from '#config/own-client.ts';
import { createPersonNames } from '#directory/resources/display-names.ts';
import { createRecordLabels } from '#directory/resources/record-labels.ts';
import { createAllowedApplications } from '#openid/account/applications/allowed-applications.ts';
import { linkRouter } from '#openid/account/links/router.ts';
import { accountRouter } from '#openid/account/router.ts';
import { createPasskeyRegistration } from '#openid/account/security/passkey-registration.ts';
import { createAccountSignIn } from '#openid/account/sign-in/account-sign-in.ts';
import { pendingSignIns } from '#openid/account/sign-in/pending-sign-ins.ts';
import { createSecretCheck } from '#openid/clients/client-secret-check.ts';
import { createClientThrottle } from '#openid/clients/secret-throttle.ts';
import type { ProviderKeys } from '#openid/keys/service-keys.ts';
import { type LogoutToken, logoutToken } from '#openid/logout/logout-token.ts';
import { keepPublicDocuments } from '#openid/provider/discovery/public-documents.ts';
import { createProvider } from '#openid/provider/provider.ts';
import { withCookiesOf } from '#openid/provider/storage/sealed-interactions.ts';
import { SIGN_IN_PATH } from '#openid/routes.ts';
import { createSessionsOfAccount } from '#openid/sessions/account-sessions.ts';
import { sendSessionCookie } from '#openid/sessions/session-cookie.ts';
import { createDeviceCookies } from '#openid/sign-in/browsers/device-cookies.ts';
import { createInteractions } from '#openid/sign-in/interactions.ts';
import { createAuthenticate, createStillRight } from '#openid/sign-in/login/authenticate.ts';
import { createChangePassword } from '#openid/sign-in/new-password/change-password.ts';
import { createPasskeyCheck, type SignInPasskeys } from '#openid/sign-in/passkey/passkey-check.ts';
import { createProviderPages } from '#openid/sign-in/provider-pages/provider-pages.ts';
import { signInRouter } from '#openid/sign-in/router.ts';
import { createCodeCheck } from '#openid/sign-in/second-factor/second-factor-check.ts';
import {
  countLinkUse,
  countMail,
  countNewPasskey,
  createThrottle,
  forgetWrongPasswords,
  type Throttle,
} from '#openid/sign-in/throttle.ts';
import { createChallenges } from '#shared/webauthn/challenges.ts';
import { relyingPartyOf } from '#shared/webauthn/relying-party.ts';
import { SessionGone } from '#store/accounts/end-sessions.ts';
import { openLinkActions } from '#store/accounts/link-actions.ts';
import { type ChooseWorkspace, createChooseWorkspace } from '#store/accounts/links/current-workspace.ts';
import type { Delivery } from '#store/outbox/logout-deliveries.ts';
import { derivedTokens } from '#web/forms/csrf.ts';
import type { ChangePassword } from '#web/forms/new-password.ts';
import type { CheckCode } from '#web/forms/second-factor.ts';
import { COOKIES } from '#web/http/cookie-names.ts';
import { pageSessions } from '#web/http/page-session.ts';
import { sealedCookie } from '#web/http/sealed-cookie.ts';
import type { Site } from '#web/site.ts';
import type { AppOptions } from './app-options.ts';
import { countProviderErrors } from './metrics/provider-errors.ts';

export interface OpenId {
  signIn: RequestHandler;
  account: RequestHandler;
  /** The pages behind links of mails. */
  links: RequestHandler;
  /** Answers every OpenID endpoint, and every address that it does not know. */
  provider: RequestHandler;
  /** The logout token for a client, signed with the keys in force (`openid/logout/logout-token.ts`). */
  logoutToken(delivery: Delivery): Promise<LogoutToken | undefined>;
}

type Parts = ReturnType<typeof flat>;

/** The parts of the application by the names that the parts of `openid` have for them. */
function flat(options: AppOptions) {
  const { isShared } = options.fictional;
  return { ...options, ...options.stores, ...options.outgoing, snapshots: options.directory.snapshots, isShared };
}

export function openId(given: AppOptions, site: Site): OpenId {
  const options = flat(given);
  const checkSecret = createSecretCheck(
    options.clients,
    createClientThrottle(options.settings.limits),
    options.hashing,
  );
  const namesInDirectory = createPersonNames(options.snapshots);
  const edition = editionOf(options);
  const build = (keys: ProviderKeys) => {
    const shared = { ...options, checkSecret, namesInDirectory, edition };
    const provider = createProvider({ ...shared, keys, pages: createProviderPages(site) });
    countProviderErrors(provider, options.observability.metrics?.metrics);
    const session = pageSessions(site, options.pageSessions, keys.cookies, options.settings.lifetimes.interaction);
    return {
      provider,
      signing: keys.signing,
      callback: keepPublicDocuments(notStored(provider.callback()), options.settings.keys.cachedFor),
      signIn: signIn(options, site, provider, keys, session(COOKIES.page, SIGN_IN_PATH)),
      account: account(options, site, provider, keys, session(COOKIES.account, ACCOUNT_PATH)),
      links: links(options, site, keys),
    };
  };
  let current = build(options.keys.current());
  options.keys.onChange((keys) => {
    current = build(keys);
  });
  return {
    signIn: (req, res, next) => current.signIn(req, res, next),
    account: (req, res, next) => current.account(req, res, next),
    links: (req, res, next) => current.links(req, res, next),
    provider: (req, res, next) => current.callback(req, res, next),
    logoutToken: (delivery) => logoutToken(current.provider, options.clients, current.signing, delivery),
  };
}

/** Whatever the library says nothing else of is for this request alone, its errors among it (RFC 6749 section 5.2). */
function notStored(callback: RequestListener): RequestHandler {
  return (req, res) => {
    res.setHeader('cache-control', 'no-store');
    callback(req, res);
  };
}

function signIn(
  options: Parts,
  site: Site,
  provider: Provider,
  { cookies }: ProviderKeys,
  session: RequestHandler,
): RequestHandler {
  const { accounts, seenDevices, secondFactors, snapshots, audit, log } = options;
  const choice = { edition: editionOf(options), chooseWorkspace: workspaceChoice(options) };
  const router = signInRouter({
    site,
    interactions: createInteractions({
      ...options,
      ...choice,
      cookieKeys: cookies,
      provider,
    }),
    labelInDirectory: createRecordLabels(snapshots),
    authenticate: createAuthenticate(accounts, options.hashing),
    stillRight: createStillRight(accounts),
    secondFactors,
    passkeys: passkeySignIn(options, site, cookies),
    checkCode: codeCheck(options),
    changePassword: passwordChange(options),
    throttle: throttleOf(options),
    seenDevices,
    devices: createDeviceCookies({
      path: `${site.base}${SIGN_IN_PATH}`,
      secure: site.secure,
      keys: cookies,
      notBefore: async (login) => {
        const found = await accounts.findByEmail(login);
        return found && (found.account.sessionsNotBefore ?? 0);
      },
    }),
    csrfTokens: derivedTokens(cookies),
    session,
    log,
    audit,
    accountOf: async (login) => (await accounts.findByEmail(login))?.account.id,
  });
  return (req, res, next) => withCookiesOf(req, res, () => router(req, res, next));
}

function account(
  options: Parts,
  site: Site,
  provider: Provider,
  { cookies }: ProviderKeys,
  session: RequestHandler,
): RequestHandler {
  const cookie = sealedCookie(COOKIES.accountSignIn, cookies, site.secure);
  const { settings, accounts, actionTokens, signInLimiters, secondFactors, snapshots, audit, log } = options;
  const relyingParty = relyingPartyOf(settings.issuer, site.name);
  const challenges = createChallenges(cookies);
  const countTry = (accountId: string) => countNewPasskey(signInLimiters, accountId);
  return accountRouter({
    site,
    isShared: options.isShared,
    signIn: createAccountSignIn({ ...options, provider }),
    pending: pendingSignIns(cookie, site, settings.lifetimes.interaction),
    applications: createAllowedApplications(options),
    secondFactors,
    passkeys: options.passkeys,
    passkeyRegistration: relyingParty && createPasskeyRegistration({ ...options, relyingParty, challenges, countTry }),
    secondFactorRequired: settings.secondFactor === 'required',
    checkCode: codeCheck(options),
    changePassword: passwordChange(options),
    sessions: createSessionsOfAccount({ ...options, provider }),
    activity: options.activity,
    applicationName: (id) => options.clients.find(id)?.name,
    endOtherSessions: async ({ accountId, sessionUid }, req, res) => {
      const ended = await accounts.endSessions([accountId], sessionUid, OWN_CLIENT_ID).catch((error) => {
        if (!(error instanceof SessionGone)) throw error;
      });
      if (!ended?.renewed) return undefined;
      sendSessionCookie(provider, req, res, ended.renewed.id);
      return { sessions: ended.sessions, sessionUid: ended.renewed.uid };
    },
    stateOf: actionTokens.stateOf,
    enqueue: options.mails.enqueue,
    emailChangeLifetime: settings.lifetimes.emailChange,
    countMail: (recipient, address) => countMail(signInLimiters, recipient, address),
    labelInDirectory: createRecordLabels(snapshots),
    chooseWorkspace: workspaceChoice(options),
    edition: editionOf(options),
    editable: settings.profile.editable,
    updateAccount: accounts.update,
    pictures: options.pictures,
    requestDeletion: options.accountDeletion.request,
    auditRecords: options.auditEvents.search,
    session,
    log,
    audit,
  });
}

/** Id of the edition of the directory that is served. */
function editionOf({ snapshots }: Parts): () => string | undefined {
  return () => snapshots.current()?.id;
}

/** A shared person stays where they are: an application goes on with the place of work that all visitors have. */
function workspaceChoice(options: Parts): ChooseWorkspace {
  const choose = createChooseWorkspace({ ...options, edition: editionOf(options) });
  return async (accountId, workspaceId) => (options.isShared(accountId) ? 'unchanged' : choose(accountId, workspaceId));
}

function links(options: Parts, site: Site, { cookies }: ProviderKeys): RequestHandler {
  const { settings, actionTokens, signInLimiters, audit, log } = options;
  return linkRouter({
    site,
    tokens: actionTokens,
    actions: openLinkActions(actionTokens),
    requestReset: options.mails.requestReset,
    countMail: (recipient, address) => countMail(signInLimiters, recipient, address),
    countLinkUse: (accountId) => countLinkUse(signInLimiters, accountId),
    hashPassword: options.hashing.hashPassword,
    forgetWrongPasswords: (login) => forgetWrongPasswords(signInLimiters, login),
    csrfTokens: derivedTokens(cookies),
    signInLifetime: settings.lifetimes.interaction,
    resetLifetime: settings.lifetimes.passwordReset,
    audit,
    log,
  });
}

function passkeySignIn(options: Parts, { name }: Site, keys: readonly string[]): SignInPasskeys | undefined {
  const { settings, passkeys } = options;
  const relyingParty = relyingPartyOf(settings.issuer, name);
  if (!relyingParty) return undefined;
  const challenges = createChallenges(keys);
  const throttle = throttleOf(options);
  const check = createPasskeyCheck({ ...options, relyingParty, challenges, throttle });
  return { relyingPartyId: relyingParty.id, challenges, check, list: passkeys.list };
}

function passwordChange(options: Parts): ChangePassword {
  return createChangePassword({ ...options, throttle: throttleOf(options) });
}

function codeCheck(options: Parts): CheckCode {
  return createCodeCheck({ ...options, throttle: throttleOf(options) });
}

function throttleOf({ signInLimiters, hashing, isShared }: Parts): Throttle {
  return createThrottle(signInLimiters, { full: hashing.tooManyPasswords, isShared });
}
