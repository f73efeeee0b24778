// People in their own space, and leaving: account pages, and the sign-out with the logout token that the application gets.

import * as oidc from 'openid-client';
import { holds, same } from '#tools/soak/load/record.ts';
import { SIGNED_OUT } from '#tools/soak/site/clients.ts';
import { ISSUER } from '#tools/soak/site/site.ts';
import { hasSession, type Operation, retire } from './operation.ts';
import { plain } from './sign-in.ts';
import { expectEnded } from './tokens.ts';

const PAGES = ['', '/security', '/applications', '/sessions', '/activity'];

const space: Operation = {
  kind: 'account pages',
  weight: 4,
  run: (world) =>
    world.members.alone(hasSession(world), async (member) => {
      // The space may sign in silently, and use the session.
      member.endsBy = Number.POSITIVE_INFINITY;
      const path = `/account${world.draw.one(PAGES)}`;
      const page = await member.person.visit(path);
      same([page.status, new URL(page.url).pathname], [200, path], `an account page: ${plain(page.html)}`);
      holds(page.html.includes('id="sign-out"'), () => `${path} without sign-out: ${plain(page.html)}`);
    }),
};

/** Milliseconds within which a logout token must arrive. An instance that ends hands it over to the other one. */
const TOLD_WITHIN = 60_000;

const signOut: Operation = {
  kind: 'sign-out',
  weight: 3,
  run: (world) =>
    world.members.alone(hasSession(world), async (member) => {
      world.members.drop(member);
      const { client, person, sid } = member;
      const isTold = client === 'portail';
      const told = isTold ? world.site.receiver.tokenOf(sid, TOLD_WITHIN) : undefined;
      told?.catch(() => {});
      const state = oidc.randomState();
      const url = oidc.buildEndSessionUrl(world.configuration(client), {
        id_token_hint: member.idToken,
        ...(isTold && { post_logout_redirect_uri: SIGNED_OUT, state }),
      });
      const first = await person.visit(url);
      // With an ID token of the session and a registered address the person is led back at once; the others are asked.
      if (isTold)
        same(first.left?.href, `${SIGNED_OUT}?state=${state}`, `where a sign-out leads: ${plain(first.html)}`);
      else {
        holds(first.html.includes('id="sign-out"'), () => `no question: ${first.status} ${plain(first.html)}`);
        const done = await person.press(first, 'sign-out');
        same([done.status, done.left], [200, undefined], 'the page after a sign-out');
      }
      if (!isTold) {
        // Tokens that were asked for without offline_access end with the session.
        retire(world, member, Date.now());
        if (!member.dpop) await expectEnded(world, member.accessToken);
      }
      if (told)
        await world.recorder.run('logout token arrives', async () => {
          const claims = await world.verify(await told);
          same([claims['sid'], claims['aud']], [sid, client], 'sid and aud of a logout token');
        });
    }),
};

const signedOut: Operation = {
  kind: 'pages of strangers',
  weight: 1,
  async run(world) {
    const path = world.draw.one(['/', '/logout', '/account-link/forgotten']);
    const answer = await world.server.fetch(ISSUER + path, { headers: { accept: 'text/html' } });
    holds(answer.status < 500, `${path} was answered with ${answer.status}`);
    await answer.arrayBuffer();
  },
};

export const account: Operation[] = [space, signOut, signedOut];
