// @hono/oidc-auth: the whole way of a person through an application that keeps its session in a signed cookie.

import { serve } from '@hono/node-server';
import { getAuth, oidcAuthMiddleware, processOAuthCallback } from '@hono/oidc-auth';
import { Hono } from 'hono';
import * as c from './checks.js';

Object.assign(process.env, {
  OIDC_AUTH_SECRET: 'a secret for the cookies of this run, long enough',
  OIDC_ISSUER: c.ISSUER,
  OIDC_CLIENT_ID: c.CLIENT_ID,
  OIDC_CLIENT_SECRET: c.CLIENT_SECRET,
  OIDC_REDIRECT_URI: c.CALLBACK,
  OIDC_SCOPES: 'openid email profile',
});
const app = new Hono();
app.get('/callback', (context) => processOAuthCallback(context));
app.use('*', oidcAuthMiddleware());
app.get('/', async (context) => context.json(await getAuth(context)));
const server = serve({ fetch: app.fetch, port: Number(c.PORT) });

await c.check('sign-in with PKCE by discovery', async () => {
  const person = JSON.parse((await c.journey(`${c.APP_URL}/`)).body);
  c.equal(person.sub, c.PERSON_SUB, 'sub');
  c.equal(person.email, c.PERSON_EMAIL, 'email');
});
server.close();
server.closeAllConnections();
