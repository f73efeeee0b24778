// @fastify/oauth2, with the endpoints from discovery: the whole way of a person through the application.

import cookie from '@fastify/cookie';
import oauth2 from '@fastify/oauth2';
import fastify from 'fastify';
import * as c from './checks.js';

const app = fastify();
await app.register(cookie);
await app.register(oauth2, {
  name: 'hygie',
  scope: ['openid', 'email', 'profile'],
  credentials: { client: { id: c.CLIENT_ID, secret: c.CLIENT_SECRET } },
  startRedirectPath: '/login',
  callbackUri: c.CALLBACK,
  discovery: { issuer: c.ISSUER },
  pkce: 'S256',
});
app.get('/callback', async function answer(request) {
  const { token } = await this.hygie.getAccessTokenFromAuthorizationCodeFlow(request);
  return this.hygie.userinfo(token);
});
await app.listen({ port: Number(c.PORT) });

await c.check('sign-in with PKCE by discovery; userinfo', async () => {
  const person = JSON.parse((await c.journey(`${c.APP_URL}/login`)).body);
  c.equal(person.email, c.PERSON_EMAIL, 'email');
});
app.server.closeAllConnections();
await app.close();
