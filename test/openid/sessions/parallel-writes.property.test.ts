// Property, SEC-55 and SEC-56: however the reads, writes and ends of requests of one session interleave, nothing of it is found after
// its end, and no client of it is lost. HYGIE_STORIES=2000 npm test -- test/openid/sessions tells more.

import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type SavedSession, type SessionPayload, saveSession } from '#openid/sessions/save-session.ts';
import { epochSeconds } from '#store/database/connection.ts';
import type { OidcPayload } from '#store/oidc/oidc-payload.ts';
import { type OidcRecords, openOidcRecords } from '#store/oidc/oidc-records.ts';
import { bothEngines } from '#support/both-engines.ts';
import { openTestDatabase } from '#support/databases.ts';
import '#support/seed.ts';
import { openedForAll } from '#support/opened.ts';

const ENGINES = bothEngines('openid/sessions/parallel-writes.property');

const STORIES = { sqlite: Number(process.env['HYGIE_STORIES'] ?? 150), postgresql: 40 };
const MODEL = 'Session';

/** What one request does with the session between its look and its save. */
type Action =
  | { kind: 'sign on'; client: string }
  | { kind: 'leave'; client: string }
  | { kind: 'sign in again' }
  | { kind: 'consent'; client: string }
  | { kind: 'end' };

const client = fc.constantFrom('a', 'b', 'c', 'd');
const actions = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: client.map((client): Action => ({ kind: 'sign on', client })) },
    { weight: 1, arbitrary: client.map((client): Action => ({ kind: 'leave', client })) },
    { weight: 1, arbitrary: client.map((client): Action => ({ kind: 'consent', client })) },
    { weight: 1, arbitrary: fc.constant<Action>({ kind: 'sign in again' }) },
    { weight: 1, arbitrary: fc.constant<Action>({ kind: 'end' }) },
  ),
  { minLength: 2, maxLength: 8 },
);

describe.each(ENGINES)('parallel writes of a session on %s', (engine) => {
  let records: OidcRecords;
  let made = 0;
  const opened = openedForAll(() => openTestDatabase(engine));
  beforeAll(() => {
    records = openOidcRecords(opened.database);
  });

  it(`SEC-55 SEC-56 end once and lose nothing, in ${STORIES[engine]} stories`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), actions, async (scheduler, story) => {
        made += 1;
        const uid = `uid-${made}`;
        const first: OidcPayload = { uid, accountId: 'p', loginTs: epochSeconds(), exp: epochSeconds() + 600 };
        await records.insertOnce(
          MODEL,
          `${uid}-0`,
          { ...first, authorizations: { a: { grantId: 'a0', sid: 'a0' } } },
          600,
        );
        const scheduled = {
          readSession: scheduler.scheduleFunction(records.readSession),
          replace: scheduler.scheduleFunction(records.replace),
          destroySession: scheduler.scheduleFunction(records.destroySession),
        };
        const requests = story.map((action, index) => play(scheduled, { action, index, uid }));
        await scheduler.waitAll();
        const outcomes = await Promise.all(requests);
        const rows = await opened.database('oidc_records').where({ uid });
        if (story.some(({ kind }) => kind === 'end')) {
          expect(rows).toEqual([]);
          return;
        }
        expect(rows).toHaveLength(1);
        const { authorizations = {} } = JSON.parse(rows[0].payload) as SessionPayload;
        const left = new Set(story.flatMap((action) => (action.kind === 'leave' ? [action.client] : [])));
        for (const [index, action] of story.entries()) {
          const saved = outcomes[index];
          // Who signs in while others do gets no session of theirs; all others are kept.
          if (saved?.outcome === 'ended') expect(action.kind).toBe('sign in again');
          if (!saved || saved.outcome === 'ended' || !('client' in action) || action.kind === 'leave') continue;
          // The grant that the answer hangs on is the one that the session names, until somebody leaves.
          if (!left.has(action.client)) {
            expect(authorizations[action.client]).toEqual(saved.session.authorizations?.[action.client]);
          }
        }
        const renewed = story.some((action) => 'client' in action && action.kind !== 'leave' && action.client === 'a');
        if (left.has('a') && !renewed) expect(authorizations).not.toHaveProperty('a');
        if (!left.has('a')) expect(authorizations).toHaveProperty('a');
      }),
      { numRuns: STORIES[engine] },
    );
  });
});

type Records = Pick<OidcRecords, 'readSession' | 'replace' | 'destroySession'>;

/** One request, from its look at the session to its answer; undefined where it ends the session, or found none. */
async function play(
  records: Records,
  { action, index, uid }: { action: Action; index: number; uid: string },
): Promise<SavedSession | undefined> {
  if (action.kind === 'end') {
    await records.destroySession(uid);
    return undefined;
  }
  const read = await records.readSession({ uid });
  if (!read) return undefined;
  const session = JSON.parse(read.payload) as SessionPayload;
  const authorizations = { ...session.authorizations };
  const own = { grantId: `g${index}`, sid: `s${index}` };
  if (action.kind === 'leave') delete authorizations[action.client];
  if (action.kind === 'sign on' || action.kind === 'consent') authorizations[action.client] ??= own;
  const signedIn = action.kind === 'sign in again' ? { loginTs: Number(session['loginTs']) + index + 1 } : {};
  const payload = { ...session, ...signedIn, authorizations } as OidcPayload;
  const newId = action.kind === 'sign on' ? {} : { newId: `${uid}-${index + 1}` };
  return saveSession(records, read, { payload, expiresIn: 600, ...newId });
}
