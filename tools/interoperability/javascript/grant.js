// Grant in Express, with a session: the whole way of a person through the application.

import express from 'express';
import session from 'express-session';
import grant from 'grant';
import * as c from './checks.js';

const app = express();
app.use(session({ secret: 'of this run', resave: false, saveUninitialized: true }));
app.use(
  grant.express({
    defaults: { origin: c.APP_URL, transport: 'session', state: true, nonce: true, pkce: true },
    hygie: {
      oauth: 2,
      authorize_url: c.ENDPOINTS.authorize,
      access_url: c.ENDPOINTS.token,
      profile_url: c.ENDPOINTS.userinfo,
      key: c.CLIENT_ID,
      secret: c.CLIENT_SECRET,
      scope: ['openid', 'email', 'profile'],
      scope_delimiter: ' ',
      response: ['tokens', 'jwt', 'profile'],
      callback: '/hello',
    },
  }),
);
app.get('/hello', (req, res) => res.json(req.session.grant.response));
const server = app.listen(Number(c.PORT));

await c.check('sign-in with PKCE, state and nonce; profile from userinfo', async () => {
  const { jwt, profile } = JSON.parse((await c.journey(`${c.APP_URL}/connect/hygie`)).body);
  c.equal(jwt?.id_token?.payload?.sub, c.PERSON_SUB, 'sub');
  c.equal(profile?.email, c.PERSON_EMAIL, 'email');
});
server.close();
server.closeAllConnections();
