// Operations that have to be refused with a 4xx: wrong passwords and secrets, requests with mistakes.

import { createPerson } from '#support/person.ts';
import type { Member } from '#tools/soak/load/members.ts';
import { holds, same } from '#tools/soak/load/record.ts';
import type { World } from '#tools/soak/load/world.ts';
import { CALLBACK } from '#tools/soak/site/clients.ts';
import { ISSUER } from '#tools/soak/site/site.ts';
import { hasAccess, type Operation } from './operation.ts';
import { beginRequest } from './sign-in.ts';

const wrongPassword: Operation = {
  kind: 'wrong password',
  weight: 2,
  async run(world) {
    const browser = world.newBrowser();
    try {
      const person = createPerson(ISSUER, browser.fetch);
      const page = await person.visit((await beginRequest(world, 'annuaire')).url);
      // The login is unknown: after ten failures an account would let no unknown browser in.
      const login = `nobody.${world.draw.between(1, 20)}@clinic.example`;
      const after = await person.press(page, 'sign-in', { login, password: 'not the password of anybody' });
      holds([200, 401, 422, 429].includes(after.status), `a wrong password was answered with ${after.status}`);
      same(after.left, undefined, 'where a wrong password leads');
    } finally {
      browser.close();
    }
  },
};

const form = (fields: Record<string, string>) => ({ method: 'POST', body: new URLSearchParams(fields) });

/** Each with the statuses that are right. */
const MISTAKES: readonly [what: string, statuses: readonly number[], ask: (world: World) => Promise<Response>][] = [
  [
    'a wrong secret',
    // 429 after a hundred of them.
    [401, 429],
    ({ server }) =>
      server.fetch(
        `${ISSUER}/oauth/token`,
        form({ grant_type: 'client_credentials', client_id: 'copie', client_secret: 'wrong' }),
      ),
  ],
  [
    'an unknown code',
    [400],
    ({ server, site }) =>
      server.fetch(
        `${ISSUER}/oauth/token`,
        form({
          grant_type: 'authorization_code',
          client_id: 'portail',
          client_secret: site.clients.secretOf('portail'),
          code: 'x'.repeat(43),
          redirect_uri: CALLBACK,
        }),
      ),
  ],
  [
    'another callback',
    [400],
    ({ server }) =>
      server.fetch(
        `${ISSUER}/authorize?client_id=portail&response_type=code&scope=openid&redirect_uri=https://evil.example`,
      ),
  ],
  ['an unknown address', [404], ({ server }) => server.fetch(`${ISSUER}/no/such/place`)],
  ['no token', [401], ({ server }) => server.fetch(`${ISSUER}/directory/v2/Practitioner?name=martin`)],
  [
    'a body that is no form',
    [400, 415],
    ({ server }) =>
      server.fetch(`${ISSUER}/oauth/introspect`, {
        method: 'POST',
        body: '{"token":',
        headers: { 'content-type': 'application/json' },
      }),
  ],
  ['a wrong method', [404, 405], ({ server }) => server.fetch(`${ISSUER}/oauth/token`, { method: 'DELETE' })],
];

const mistakes: Operation = {
  kind: 'mistaken requests',
  weight: 4,
  async run(world) {
    const [what, statuses, ask] = world.draw.one(MISTAKES);
    const answer = await ask(world);
    const text = await answer.text();
    holds(statuses.includes(answer.status), `${what} was answered with ${answer.status}: ${text.slice(0, 200)}`);
  },
};

const QUERIES = ['name=a', 'nmae=martin', '_count=x', '_sort=nothing', '_lastUpdated=yesterday', 'name=%ff'];

const mistakenSearches: Operation = {
  kind: 'mistaken searches',
  weight: 2,
  run: (world) =>
    world.members.share(
      (member: Member) => hasAccess(member) && !member.dpop,
      async ({ accessToken }) => {
        const query = world.draw.one(QUERIES);
        const answer = await world.server.fetch(`${ISSUER}/directory/v2/Practitioner?${query}`, {
          headers: { authorization: `Bearer ${accessToken}` },
        });
        const { resourceType } = (await answer.json()) as { resourceType: string };
        same([answer.status, resourceType], [400, 'OperationOutcome'], query);
      },
    ),
};

export const refused: Operation[] = [wrongPassword, mistakes, mistakenSearches];
