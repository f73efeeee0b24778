// Lists the sessions of an account, and ends one of them.

import type { Provider } from 'oidc-provider';
import { OWN_CLIENT_ID } from '#config/built-in-clients.ts';
import type { Settings } from '#config/settings.ts';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import { epochSeconds } from '#store/database/connection.ts';
import type { OidcRecords } from '#store/oidc/oidc-records.ts';
import { endSession } from './end-session.ts';
import type { SessionPayload } from './save-session.ts';

/** The limits of a session, in seconds. */
type Limits = Pick<Settings['lifetimes'], 'session' | 'sessionIdle'>;

interface AccountSessionsOptions {
  provider: Provider;
  records: OidcRecords;
  clients: Pick<ClientRegistry, 'find'>;
  settings: { lifetimes: Limits };
}

export type AccountSessions = ReturnType<typeof createAccountSessions>;
export type AccountSession = Awaited<ReturnType<AccountSessions['list']>>[number];

/** Makes the functions that list and end the sessions of an account. */
export function createAccountSessions({ provider, records, clients, settings }: AccountSessionsOptions) {
  const describe = (session: SessionPayload) => {
    const { clients: opened, ...facts } = describeSession(session, settings.lifetimes);
    return { ...facts, applications: opened.map((clientId) => clients.find(clientId)?.name ?? clientId).sort() };
  };
  return {
    /** Lists the sessions, newest sign-in first. */
    list: async (accountId: string) => {
      const sessions = (await records.liveSessionsOf(accountId)) as SessionPayload[];
      return sessions.map(describe).reverse();
    },
    /** Ends one session with all its tokens, like a sign-out in that session. Returns undefined if the account has no such session. */
    end: async (accountId: string, uid: string) => {
      const ended = await endSession(provider, records, uid, accountId);
      return ended && describe(ended);
    },
  };
}

/** Describes a session, with the ids of its clients. */
export function describeSession(session: SessionPayload, limits: Limits) {
  return {
    uid: String(session['uid']),
    signedInAt: Number(session['loginTs']),
    used: lastUse(session, limits),
    methods: (session['amr'] as string[] | undefined) ?? [],
    // The client of the account pages is left out, because the account pages are no application.
    clients: Object.keys(session.authorizations ?? {}).filter((clientId) => clientId !== OWN_CLIENT_ID),
    ...(session.device !== undefined && { device: session.device }),
  };
}

/**
 * Derives the time of the last use from the end of the session, which moves with each use (`save-session.ts`). The time is exact to a
 * minute. The end never moves beyond the absolute limit of the session. If the end is at that limit, the session was used at the returned
 * time or later (`orLater`).
 */
function lastUse(session: SessionPayload, limits: Limits): { at: number; orLater: boolean } {
  const signedInAt = Number(session['loginTs']);
  const used = Number(session.exp) - limits.sessionIdle;
  const orLater = Number(session.exp) >= signedInAt + limits.session;
  return { at: Math.min(Math.max(used, signedInAt), epochSeconds()), orLater };
}
