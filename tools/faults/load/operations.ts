// The operations of the clients: sign-ins by the pages, refreshes, searches, userinfo, revocations, sign-outs.

import { createPerson, type Person } from '#support/person.ts';
import { CALLBACK, DEMO_PASSWORD, SECRET } from '#support/service.ts';
import { ask, expectStatus, Seen } from './ask.ts';
import { type Ledger, sidIn } from './ledger.ts';

/** A person who is signed in, as the load uses them. */
export interface Member {
  person: Person;
  idToken: string;
  access: string;
  refresh: string;
  sid: string;
  code: string;
  /** A request that would have changed something had no clear answer: whether it was done is not known. */
  uncertain: boolean;
  busy: boolean;
}

export interface Stage {
  issuer: string;
  ledger: Ledger;
  members: Set<Member>;
  people: readonly string[];
  /** The service may have forgotten members: they are given up. */
  forgets?: boolean;
}

export type Kind = 'sign-in' | 'double redemption' | 'refresh' | 'search' | 'userinfo' | 'revocation' | 'sign-out';

const SCOPE = 'openid email offline_access PRACTITIONER_READ';
const form = (fields: Record<string, string>): RequestInit => ({
  method: 'POST',
  body: new URLSearchParams({ client_id: 'server', client_secret: SECRET, ...fields }),
});

async function tokens({ issuer }: Stage, fields: Record<string, string>) {
  const answer = await expectStatus(await ask(`${issuer}/oauth/token`, form(fields)), 200, fields['grant_type'] ?? '');
  return (await answer.json()) as { access_token: string; refresh_token: string; id_token: string };
}

/** Signs a person in by the pages, and resolves with the code that the application gets. */
async function newCode({ issuer, ledger, people }: Stage): Promise<{ person: Person; fields: Record<string, string> }> {
  const person = createPerson(issuer, ask);
  const query = { client_id: 'server', redirect_uri: CALLBACK, response_type: 'code', scope: SCOPE, state: 's' };
  const login = people[Math.floor(Math.random() * people.length)] ?? '';
  const credentials = { login, password: DEMO_PASSWORD };
  const callback = await person.signIn(`${issuer}/authorize?${new URLSearchParams(query)}`, credentials);
  const code = callback.searchParams.get('code') ?? '';
  if (code === '') throw new Seen(`an error at the callback: ${callback.searchParams.get('error')}`);
  ledger.acknowledged.signIns.push(performance.now());
  return { person, fields: { grant_type: 'authorization_code', code, redirect_uri: CALLBACK } };
}

export async function signIn(stage: Stage): Promise<void> {
  const { ledger, members } = stage;
  const { person, fields } = await newCode(stage);
  const given = await tokens(stage, fields);
  ledger.acknowledged.tokens.push(performance.now());
  const { access_token: access, refresh_token: refresh, id_token: idToken } = given;
  const code = fields['code'] ?? '';
  members.add({ person, idToken, access, refresh, code, sid: sidIn(idToken), uncertain: false, busy: false });
}

/** Redeems a code twice at the same time: one request gets tokens (SEC-10), which end because of the other (SEC-68). */
export async function redeemTwice(stage: Stage): Promise<void> {
  const { ledger } = stage;
  const { fields } = await newCode(stage);
  const redeem = async () => {
    const one = await tokens(stage, fields);
    ledger.acknowledged.tokens.push(performance.now());
    return one;
  };
  const both = await Promise.allSettled([redeem(), redeem()]);
  const given = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (given.length === 2) ledger.spentTwice += 1;
  const failures = both.flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
  const refused = failures.filter(({ message }) => message.startsWith('400'));
  if (refused.length === 1) ledger.revoked.push(...given.map(({ access_token }) => access_token));
  for (const failure of failures) if (!refused.includes(failure)) throw failure;
  if (given.length === 0) throw new Seen('400 for both of two redemptions of a code');
}

/** Each operation has its member alone. */
export const OPERATIONS: Readonly<
  Record<Exclude<Kind, 'sign-in' | 'double redemption'>, (stage: Stage, member: Member) => Promise<void>>
> = {
  refresh: async (stage, member) => {
    const given = await tokens(stage, { grant_type: 'refresh_token', refresh_token: member.refresh });
    stage.ledger.acknowledged.refreshes.push(performance.now());
    member.access = given.access_token;
    member.refresh = given.refresh_token;
    member.uncertain = false;
  },
  search: async ({ issuer }, { access }) => {
    const init = { headers: { authorization: `Bearer ${access}` } };
    await expectStatus(await ask(`${issuer}/directory/v2/Practitioner?name=ma`, init), 200, 'a search');
  },
  userinfo: async ({ issuer }, { access }) => {
    const init = { headers: { authorization: `Bearer ${access}` } };
    await expectStatus(await ask(`${issuer}/userinfo`, init), 200, 'userinfo');
  },
  revocation: async ({ issuer, ledger, members }, member) => {
    await expectStatus(await ask(`${issuer}/oauth/revoke`, form({ token: member.access })), 200, 'a revocation');
    ledger.acknowledged.revocations.push(performance.now());
    ledger.revoked.push(member.access);
    over(ledger, members, member);
  },
  'sign-out': async ({ issuer, ledger, members }, member) => {
    const cookies = new Map(member.person.cookies);
    const page = await member.person.visit(`${issuer}/logout?id_token_hint=${member.idToken}`);
    const after = await member.person.press(page, 'sign-out');
    if (after.status >= 400) throw new Seen(`${after.status} for a sign-out`);
    ledger.acknowledged.signOuts.push(performance.now());
    ledger.signedOut.push({ ...member, cookies });
    over(ledger, members, member);
  },
};

function over(ledger: Ledger, members: Set<Member>, member: Member): void {
  ledger.spent.push(member.code);
  members.delete(member);
}
