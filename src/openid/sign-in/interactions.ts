// Connects the sign-in pages with the provider: reads the request of an interaction and records its result.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, type InteractionResults, type Provider } from 'oidc-provider';
import type { Settings } from '#config/settings.ts';
import { SECOND_FACTOR_NEEDED, SELECT_ACCOUNT } from '#openid/provider/prompts/prompts.ts';
import { namingAnother } from '#openid/provider/prompts/subject-hint.ts';
import { asksForWorkspace, CHOOSE_WORKSPACE } from '#openid/provider/prompts/workspace-choice.ts';
import { interactionUrl } from '#openid/routes.ts';
import { endSession } from '#openid/sessions/end-session.ts';
import { endGrant, extendGrant, newGrant } from '#openid/sessions/grants.ts';
import { authenticationContext, secondFactorDemand } from '#openid/tokens/authentication-context.ts';
import { claimConsent, requestedClaims } from '#openid/tokens/claims-parameter.ts';
import type { AuditEvent, AuditEventName, AuditTrail } from '#shared/audit/events.ts';
import { SESSION_ENDINGS } from '#shared/audit/session-endings.ts';
import { SCOPES } from '#shared/scopes.ts';
import { beginsSession, type SignInMethod } from '#shared/sign-in-methods.ts';
import type { Accounts } from '#store/accounts/accounts.ts';
import { type ChooseWorkspace, workspacesInForce } from '#store/accounts/links/current-workspace.ts';
import { signInHolds, signInTime } from '#store/accounts/sign-in-validity.ts';
import { epochSeconds } from '#store/database/connection.ts';
import type { Consents } from '#store/oidc/consents.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { clientAddress } from '#web/http/client-address.ts';
import { keepProof } from './account-proofs.ts';
import { type FinishedSignIn, finishedSignIns } from './finished/finished-sign-ins.ts';

interface InteractionOptions {
  audit: AuditTrail;
  provider: Provider;
  records: OidcRecords;
  accounts: Accounts;
  consents: Consents;
  settings: Pick<Settings, 'namespace' | 'secondFactor'> & { lifetimes: { grant: number; refreshToken: number } };
  /** The first of them seals what browsers keep, all of them open. */
  cookieKeys: readonly string[];
  /** Makes the error that the pages expect when the request is gone or belongs to another browser. */
  expired: () => Error;
  chooseWorkspace: ChooseWorkspace;
  /** Id of the edition of the directory that is served. */
  edition(): string | undefined;
}

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

