// Sign-ins of the load: by password, with an app, at each kind of application; silent ones; abandoned ones.

import { createPerson } from '#support/person.ts';
import type { Member } from '#tools/soak/load/members.ts';
import { holds, same } from '#tools/soak/load/record.ts';

import { ISSUER } from '#tools/soak/site/site.ts';
import { hasSession, type Operation, retire } from './operation.ts';
import { beginRequest, DIRECTORY_SCOPE, endOf, redeem, signIn } from './sign-in.ts';

const HALF_MINUTE = 30_000;

const byPassword = (client: Member['client'], weight: number): Operation => ({
  kind: `sign-in, ${client}`,
  weight,
  run: async (world) => world.members.add(await signIn(world, client, world.draw.one(world.people))),
});

const withApp: Operation = {
  kind: 'sign-in, with an app',
  weight: 3,
  async run(world) {
    const step = Math.floor(Date.now() / HALF_MINUTE);
    const rested = world.withApp.filter(({ lastStep }) => lastStep < step);
    if (rested.length === 0) return false;
    const account = world.draw.one(rested);
    // Nobody else draws it until the next code.
    account.lastStep = step + 1;
    world.members.add(await signIn(world, 'annuaire', account));
    return true;
  },
};

const silent: Operation = {
  kind: 'silent sign-on',
  weight: 9,
  run: (world) =>
    world.members.alone(hasSession(world), async (member) => {
      const { client } = member;
      const begun = Date.now();
      const started = await beginRequest(world, client, { prompt: 'none', scope: DIRECTORY_SCOPE });
      const { left, status } = await member.person.visit(started.url);
      holds(left !== undefined, `prompt=none was answered with ${status}`);
      const ago = (at: number) => `${Math.round((begun - at) / 1000)} s ago`;
      const { sid, signedInAt, usedAt } = member;
      same(
        [left.searchParams.get('error'), left.searchParams.get('error_description')],
        [null, null],
        `prompt=none of ${client}, session ${sid}, signed in ${ago(signedInAt)}, used ${ago(usedAt)}`,
      );
      const { tokens, claims } = await redeem(world, client, started, left);
      same([claims['sub'], claims['sid'] ?? ''], [member.sub, member.sid], 'who is signed in silently');
      retire(world, member, member.accessUntil);
      const now = Date.now();
      Object.assign(member, {
        idToken: tokens.id_token ?? '',
        accessToken: tokens.access_token,
        accessUntil: now + (tokens.expires_in ?? 0) * 1000,
        dpop: started.dpop,
        usedAt: begun,
        // Not beyond the absolute limit, which is close to the last `endsBy` where it comes first.
        endsBy: endOf(world, member.signedInAt + SIGN_IN, now),
      });
    }),
};

/** Milliseconds that a sign-in takes at most, from its first request to its session. */
const SIGN_IN = 60_000;
/** Milliseconds by which an instance may be late with an end. */
const LATE = 20_000;

const afterTheSession: Operation = {
  kind: 'silent sign-on, session expired',
  weight: 2,
  run: async (world) => {
    const isOver = ({ endsBy }: Member) => Date.now() - LATE > endsBy;
    return world.members.alone(isOver, async (member) => {
      world.members.drop(member);
      retire(world, member, member.accessUntil);
      const started = await beginRequest(world, member.client, { prompt: 'none', scope: DIRECTORY_SCOPE });
      const { left } = await member.person.visit(started.url);
      same(left?.searchParams.get('error'), 'login_required', 'prompt=none after the end of the session');
    });
  },
};

const abandoned: Operation = {
  kind: 'sign-in, abandoned',
  weight: 2,
  async run(world) {
    const browser = world.newBrowser();
    try {
      const started = await beginRequest(world, world.draw.one(['portail', 'annuaire'] as const));
      const page = await createPerson(ISSUER, browser.fetch).visit(started.url);
      same([page.status, page.html.includes('id="sign-in"')], [200, true], 'the sign-in page');
    } finally {
      browser.close();
    }
  },
};

export const signIns: Operation[] = [
  byPassword('portail', 6),
  byPassword('annuaire', 3),
  byPassword('hopital', 3),
  withApp,
  silent,
  afterTheSession,
  abandoned,
];
