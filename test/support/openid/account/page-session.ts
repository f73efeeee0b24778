// Changes what the database keeps of a browser's session at the account pages: with the browser's own cookie, for nothing else opens it.

import type { SessionData } from 'express-session';
import { openPageSessions } from '#store/accounts/page-sessions.ts';
import type { Person } from '#support/person.ts';
import type { RunningService } from '#support/service.ts';

/** Reads the session, and writes it back changed. */
export async function changePageSession(
  { database }: Pick<RunningService, 'database'>,
  { cookies }: Person,
  change: (session: SessionData) => void,
): Promise<void> {
  const id = /^s:([^.]+)/.exec(decodeURIComponent(cookies.get('hygie_account /account') ?? ''))?.[1] ?? '';
  const sessions = openPageSessions(database);
  const found = await new Promise<SessionData>((resolve, reject) => {
    sessions.get(id, (error, data) => (data ? resolve(data) : reject(error ?? new Error('no such session'))));
  });
  // As express-session does: the store replaces only what was read.
  const session = sessions.createSession({ sessionID: id } as never, found);
  change(session);
  await new Promise<void>((resolve, reject) => {
    sessions.set(id, session, (error) => (error ? reject(error) : resolve()));
  });
}