/** The operations of a sign-in. Each of the last five ends the response with a redirect (303). */
export function createInteractions(options: InteractionOptions) {
  const { provider, records, accounts, consents, settings, expired, audit } = options;
  // It may have been taken up, or its session ended, between any two steps.
  const unlessGone = <Result>(step: Promise<Result>): Promise<Result> =>
    step.catch((error: unknown) => {
      throw error instanceof errors.SessionNotFound ? expired() : error;
    });
  const details = (req: IncomingMessage, res: ServerResponse): Promise<Interaction> =>
    unlessGone(provider.interactionDetails(req, res));
  // As the library's `interactionFinished`; the page says from then on how its sign-in ended.
  const ended = finishedSignIns(provider, options.cookieKeys);
  const finished = async (
    req: IncomingMessage,
    res: ServerResponse,
    { uid, params }: Interaction,
    result: InteractionResults,
    end: Pick<FinishedSignIn, 'outcome' | 'accountId'>,
  ): Promise<void> => {
    const mergeWithLastSubmission = end.outcome === 'signed-in';
    const location = await unlessGone(provider.interactionResult(req, res, result, { mergeWithLastSubmission }));
    const clientId = String(params['client_id']);
    ended.keep(res, uid, { ...end, clientId, callback: String(params['redirect_uri']) });
    res.writeHead(303, { location, 'content-length': '0' }).end();
  };

  // Whoever asks has nothing of what somebody else answered at that moment (`sign-ins-of-browsers.ts`).
  const askAgain = (interaction: Interaction): Promise<string> => {
    delete interaction.result;
    return unlessGone(interaction.save(interaction.exp - epochSeconds()));
  };

  // By a person, of the application whose request is answered.
  const record = (
    req: IncomingMessage,
    event: AuditEventName,
    interaction: Interaction,
    detail?: AuditEvent['details'],
  ) => {
    const account = interaction.session?.accountId;
    return audit.record({
      event,
      actor: account ? `account:${account}` : 'unknown',
      account,
      client: String(interaction.params['client_id']),
      address: clientAddress(req),
      details: detail,
    });
  };

  // The library checks how old the password is when a request begins; a code may come much later.
  const passwordHolds = async ({ prompt, params, session }: Interaction): Promise<boolean> => {
    if (prompt.reasons.some((reason) => reason !== SECOND_FACTOR_NEEDED)) return false;
    const maxAge = params['max_age'];
    if (maxAge === undefined) return true;
    const signedInAt = (await records.findLiveSession(session?.uid ?? ''))?.['loginTs'];
    return signedInAt !== undefined && epochSeconds() - Number(signedInAt) <= Number(maxAge);
  };

  const wanted = requestedClaims(settings.namespace);
  const scopeInWords = (claim: string) => wanted.scopeOf(claim) ?? claim;

  return {
    finished: ended.find,

    details: async (req: IncomingMessage, res: ServerResponse) => {
      const interaction = await details(req, res);
      const { params, prompt, uid } = interaction;
      const client = await provider.Client.find(String(params['client_id']));
      const account = interaction.session?.accountId && (await accounts.find(interaction.session.accountId));
      const workspaces =
        account && asksForWorkspace(params['prompt'], client) && workspacesInForce(account, options.edition());
      return {
        uid,
        prompt: pageOf(prompt.name),
        client: { id: String(params['client_id']), name: client?.clientName ?? String(params['client_id']) },
        scopes: [...new Set([...missingScopes(interaction), ...missingClaims(interaction).map(scopeInWords)])],
        ...(missingScopes(interaction).includes('offline_access') && { offlineFor: offlineFor(settings.lifetimes) }),
        ...(account && {
          account: {
            id: account.id,
            name: account.name,
            ...(account.email !== undefined && { email: account.email }),
            ...(account.language !== undefined && { language: account.language }),
            ...(interaction.session?.uid !== undefined && { sessionUid: interaction.session.uid }),
          },
        }),
        ...(workspaces && workspaces.ids.length > 1 && { workspaces }),
        secondFactorRequired: secondFactorDemand({ params, client, settings }) === 'required',
        passwordProved: await passwordHolds(interaction),
        ...(params['ui_locales'] !== undefined && { uiLocales: String(params['ui_locales']) }),
        ...(params['login_hint'] !== undefined && { loginHint: String(params['login_hint']) }),
        callback: String(params['redirect_uri']),
        addresses: [...(client?.redirectUris ?? []), ...(client?.postLogoutRedirectUris ?? [])],
      };
    },

    finishLogin: async (
      req: IncomingMessage,
      res: ServerResponse,
      { accountId, methods, signedInAt }: { accountId: string; methods: readonly SignInMethod[]; signedInAt: number },
    ) => {
      const interaction = await details(req, res);
      const naming = namingAnother(interaction.params, accountId);
      if (naming) {
        // Nothing else comes of it: who was signed in stays so.
        const result = {
          error: 'login_required',
          error_description: `${naming} names another person than who signed in`,
        };
        const about = { event: 'authorization.refused', actor: `account:${accountId}`, account: accountId } as const;
        const client = String(interaction.params['client_id']);
        await audit.record({ ...about, client, address: clientAddress(req), details: result });
        return finished(req, res, interaction, result, { outcome: 'cancelled' });
      }
      const before = interaction.session;
      const whole = beginsSession(methods);
      const account = await accounts.find(accountId);
      // Another password was set meanwhile, the passkey was removed, or all was ended: the person has to sign in again.
      if (!account || (whole && !signInHolds(account, signedInAt, undefined))) throw expired();
      const added = whole ? undefined : await records.findLiveSession(before?.uid ?? '');
      if (!whole && added?.accountId !== accountId) throw expired();
      if (before?.uid && before.accountId !== accountId) {
        // Another person sits down: the session before ends with all it gave, and this request no longer hangs on it.
        await endSession(provider, records, before.uid);
        await record(req, 'session.ended', interaction, { reason: SESSION_ENDINGS.otherPerson });
        delete interaction.session;
        await askAgain(interaction);
      }
      // Not remembered beyond the browser's own session: ward computers are shared.
      if (whole) await keepProof(records, interaction.params, accountId);
      // A code that adds to a sign-in leaves its time, which shows how old the password is; and so does the answer to a consent
      // page that waited for hours, with which the library records the sign-in once more.
      const ts = added ? Number(added['loginTs']) : signInTime(account);
      const login = { accountId, ...authenticationContext(methods), ts, remember: false };
      await finished(req, res, interaction, { login }, { outcome: 'signed-in', accountId });
    },

    finishConsent: async (req: IncomingMessage, res: ServerResponse) => {
      const interaction = await details(req, res);
      const accountId = interaction.session?.accountId;
      if (!accountId) throw expired();
      const clientId = String(interaction.params['client_id']);
      const scopes = missingScopes(interaction);
      const claims = missingClaims(interaction);
      const given = { scope: scopes.join(' '), claims };
      // Given anew, for as long as what it now allows: a grant for the session must not end tokens that outlive it.
      const held = interaction.grantId;
      const extended = held !== undefined && (await extendGrant(provider, records, held, given, { renewed: true }));
      const grantId = extended ? held : await newGrant(provider, { accountId, clientId }, given).save();
      // Who ends the session ends the grants that there are: one of both sees the other (SEC-55).
      if (!(await records.findLiveSession(interaction.session?.uid ?? ''))) {
        await endGrant(records, grantId);
        throw expired();
      }
      await consents.give(accountId, clientId, [...scopes, ...claims.map(claimConsent)], settings.lifetimes.grant);
      await record(req, 'consent.given', interaction, {
        scope: scopes.join(' '),
        ...(claims.length > 0 && { claims }),
      });
      await finished(req, res, interaction, { consent: { grantId } }, { outcome: 'signed-in', accountId });
    },

    keepAccount: async (
      req: IncomingMessage,
      res: ServerResponse,
      workspace?: string,
    ): Promise<'refused' | undefined> => {
      const interaction = await details(req, res);
      const { name } = interaction.prompt;
      const accountId = interaction.session?.accountId;
      if ((name !== SELECT_ACCOUNT && name !== CHOOSE_WORKSPACE) || !accountId) throw expired();
      if (workspace !== undefined) {
        const change = await options.chooseWorkspace(accountId, workspace);
        if (change === 'refused') return change;
        if (change === 'chosen') await record(req, 'account.workspace-chosen', interaction, { workspace });
      }
      // The library takes the request up again in that session alone, and only while it lasts.
      const result = { [name]: {}, ...(workspace !== undefined && { [CHOOSE_WORKSPACE]: {} }) };
      await finished(req, res, interaction, result, { outcome: 'signed-in', accountId });
      return undefined;
    },

    abort: async (req: IncomingMessage, res: ServerResponse) => {
      const interaction = await details(req, res);
      const refused = interaction.prompt.name === 'consent';
      if (refused) {
        await record(req, 'consent.refused', interaction, { scope: missingScopes(interaction).join(' ') });
      }
      const result = { error: 'access_denied', error_description: 'the person refused' };
      await finished(req, res, interaction, result, { outcome: refused ? 'refused' : 'cancelled' });
    },

    switchAccount: async (req: IncomingMessage, res: ServerResponse) => {
      const interaction = await details(req, res);
      if (interaction.session?.uid) {
        await endSession(provider, records, interaction.session.uid);
        await record(req, 'session.ended', interaction, { reason: SESSION_ENDINGS.otherAccount });
      }
      // The same request goes on with a sign-in, and no longer depends on that session.
      delete interaction.session;
      delete interaction.grantId;
      interaction.prompt = { name: 'login', reasons: ['other_account'], details: {} };
      await askAgain(interaction);
      res.writeHead(303, { location: interactionUrl(provider.issuer, interaction.uid), 'content-length': '0' }).end();
    },
  };
}

