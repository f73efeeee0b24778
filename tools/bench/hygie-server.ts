// The service as the units of work see it: its paths, and how its pages are answered.

import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#seeds/demo-accounts.ts';
import { FULL_SCOPE } from '#tools/site/access.ts';
import { type Running, SECRET } from '#tools/site/processes.ts';
import type { Server } from './oidc-work.ts';

export function hygieServer({ address }: Running): Server {
  const credentials = { login: DEMO_ACCOUNTS[0]?.email ?? '', password: DEMO_PASSWORD };
  return {
    address,
    paths: {
      authorize: '/authorize',
      token: '/oauth/token',
      introspect: '/oauth/introspect',
      userinfo: '/userinfo',
    },
    secret: SECRET,
    scope: FULL_SCOPE,
    answer: (person, page) =>
      page.html.includes('id="sign-in"') ? person.press(page, 'sign-in', credentials) : person.press(page, 'allow'),
  };
}
