// Unmodified libraries of server applications sign a person in against the running service: the whole way from the
// application's own page through our forms and back. Nothing of them is replaced; only their documented options are set.

import { createRequire } from 'node:module';
import { afterAll, describe, expect, it } from '@jest/globals';
import express, { type RequestHandler } from 'express';
import session from 'express-session';
import * as oauth from 'oauth4webapi';
import * as oidc from 'openid-client';
import { openedForAll } from '#support/opened.ts';
import {
  APPLICATION_SECRET,
  type Application,
  openApplication,
  registration,
  signInThrough,
} from '#support/relying-parties/application.ts';
import { DEMO_ACCOUNTS, startService } from '#support/service.ts';

describe('server libraries', () => {
  const PERSON = DEMO_ACCOUNTS[0];
  const SCOPE = 'openid email profile';
  /** Path of each library's callback. */
  const CALLBACKS = {
    'openid-client': '/callback',
    oauth4webapi: '/callback',
    'express-openid-connect': '/callback',
    'passport-openidconnect': '/callback',
    'auth-core': '/auth/callback/hygie',
  };
  type Library = keyof typeof CALLBACKS;

  const applications = {} as Record<Library, Application>;

  const service = openedForAll(async () => {
    const names = Object.keys(CALLBACKS) as Library[];
    for (const name of names) applications[name] = await openApplication();
    const clients = names.map((name) => registration(name, applications[name].origin + CALLBACKS[name]));
    return startService({ clients: await Promise.all(clients) });
  });

  /** A small application with sessions, as the examples of the libraries have it. */
  function withSession() {
    const app = express();
    app.use(session({ secret: 'only for this test', resave: false, saveUninitialized: true }));
    return app;
  }

  /** Signs a person in through the application and returns the claims that it shows in the end. */
  async function whoSignedIn(library: Library, path = '/login'): Promise<Record<string, unknown>> {
    const page = await signInThrough(service, applications[library], path);
    expect([page.status, page.html]).toEqual([200, expect.stringContaining('{')]);
    return JSON.parse(page.html) as Record<string, unknown>;
  }

  describe('libraries for server applications', () => {
    afterAll(async () => {
      await Promise.all(Object.values(applications).map((application) => application.close()));
    });

    it('openid-client signs a person in', async () => {
      const application = applications['openid-client'];
      const config = await oidc.discovery(new URL(service.issuer), 'openid-client', APPLICATION_SECRET, undefined, {
        execute: [oidc.allowInsecureRequests],
      });
      const checks = { pkceCodeVerifier: oidc.randomPKCECodeVerifier(), expectedState: oidc.randomState() };
      const expectedNonce = oidc.randomNonce();
      const app = withSession();
      app.get('/login', async (_req, res) => {
        const to = oidc.buildAuthorizationUrl(config, {
          redirect_uri: `${application.origin}/callback`,
          scope: SCOPE,
          state: checks.expectedState,
          nonce: expectedNonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
          code_challenge_method: 'S256',
        });
        res.redirect(to.href);
      });
      app.get('/callback', async (req, res) => {
        const at = new URL(req.originalUrl, application.origin);
        const tokens = await oidc.authorizationCodeGrant(config, at, {
          ...checks,
          expectedNonce,
          idTokenExpected: true,
        });
        const sub = tokens.claims()?.sub ?? '';
        res.json(await oidc.fetchUserInfo(config, tokens.access_token, sub));
      });
      application.answer(app);
      expect(await whoSignedIn('openid-client')).toMatchObject({ sub: PERSON?.id, email: PERSON?.email });
    });

    it('oauth4webapi signs a person in', async () => {
      const { origin } = applications.oauth4webapi;
      const insecure = { [oauth.allowInsecureRequests]: true };
      const issuer = new URL(service.issuer);
      const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
      const client = { client_id: 'oauth4webapi' };
      const verifier = oauth.generateRandomCodeVerifier();
      const state = oauth.generateRandomState();
      const nonce = oauth.generateRandomNonce();
      const app = express();
      app.get('/login', async (_req, res) => {
        const to = new URL(server.authorization_endpoint ?? '');
        to.search = new URLSearchParams({
          client_id: client.client_id,
          redirect_uri: `${origin}/callback`,
          response_type: 'code',
          scope: SCOPE,
          state,
          nonce,
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }).toString();
        res.redirect(to.href);
      });
      app.get('/callback', async (req, res) => {
        const parameters = oauth.validateAuthResponse(server, client, new URL(req.originalUrl, origin), state);
        const secret = oauth.ClientSecretBasic(APPLICATION_SECRET);
        const redirect = `${origin}/callback`;
        const answer = await oauth.authorizationCodeGrantRequest(
          server,
          client,
          secret,
          parameters,
          redirect,
          verifier,
          insecure,
        );
        const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
          expectedNonce: nonce,
          requireIdToken: true,
        });
        await oauth.validateApplicationLevelSignature(server, answer, insecure);
        res.json(oauth.getValidatedIdTokenClaims(tokens));
      });
      applications.oauth4webapi.answer(app);
      expect(await whoSignedIn('oauth4webapi')).toMatchObject({ sub: PERSON?.id, name: PERSON?.name });
    });

    it('express-openid-connect signs a person in', async () => {
      // Loaded late: it requires openid-client, which the service itself imports.
      const { auth } = await import('express-openid-connect');
      const application = applications['express-openid-connect'];
      const app = express();
      app.use(
        auth({
          issuerBaseURL: service.issuer,
          baseURL: application.origin,
          clientID: 'express-openid-connect',
          clientSecret: APPLICATION_SECRET,
          secret: 'a secret of this test for the cookies of the library',
          authRequired: false,
          authorizationParams: { response_type: 'code', scope: SCOPE },
        }) as RequestHandler,
      );
      app.get('/', async (req, res) => void res.json({ ...req.oidc.user, userinfo: await req.oidc.fetchUserInfo() }));
      application.answer(app);
      expect(await whoSignedIn('express-openid-connect')).toMatchObject({
        sub: PERSON?.id,
        name: PERSON?.name,
        userinfo: { email: PERSON?.email },
      });
    });

    it('passport-openidconnect signs a person in', async () => {
      const { origin } = applications['passport-openidconnect'];
      const app = withSession();
      const passport = usePassport({
        issuer: service.issuer,
        authorizationURL: `${service.issuer}/authorize`,
        tokenURL: `${service.issuer}/oauth/token`,
        userInfoURL: `${service.issuer}/userinfo`,
        clientID: 'passport-openidconnect',
        clientSecret: APPLICATION_SECRET,
        callbackURL: `${origin}/callback`,
        scope: ['email', 'profile'],
      });
      app.use(passport.session());
      app.get('/login', passport.authenticate('openidconnect'));
      app.get('/callback', passport.authenticate('openidconnect'), (req, res) => {
        res.json((req as { user?: unknown }).user);
      });
      applications['passport-openidconnect'].answer(app);
      expect(await whoSignedIn('passport-openidconnect')).toMatchObject({
        id: PERSON?.id,
        displayName: PERSON?.name,
        name: { givenName: PERSON?.given, familyName: PERSON?.family },
        username: PERSON?.email,
        emails: [{ value: PERSON?.email }],
      });
    });
  });

  /** The library has no types; this is what its documentation says. */
  interface Passport {
    use(strategy: unknown): void;
    serializeUser(keep: (user: unknown, done: (error: null, kept: unknown) => void) => void): void;
    deserializeUser(find: (kept: unknown, done: (error: null, user: unknown) => void) => void): void;
    session(): RequestHandler;
    authenticate(strategy: string): RequestHandler;
  }

  function usePassport(options: Record<string, unknown>): Passport {
    const require = createRequire(import.meta.url);
    const passport = require('passport') as Passport;
    const Strategy = require('passport-openidconnect') as new (options: object, verify: unknown) => unknown;
    const verify = (_issuer: string, profile: unknown, done: (error: null, user: unknown) => void) =>
      done(null, profile);
    passport.use(new Strategy(options, verify));
    passport.serializeUser((user, done) => done(null, user));
    passport.deserializeUser((user, done) => done(null, user));
    return passport;
  }
});
