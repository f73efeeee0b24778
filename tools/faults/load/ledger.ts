// Notes what the service acknowledged while a fault was there, and checks afterwards that it holds. The difference is what was lost.

import { setTimeout } from 'node:timers/promises';
import { openAuditEvents } from '#store/audit/audit-events.ts';
import { type Database, openDatabase } from '#store/database/connection.ts';
import { authorizationUrl } from '#support/openid/relying-party.ts';
import type { Person } from '#support/person.ts';
import { CALLBACK, type RunningService, SECRET } from '#support/service.ts';
import { until } from '#support/until.ts';
import type { Site } from '#tools/faults/site/site.ts';
import { ask } from './ask.ts';
import type { Member } from './operations.ts';

export interface Ledger {
  /** How many records of each kind there were: not by their times, which a wrong clock gave. */
  before: Record<keyof typeof EVENTS, number>;
  /** Access tokens of which a client heard that they are revoked. */
  revoked: string[];
  /** Browsers and sessions that were signed out, with the cookies of before: the service, not the browser, has to have ended it. */
  signedOut: { person: Person; sid: string; cookies: ReadonlyMap<string, string> }[];
  /** Codes that gave tokens which are over since. */
  spent: string[];
  /** How many codes gave tokens to two requests. */
  spentTwice: number;
  /** When answers acknowledged what the audit trail has to hold: milliseconds of `performance.now()`. */
  acknowledged: Record<keyof typeof EVENTS, number[]>;
}

export const newLedger = async (site: Site): Promise<Ledger> => ({
  before: await withDatabase(site, countRecords),
  revoked: [],
  signedOut: [],
  spent: [],
  spentTwice: 0,
  acknowledged: { signIns: [], tokens: [], refreshes: [], revocations: [], signOuts: [] },
});

/** What may be missing from the audit trail. */
interface Allowed {
  /** When a process was killed, in milliseconds of `performance.now()`. */
  killedAt?: number;
  /** Whatever was acknowledged last, as decided. */
  last?: boolean;
}

/** What was lost, in a sentence each. Asks the service, which has to be well again. */
export async function lostOf(
  site: Site,
  ledger: Ledger,
  members: readonly Member[],
  allowed: Allowed,
): Promise<string[]> {
  const lost: string[] = Array(ledger.spentTwice).fill('a code was spent by two requests');
  const userinfo = async (token: string) =>
    (await ask(`${site.issuer}/userinfo`, { headers: { authorization: `Bearer ${token}` } })).status;
  for (const token of ledger.revoked) {
    const status = await userinfo(token);
    if (status !== 401) lost.push(`a revocation: its token is answered with ${status}`);
  }
  for (const { person, cookies } of ledger.signedOut) {
    for (const [name, value] of cookies) person.cookies.set(name, value);
    const { left } = await person.visit(
      authorizationUrl(site as unknown as RunningService, { scope: 'openid', prompt: 'none' }),
    );
    if (left?.searchParams.get('error') !== 'login_required')
      lost.push(`a sign-out: ${left?.searchParams.get('error') ?? 'a code'}`);
  }
  const token = (fields: Record<string, string>) => {
    const body = new URLSearchParams({ client_id: 'server', client_secret: SECRET, ...fields });
    return ask(`${site.issuer}/oauth/token`, { method: 'POST', body });
  };
  for (const member of members.filter(({ uncertain }) => !uncertain)) {
    const status = await userinfo(member.access);
    if (status !== 200) lost.push(`an access token that was given: ${status}`);
    const refreshed = await token({ grant_type: 'refresh_token', refresh_token: member.refresh });
    if (refreshed.status !== 200) lost.push(`a refresh token that was given: ${refreshed.status}`);
    else member.refresh = ((await refreshed.json()) as { refresh_token: string }).refresh_token;
  }
  for (const code of ledger.spent) {
    const { status } = await token({ grant_type: 'authorization_code', code, redirect_uri: CALLBACK });
    if (status !== 400) lost.push(`that a code was spent: ${status}`);
  }
  const told = () => new Set(site.receiver.received.map((form) => sidIn(form.get('logout_token') ?? '')));
  const untold = () => ledger.signedOut.filter(({ sid }) => !told().has(sid));
  const late = performance.now() + DELIVERED_WITHIN;
  while (untold().length > 0 && performance.now() < late) await setTimeout(500);
  if (untold().length > 0) lost.push(`${untold().length} logout token(s)`);
  lost.push(...(await lostFromAudit(site, ledger, allowed)));
  const verified = await site.hygie(['audit', 'verify']);
  if (verified.code !== 0)
    lost.push(`the chain of the audit trail: ${verified.stdout}${verified.stderr}`.slice(0, 400));
  const counted = [...Map.groupBy(lost, (what) => what)].map(([what, { length }]) =>
    length > 1 ? `${length} × ${what}` : what,
  );
  return allowed.last ? counted.map((what) => DECIDED + what.replace(DECIDED, '')) : counted;
}

/** Milliseconds. A process that was killed while it sent a token holds it for a while, and pauses grow from try to try. */
const DELIVERED_WITHIN = 180_000;

const EVENTS = {
  signIns: 'sign-in.succeeded',
  tokens: 'token.issued',
  refreshes: 'token.refreshed',
  revocations: 'token.revoked',
  signOuts: 'session.ended',
} as const;

/** Milliseconds before a kill whose records of tokens may be missing: a quarter of a second, and the way of an answer. */
const UNWRITTEN = 400;
/** Begins what may be lost, as decided (decision 17). */
export const DECIDED = 'as decided: ';

async function lostFromAudit(
  site: Site,
  { before, acknowledged }: Ledger,
  { killedAt = Number.NaN }: Allowed,
): Promise<string[]> {
  return withDatabase(site, async (database) => {
    const missing = async () => {
      const now = await countRecords(database);
      return kinds().flatMap((kind) => {
        const [held, times, event] = [now[kind] - before[kind], acknowledged[kind], EVENTS[kind]];
        if (held >= times.length) return [];
        const last = times.filter((at) => at > killedAt - UNWRITTEN && at < killedAt + 100).length;
        const allowed = { tokens: last, refreshes: last, revocations: 0, signIns: 0, signOuts: 0 }[kind];
        const decided = times.length - held <= allowed;
        return [`${decided ? DECIDED : ''}${times.length - held} of ${times.length} audit records ${event}`];
      });
    };
    // Those of the last answers may be on their way.
    await until(async () => (await missing()).every((what) => what.startsWith(DECIDED)), 'records').catch(() => {});
    return missing();
  });
}

const kinds = () => Object.keys(EVENTS) as (keyof typeof EVENTS)[];

async function countRecords(database: Database): Promise<Ledger['before']> {
  const events = openAuditEvents(database);
  const counted = kinds().map(async (kind) => {
    return [kind, (await events.search({ events: [EVENTS[kind]], limit: 1_000_000 })).length];
  });
  return Object.fromEntries(await Promise.all(counted));
}

async function withDatabase<Result>(site: Site, work: (database: Database) => Promise<Result>): Promise<Result> {
  const database = openDatabase(site.database());
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}

export function sidIn(token: string): string {
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString() || '{}';
  return String((JSON.parse(payload) as { sid?: string }).sid);
}
