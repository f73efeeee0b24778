// Connects the sign-in pages with the provider. Every page first calls `details`, to learn about the request that waits for the person. At
// the end of the sign-in, `finish-login.ts` calls `resumeWithLogin`, which stores the result of the interaction and redirects the browser.
// `resumeWithConsent` does this after the consent, `resumeWithAccount` after the choice of an account (before a sign-in) or of a place of
// work (after it), and `abort` if the person refuses on any page.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, type InteractionResults } from 'oidc-provider';
import type { Parts } from '#openid/parts.ts';
import { CHOOSE_WORKSPACE, SELECT_ACCOUNT, subjectMismatch } from '#openid/provider/prompts/prompts.ts';
import { interactionUrl } from '#openid/routes.ts';
import { endSession } from '#openid/sessions/end-session.ts';
import { endGrant, extendGrant, newGrant } from '#openid/sessions/grants.ts';
import { authenticationContext } from '#openid/tokens/authentication-context.ts';
import { claimConsent } from '#openid/tokens/claims-parameter.ts';
import type { AuditEvent, AuditEventName } from '#shared/audit/events.ts';
import { SESSION_ENDINGS } from '#shared/audit/events.ts';
import { beginsSession, type SignInMethod } from '#shared/sign-in-methods.ts';
import { isSignInValid, signInTime } from '#store/accounts/end-sessions.ts';
import type { ChooseWorkspace } from '#store/accounts/links/links-in-force.ts';
import { epochSeconds } from '#store/database/connection.ts';
import { clientAddress } from '#web/http/client-address.ts';
import { keepProof } from './account-pages-proof.ts';
import {
  type DetailsOptions,
  type Interaction,
  InteractionExpired,
  interactionDescriptions,
  missingClaims,
  missingScopes,
} from './describe-interaction.ts';
import { finishedSignIns, type SignInEnd } from './finished-sign-ins.ts';

interface InteractionOptions extends DetailsOptions, Pick<Parts, 'audit' | 'consents'> {
  /** Keys for sealed cookies. The first key seals new cookies; each key can open cookies. */
  cookieKeys: readonly string[];
  chooseWorkspace: ChooseWorkspace;
}

/** How a person has just proved their identity. */
interface LoginResult {
  accountId: string;
  /** The methods that the person has just used. */
  methods: readonly SignInMethod[];
  /** Time at which the account was read to check the password or passkey, in seconds since 1970 (`signInTime`). */
  signedInAt: number;
}

export type Interactions = ReturnType<typeof createInteractions>;

/**
 * Makes the operations of a sign-in. `details` and `finished` only read. Each other operation ends the response with a redirect (303,
 * SEC-29), unless it refuses. The operations throw `InteractionExpired` if the request is over or belongs to another browser (SEC-35).
 */
