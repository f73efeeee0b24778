// passport-oauth2, which many strategies are made of: the whole way of a person through the application.

import express from 'express';
import session from 'express-session';
import passport from 'passport';
import { Strategy } from 'passport-oauth2';
import * as c from './checks.js';

const strategy = new Strategy(
  {
    authorizationURL: c.ENDPOINTS.authorize,
    tokenURL: c.ENDPOINTS.token,
    clientID: c.CLIENT_ID,
    clientSecret: c.CLIENT_SECRET,
    callbackURL: c.CALLBACK,
    scope: ['openid', 'email'],
    state: true,
    pkce: true,
  },
  async (accessToken, _refreshToken, _profile, done) => done(null, await c.userinfo(accessToken)),
);
passport.use(strategy);
passport.serializeUser((user, done) => done(null, user));
passport.deserializeUser((user, done) => done(null, user));

const app = express();
app.use(session({ secret: 'of this run', resave: false, saveUninitialized: true }));
app.use(passport.session());
app.get('/login', passport.authenticate('oauth2'));
app.get('/callback', passport.authenticate('oauth2'), (req, res) => res.json(req.user));
const server = app.listen(Number(c.PORT));

await c.check('sign-in with PKCE and state', async () => {
  const person = JSON.parse((await c.journey(`${c.APP_URL}/login`)).body);
  c.equal(person.email, c.PERSON_EMAIL, 'email');
});
server.close();
server.closeAllConnections();