/** The page for a prompt of the library: it may have others for a sign-in. */
function pageOf(prompt: string): 'login' | 'consent' | typeof SELECT_ACCOUNT | typeof CHOOSE_WORKSPACE {
  return prompt === 'consent' || prompt === SELECT_ACCOUNT || prompt === CHOOSE_WORKSPACE ? prompt : 'login';
}

/** A refresh token and its successors end with the grant, if not before. */
function offlineFor({ grant, refreshToken }: InteractionOptions['settings']['lifetimes']): number {
  return Math.min(grant, refreshToken);
}

/**
 * Scopes that the person is asked to allow now; where the client wants consent, all that are requested, whatever was given
 * before.
 */
function missingScopes({ prompt, params }: Interaction): string[] {
  const wanted = String(params['prompt'] ?? '').split(' ');
  const missing = wanted.includes('consent') ? undefined : (prompt.details['missingOIDCScope'] as string[] | undefined);
  return (
    missing ??
    SCOPES.filter((scope) =>
      String(params['scope'] ?? '')
        .split(' ')
        .includes(scope),
    )
  );
}

/** Claims that the client requests by name, and that no scope given before covers. */
function missingClaims({ prompt }: Interaction): string[] {
  return (prompt.details['missingOIDCClaims'] as string[] | undefined) ?? [];
}