export function createInteractions(options: InteractionOptions) {
  const { provider, records, accounts, consents, settings, audit } = options;
  const describe = interactionDescriptions(options);
  // Between any two steps, a parallel request may have resumed the interaction or ended its session. The library then throws
  // `SessionNotFound`.
  const unlessGone = <Result>(step: Promise<Result>): Promise<Result> =>
    step.catch((error: unknown) => {
      throw error instanceof errors.SessionNotFound ? new InteractionExpired() : error;
    });
  const read = (req: IncomingMessage, res: ServerResponse): Promise<Interaction> =>
    unlessGone(provider.interactionDetails(req, res));
  const ends = finishedSignIns(provider, options.cookieKeys);

  // Does the work of the library's `interactionFinished`, and also keeps the outcome, which the sign-in page shows from then on. The
  // library returns `location`, which is `/authorize/{uid}`. At that address, the library stores the sign-in in the session and checks its
  // prompts again. It then sends the browser to another page, such as consent, or makes the code (steps 6 to 8 in
  // `provider/configuration.ts`).
  const finish = async (
    req: IncomingMessage,
    res: ServerResponse,
    { uid, params }: Interaction,
    result: InteractionResults,
    end: Pick<SignInEnd, 'outcome' | 'accountId'>,
  ): Promise<void> => {
    // With this option, the result of a consent page also contains the result of the sign-in before it.
    const mergeWithLastSubmission = end.outcome === 'signed-in';
    // The library saves the result through `provider/storage/adapter.ts`, and returns the address at which the browser continues. If the
    // result is a sign-in, the interaction moves from the sealed cookie into a row.
    const location = await unlessGone(provider.interactionResult(req, res, result, { mergeWithLastSubmission }));
    const clientId = String(params['client_id']);
    ends.keep(res, uid, { ...end, clientId, callback: String(params['redirect_uri']) });
    res.writeHead(303, { location, 'content-length': '0' }).end();
  };

  // Saves a changed interaction, so that the sign-in goes on. If a parallel request has stored a result, this result is dropped: it is
  // bound to the browser of that request (`browser-binding.ts`), so no other browser could continue.
  const askAgain = (interaction: Interaction): Promise<string> => {
    delete interaction.result;
    return unlessGone(interaction.save(interaction.exp - epochSeconds()));
  };

  /** Records an action of the person in the audit trail, together with the application that sent the request. */
  const record = (
    req: IncomingMessage,
    event: AuditEventName,
    interaction: Interaction,
    details?: AuditEvent['details'],
    account = interaction.session?.accountId,
  ) =>
    audit.record({
      event,
      actor: account ? `account:${account}` : 'unknown',
      account,
      client: String(interaction.params['client_id']),
      address: clientAddress(req),
      details,
    });

  return {
    /** Describes the request that waits for the person. */
    details: async (req: IncomingMessage, res: ServerResponse) => describe(await read(req, res)),

    /** Returns the outcome of the sign-in with this uid. Undefined if the sign-in did not end in this browser, or ended too long ago. */
    finished: ends.find,

    resumeWithLogin: async (
      req: IncomingMessage,
      res: ServerResponse,
      { accountId, methods, signedInAt }: LoginResult,
    ): Promise<void> => {
      const interaction = await read(req, res);
      const mismatch = subjectMismatch(interaction.params, accountId);
      if (mismatch) {
        // The request names another person than the one of this sign-in. The sign-in is refused, and the session stays as it was.
        const error = 'login_required';
        const result = { error, error_description: `${mismatch} names another person than who signed in` };
        await record(req, 'authorization.refused', interaction, result, accountId);
        return finish(req, res, interaction, result, { outcome: 'cancelled' });
      }
      const before = interaction.session;
      const whole = beginsSession(methods);
      const account = await accounts.find(accountId);
      // The person must sign in again if the sign-in has become invalid: the password has changed, the passkey was removed, or all sessions
      // were ended.
      if (!account || (whole && !isSignInValid(account, signedInAt, undefined))) throw new InteractionExpired();
      const extended = whole ? undefined : await records.findLiveSession(before?.uid ?? '');
      if (!whole && extended?.accountId !== accountId) throw new InteractionExpired();
      if (before?.uid && before.accountId !== accountId) {
        // Another person uses this browser now. The session of the earlier person ends with all its tokens, and this request must no longer
        // belong to that session.
        await endSession(provider, records, before.uid);
        await record(req, 'session.ended', interaction, { reason: SESSION_ENDINGS.otherPerson });
        delete interaction.session;
        await askAgain(interaction);
      }
      if (whole) await keepProof(records, interaction.params, accountId);
      // If the person only added a code to an earlier sign-in, the session keeps the time of that sign-in, because the password was typed
      // then. The library is told the time, because it stores this sign-in once more after a consent page, and would otherwise take the
      // time of that page.
      const ts = extended ? Number(extended['loginTs']) : signInTime(account);
      // With `remember: false`, the session ends when the browser is closed, because ward computers are shared.
      const login = { accountId, ...authenticationContext(methods), ts, remember: false };
      await finish(req, res, interaction, { login }, { outcome: 'signed-in', accountId });
    },

    resumeWithConsent: async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
      const interaction = await read(req, res);
      const accountId = interaction.session?.accountId;
      if (!accountId) throw new InteractionExpired();
      const clientId = String(interaction.params['client_id']);
      const scopes = missingScopes(interaction);
      const claims = missingClaims(interaction);
      const scope = scopes.join(' ');
      const allowed = { scope, claims };
      // The grant of a session has a short lifetime, and refresh tokens end with their grant. So the extended grant gets the lifetime of a
      // new grant.
      const held = interaction.grantId;
      const extended = held !== undefined && (await extendGrant(provider, records, held, allowed, { renewed: true }));
      const grantId = extended ? held : await newGrant(provider, { accountId, clientId }, allowed).save();
      // When a session ends, the grants that it has at that moment end too. So either this check finds that the session has ended, or the
      // end of the session finds this grant (SEC-55).
      if (!(await records.findLiveSession(interaction.session?.uid ?? ''))) {
        await endGrant(records, grantId);
        throw new InteractionExpired();
      }
      await consents.give(accountId, clientId, [...scopes, ...claims.map(claimConsent)], settings.lifetimes.grant);
      await record(req, 'consent.given', interaction, { scope, ...(claims.length > 0 && { claims }) });
      await finish(req, res, interaction, { consent: { grantId } }, { outcome: 'signed-in', accountId });
    },

    /** Continues with the signed-in account and the given place of work. Returns `refused` if the account is not linked to that place. */
    resumeWithAccount: async (
      req: IncomingMessage,
      res: ServerResponse,
      workspace?: string,
    ): Promise<'refused' | undefined> => {
      const interaction = await read(req, res);
      const { name } = interaction.prompt;
      const accountId = interaction.session?.accountId;
      if ((name !== SELECT_ACCOUNT && name !== CHOOSE_WORKSPACE) || !accountId) throw new InteractionExpired();
      if (workspace !== undefined) {
        const change = await options.chooseWorkspace(accountId, workspace);
        if (change === 'refused') return change;
        if (change === 'chosen') await record(req, 'account.workspace-chosen', interaction, { workspace });
      }
      // The session is not checked here, because the library resumes the request only in the session of this account, and only while that
      // session lasts.
      const result = { [name]: {}, ...(workspace !== undefined && { [CHOOSE_WORKSPACE]: {} }) };
      await finish(req, res, interaction, result, { outcome: 'signed-in', accountId });
      return undefined;
    },

    abort: async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
      const interaction = await read(req, res);
      const refused = interaction.prompt.name === 'consent';
      if (refused) {
        await record(req, 'consent.refused', interaction, { scope: missingScopes(interaction).join(' ') });
      }
      const result = { error: 'access_denied', error_description: 'the person refused' };
      await finish(req, res, interaction, result, { outcome: refused ? 'refused' : 'cancelled' });
    },

    /** Ends the session and continues the same request with a new sign-in. The request no longer belongs to the ended session. */
    switchAccount: async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
      const interaction = await read(req, res);
      if (interaction.session?.uid) {
        await endSession(provider, records, interaction.session.uid);
        await record(req, 'session.ended', interaction, { reason: SESSION_ENDINGS.otherAccount });
      }
      delete interaction.session;
      delete interaction.grantId;
      interaction.prompt = { name: 'login', reasons: ['other_account'], details: {} };
      await askAgain(interaction);
      res.writeHead(303, { location: interactionUrl(provider.issuer, interaction.uid), 'content-length': '0' }).end();
    },
  };
}
