// @auth/core (Auth.js, the sign-in of Next.js, SvelteKit and others), unmodified, signs a person in against the running
// service. Of its options only the provider and, because every request to us carries a state, its checks are set.

import type { IncomingMessage, RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Auth, type AuthConfig } from '@auth/core';
import { afterAll, describe, expect, it } from '@jest/globals';
import { openedForAll } from '#support/opened.ts';
import { createPerson } from '#support/person.ts';
import {
  APPLICATION_SECRET,
  type Application,
  CREDENTIALS,
  openApplication,
  registration,
} from '#support/relying-parties/application.ts';
import { DEMO_ACCOUNTS, startService } from '#support/service.ts';

let application: Application;

/** Node's request as the library takes it, and its response as Node sends it. */
function listener(config: AuthConfig): RequestListener {
  return async (req, res) => {
    const response = await Auth(await requestOf(req), config);
    res.statusCode = response.status;
    response.headers.forEach((value, name) => {
      if (name !== 'set-cookie') res.setHeader(name, value);
    });
    res.setHeader('set-cookie', response.headers.getSetCookie());
    res.end(Buffer.from(await response.arrayBuffer()));
  };
}

async function requestOf(req: IncomingMessage): Promise<Request> {
  const { method = 'GET', url = '/' } = req;
  const headers = new Headers(Object.entries(req.headers).map(([name, value]): [string, string] => [name, `${value}`]));
  const body = method === 'GET' ? null : await buffer(req);
  return new Request(new URL(url, application.origin), { method, headers, body });
}

describe('libraries for server applications', () => {
  const service = openedForAll(async () => {
    application = await openApplication();
    const callback = `${application.origin}/auth/callback/hygie`;
    return startService({ clients: [await registration('auth-core', callback)] });
  });

  afterAll(async () => {
    await application.close();
  });

  it('@auth/core signs a person in', async () => {
    application.answer(
      listener({
        basePath: '/auth',
        trustHost: true,
        secret: 'a secret of this test for the cookies of the library',
        useSecureCookies: false,
        providers: [
          {
            id: 'hygie',
            name: 'Hygie',
            type: 'oidc',
            issuer: service.issuer,
            clientId: 'auth-core',
            clientSecret: APPLICATION_SECRET,
            checks: ['pkce', 'state', 'nonce'],
          },
        ],
        callbacks: {
          jwt: ({ token, profile }) => (profile ? { ...token, person: profile.sub } : token),
          session: ({ session, token }) => ({ ...session, sub: token['person'] }),
        },
        logger: { error: (error) => void faults.push(error) },
      }),
    );
    const faults: Error[] = [];
    const there = createPerson(application.origin);
    const { csrfToken } = JSON.parse((await there.visit('/auth/csrf')).html) as { csrfToken: string };
    const body = new URLSearchParams({ csrfToken, callbackUrl: `${application.origin}/auth/session` });
    const { left } = await there.visit('/auth/signin/hygie', { method: 'POST', body });
    const callback = await createPerson(service.issuer).signIn(left ?? '', CREDENTIALS);
    const page = await there.visit(callback);
    expect(faults).toEqual([]);
    expect(JSON.parse(page.html)).toMatchObject({
      sub: DEMO_ACCOUNTS[0]?.id,
      user: {
        name: DEMO_ACCOUNTS[0]?.name,
        email: DEMO_ACCOUNTS[0]?.email,
        image: expect.stringMatching(/\/picture\/[0-9a-f]{32}\.svg$/),
      },
    });
  });
});
