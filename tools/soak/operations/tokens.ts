// Tokens of the load: refreshes alone and at the same time, userinfo, introspection, revocation, those of service accounts, ended ones.

import * as oidc from 'openid-client';
import type { Member } from '#tools/soak/load/members.ts';
import { holds, same } from '#tools/soak/load/record.ts';
import type { World } from '#tools/soak/load/world.ts';
import { ISSUER } from '#tools/soak/site/site.ts';
import { askDirectory } from './directory.ts';
import { canRefresh, hasAccess, type Operation, retire } from './operation.ts';

async function refreshed(world: World, member: Member, parallel: number): Promise<void> {
  const configuration = world.configuration(member.client);
  const answers = await Promise.all(
    Array.from({ length: parallel }, () => oidc.refreshTokenGrant(configuration, member.refreshToken ?? '')),
  );
  const successors = new Set(answers.map(({ refresh_token }) => refresh_token));
  same(successors.size, 1, 'refresh tokens given for one that came several times at once');
  const [tokens] = answers;
  holds(tokens?.refresh_token !== undefined && tokens.refresh_token !== member.refreshToken, 'no new refresh token');
  if (tokens.id_token) same((await world.verify(tokens.id_token))['sub'], member.sub, 'sub after a refresh');
  retire(world, member, member.accessUntil);
  const now = Date.now();
  Object.assign(member, {
    refreshToken: tokens.refresh_token,
    accessToken: tokens.access_token,
    accessUntil: now + (tokens.expires_in ?? 0) * 1000,
    refreshedAt: now,
  });
}

const refresh: Operation = {
  kind: 'refresh',
  weight: 12,
  run: (world) => world.members.alone(canRefresh(world), (member) => refreshed(world, member, 1)),
};

const refreshAtOnce: Operation = {
  kind: 'refresh, three at once',
  weight: 3,
  run: (world) => world.members.alone(canRefresh(world), (member) => refreshed(world, member, 3)),
};

const userinfo: Operation = {
  kind: 'userinfo',
  weight: 10,
  run: (world) =>
    world.members.share(hasAccess, async ({ client, accessToken, sub, dpop }) => {
      const claims = await oidc.fetchUserInfo(world.configuration(client), accessToken, sub, dpop && { DPoP: dpop });
      holds(
        String(claims.email).startsWith('soak.'),
        `userinfo without the address: ${JSON.stringify(claims).slice(0, 200)}`,
      );
    }),
};

const introspection: Operation = {
  kind: 'introspection',
  weight: 12,
  run: (world) =>
    world.members.share(hasAccess, async ({ accessToken, sub, client }) => {
      const told = await oidc.tokenIntrospection(world.configuration('api'), accessToken);
      same([told.active, told.sub, told.client_id], [true, sub, client], 'introspection');
    }),
};

const revocation: Operation = {
  kind: 'revocation',
  weight: 2,
  run: (world) =>
    world.members.alone(
      (member) => member.client === 'portail' && canRefresh(world)(member) && hasAccess(member),
      async (member) => {
        world.members.drop(member);
        await oidc.tokenRevocation(world.configuration('portail'), member.refreshToken ?? '');
        retire(world, member, Date.now());
        const again = await oidc
          .refreshTokenGrant(world.configuration('portail'), member.refreshToken ?? '')
          .catch(String);
        holds(typeof again === 'string', 'a revoked refresh token gave tokens');
        await expectEnded(world, member.accessToken);
      },
    ),
};

/** Nobody takes the token: neither the directory nor introspection. */
export async function expectEnded(world: World, token: string): Promise<void> {
  const answer = await world.server.fetch(`${ISSUER}/directory/v2/Practitioner?_count=1`, {
    headers: { authorization: `Bearer ${token}` },
  });
  same(answer.status, 401, 'the directory with a token that ended');
  const told = await oidc.tokenIntrospection(world.configuration('api'), token);
  same(told, { active: false }, 'introspection of a token that ended');
}

/** Milliseconds of the clock tolerance, and more. */
const TOLERANCE = 20_000;

const ended: Operation = {
  kind: 'tokens that ended are refused',
  weight: 3,
  async run(world) {
    const over = world.ended.filter(({ at }) => at + TOLERANCE < Date.now());
    if (over.length === 0) return false;
    await expectEnded(world, world.draw.one(over).token);
    return true;
  },
};

const serviceAccount: Operation = {
  kind: 'service account: token and search',
  weight: 4,
  async run(world) {
    const tokens = await oidc.clientCredentialsGrant(world.configuration('copie'), { scope: 'PRACTITIONER_READ' });
    const { status } = await askDirectory(
      world,
      { client: 'copie', accessToken: tokens.access_token },
      'Practitioner?_count=1',
    );
    same(status, 200, 'the directory with a token of a service account');
  },
};

export const tokens: Operation[] = [refresh, refreshAtOnce, userinfo, introspection, revocation, ended, serviceAccount];
