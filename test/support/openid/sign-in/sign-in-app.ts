// Runs the sign-in pages in a small Express application, for tests. The interactions of the OpenID provider and the check of
// passwords are played by simple functions here: the pages are proved alone; `test/openid/` proves them with the provider.

import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import session from 'express-session';
import type { Settings } from '#config/settings.ts';
import { createProviderPages } from '#openid/provider/pages.ts';
import { SIGN_IN_PATH } from '#openid/routes.ts';
import { type InteractionDetails, InteractionExpired } from '#openid/sign-in/describe-interaction.ts';
import { createDeviceCookies } from '#openid/sign-in/device-cookies.ts';
import type { FinishedSignIn } from '#openid/sign-in/finished-sign-ins.ts';
import type { Interactions } from '#openid/sign-in/interactions.ts';
import { keptChoices } from '#openid/sign-in/kept-choices.ts';
import type { SignInOptions } from '#openid/sign-in/page-context.ts';
import { signInRouter } from '#openid/sign-in/router.ts';
import { createCodeCheck } from '#openid/sign-in/second-factor/second-factor.ts';
import { createThrottle, type Throttle } from '#openid/sign-in/throttle.ts';
import { securityHeaders } from '#server/middleware/response-headers.ts';
import { passwordProblems } from '#shared/crypto/password-rules.ts';
import { TooManyHashes } from '#shared/crypto/secret-hash.ts';
import { REQUEST_ID } from '#shared/log/log.ts';
import { type FailureLimits, memoryLimiter, signInRules } from '#shared/rate-limits.ts';
import type { SecondFactors } from '#store/accounts/factors/second-factors.ts';
import type { SignInLimiters } from '#store/accounts/failed-sign-ins.ts';
import { NO_AUDIT } from '#support/audit-trail.ts';
import { derivedTokens } from '#web/forms/csrf.ts';
import { homePage } from '#web/pages/home-page.ts';
import { createSite } from '#web/site.ts';

export const PERSON = { id: 'account-1', name: 'Dr Nadia Perrin', email: 'nadia.perrin@cabinet.example' };
export const PASSWORD = 'une phrase de passe assez longue';
/** Chosen by an operator: another one has to be chosen after it. */
export const OPERATORS_PASSWORD = 'une phrase choisie par un autre';
export const CODE = '287082';
export const RECOVERY_CODES = [
  ...['7K2Q-90TR-HJ4C-WZ1N', 'M3ND-QK8W-0ZP5-C6FV', 'X9ET-2MSY-VB7K-QH8D'],
  ...['R5CZ-WN6F-8GX2-YE4V', 'D1HP-3KZT-MQ5X-0BWJ', 'T8YS-GD4M-JR9Z-5NHV'],
  ...['B6WQ-ZX1P-T7FS-2MRG', 'N4JV-RS5B-6XKW-P0CZ'],
];
export const LIMITS = { accountFailures: 3, addressFailures: 8, failureWindow: 900 };

export interface SignInApp {
  app: Express;
  /** Requests that wait for a person, by uid; tests add and change them. */
  requests: Map<string, InteractionDetails>;
  /** What became of requests that wait no more, by uid. */
  finished: Map<string, FinishedSignIn>;
  /** How interactions ended, in order. */
  outcomes: string[];
  /** Logins whose password was tried. */
  loginsTried: string[];
  /** The lanes of the queue in which these passwords waited. */
  lanes: string[];
  /** Account and password, of those that were chosen. */
  passwordsChosen: string[];
  throttle: Throttle;
  /** Ids of accounts that have a second factor. */
  withSecondFactor: Set<string>;
  /** Every password meets a full queue. */
  busy: boolean;
  /** Where interactions send the browser in the end. */
  next: string;
}

interface SignInAppOptions {
  issuer?: string;
  branding?: Partial<Settings['branding']>;
  limits?: FailureLimits;
  /** Mails can be sent. */
  mail?: boolean;
}

/** The application; give it to supertest, or open it with `listen`. */
export function createSignInApp(options: SignInAppOptions = {}): SignInApp {
  const issuer = options.issuer ?? 'http://localhost';
  const branding = { name: 'Hygie', colour: '#0b5f6b', supportUrl: 'https://aide.example/', ...options.branding };
  const site = createSite({
    issuer,
    branding: { privacyUrl: 'https://aide.example/donnees', ...branding },
    ...(options.mail && { mode: 'development' as const }),
  });
  const app = express();
  const signInApp: SignInApp = {
    app,
    requests: new Map(),
    finished: new Map(),
    outcomes: [],
    loginsTried: [],
    lanes: [],
    passwordsChosen: [],
    throttle: createThrottle(limitersInMemory(options.limits ?? LIMITS)),
    withSecondFactor: new Set(['account-2']),
    busy: false,
    next: '/authorize/resume',
  };

  const factors = factorsOf(signInApp);
  const { throttle } = signInApp;
  app.disable('x-powered-by');
  app.use((_req, res, next) => {
    res.setHeader(REQUEST_ID, 'Zk3vQ1xTb9aL');
    next();
  });
  app.use(securityHeaders({ issuer, hsts: { maxAge: 1, includeSubDomains: false } }));
  app.use('/assets', site.assets.router);
  app.use(
    SIGN_IN_PATH,
    signInRouter({
      site,
      interactions: interactionsOf(signInApp),
      seenDevices: { note: async () => false },
      authenticate: async (login, password, { lane }) => {
        if (signInApp.busy) throw new TooManyHashes('passwords');
        signInApp.loginsTried.push(login);
        signInApp.lanes.push(lane);
        if (login.toLowerCase() !== PERSON.email) return { refused: 'no-account' };
        const accountId = PERSON.id;
        return password === PASSWORD || password === OPERATORS_PASSWORD
          ? {
              accountId,
              email: login,
              passwordHashDigest: 'of the password',
              signedInAt: Math.floor(Date.now() / 1000),
              passwordChangeRequired: password === OPERATORS_PASSWORD,
            }
          : { accountId, refused: 'password' };
      },
      stillRight: async () => true,
      arrivals: { take: async () => undefined },
      secondFactors: factors,
      checkCode: createCodeCheck({ secondFactors: factors, throttle, audit: NO_AUDIT }),
      changePassword: async ({ accountId, chosen }) => {
        const [kind] = await passwordProblems(chosen, PERSON);
        if (kind) return { problem: { kind } };
        if (chosen === OPERATORS_PASSWORD) return { problem: { kind: 'same' } };
        signInApp.passwordsChosen.push(`${accountId} ${chosen}`);
        return { notBefore: 0, passwordHashDigest: 'of the new password' };
      },
      labelInDirectory: async (_type, id) => ({
        name: `Clinique ${id}`,
        number: 'FINESS 690000013',
        queueKey: '69003 Lyon',
      }),
      log: { info: () => {}, error: () => {} },
      audit: NO_AUDIT,
      accountOf: async () => undefined,
      throttle,
      devices: createDeviceCookies({
        path: SIGN_IN_PATH,
        secure: false,
        keys: ['only for this test'],
        notBefore: async () => 0,
      }),
      kept: keptChoices(site, ['only for this test']),
      csrfTokens: derivedTokens(['only for this test']),
      session: session({
        secret: 'only for this test',
        name: 'hygie_pages',
        resave: false,
        saveUninitialized: false,
        cookie: { httpOnly: true, sameSite: 'lax', path: SIGN_IN_PATH },
      }),
    }),
  );
  const pages = createProviderPages(site);
  const client = { clientName: 'Portail patient' };
  const form = `<form id="op.logoutForm" method="post" action="/logout/confirm"><input type="hidden" name="xsrf" value="0"/></form>`;
  app.get('/', homePage(site, { docs: '/directory/docs', demo: true }));
  app.get('/logout', (req, res) => {
    const params = { post_logout_redirect_uri: 'https://portail.example/bye' };
    res.send(pages.logout({ req, res, oidc: { client, params } }, form));
  });
  app.get('/logout/alone', (req, res) => void res.send(pages.logout({ req, res }, form)));
  app.get('/logout/success', (req, res) => void res.send(pages.signedOut({ req, res })));
  app.get('/logout/nobody', (req, res) => void res.send(pages.notSignedIn({ req, res })));
  app.get('/logout/refused', (req, res) => {
    const session = req.query['session'] === undefined ? {} : { session: { action: '/logout/confirm', xsrf: '0' } };
    const description = String(req.query['description'] ?? 'id_token_hint is no JWT');
    res.status(400).send(pages.error({ req, res }, { error: 'invalid_request', description, signOut: session }));
  });
  // The answer keeps the browser where it is, so that the page can be looked at.
  app.post('/callback', (_req, res) => void res.status(204).end());
  app.get('/authorize/form', (req, res) => {
    const fields = [['code', 'a "code"'] as const];
    res.send(pages.formPost({ req, res }, { action: String(req.query['to'] ?? '/callback'), fields }));
  });
  app.get('/logout/partly', (req, res) => void res.send(pages.signedOut({ req, res, oidc: { client } })));
  app.get('/authorize/resume', (_req, res) => void res.send('<h1>The sign-in goes on</h1>'));
  app.get('/authorize', (req, res) => {
    const { error, description } = req.query as { error: string; description: string };
    res.status(400).send(pages.error({ req, res }, { error, description }));
  });
  app.get('/authorize/callback', (req, res) => {
    const difference = { parts: ['host', 'slash', 'query'] as const, registered: 3, unreadable: false };
    const error = { error: 'invalid_redirect_uri', parameter: 'redirect_uri', difference };
    res.status(400).send(pages.error({ req, res }, error));
  });
  return signInApp;
}

/** Opens the application on a free port of the loopback; `address` is its base. */
export async function listen(app: Express): Promise<{ address: string; close(): Promise<void> }> {
  const server = await new Promise<Server>((done) => {
    const opened = app.listen(0, '127.0.0.1', () => done(opened));
  });
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://localhost:${port}`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}

/** A request that waits for a person, as the provider would describe it. */
export function waitingRequest(uid: string, changes: Partial<InteractionDetails> = {}): InteractionDetails {
  return {
    uid,
    prompt: 'login',
    client: { id: 'portail-patient', name: 'Portail patient' },
    scopes: ['openid', 'email', 'profile', 'PRACTITIONER_READ', 'ORGANIZATION_READ'],
    callback: 'https://portail.example/callback',
    secondFactorRequired: false,
    passwordProved: false,
    ...changes,
  };
}

function interactionsOf(signInApp: SignInApp): Interactions {
  const end = (word: string): Interactions['resumeWithConsent'] => {
    return async (_req, res) => {
      signInApp.outcomes.push(word);
      res.writeHead(303, { location: signInApp.next }).end();
    };
  };
  return {
    finished: async (_req, _res, uid) => signInApp.finished.get(uid),
    details: async (req) => {
      const uid = /\/interaction\/([^/?]+)/.exec((req as express.Request).originalUrl)?.[1] ?? '';
      const request = signInApp.requests.get(uid);
      if (!request) throw new InteractionExpired();
      return request;
    },
    resumeWithLogin: (req, res, { accountId, methods }) =>
      end(`signed in ${accountId}${methods.includes('otp') ? ' with two factors' : ''}`)(req, res),
    resumeWithConsent: end('allowed'),
    resumeWithAccount: async (req, res, workspace) => {
      if (workspace === 'F-ended') return 'refused';
      await end(workspace === undefined ? 'same account' : `same account at ${workspace}`)(req, res);
      return undefined;
    },
    abort: end('refused'),
    switchAccount: end('other account'),
  };
}

/** The app shows `CODE`; `test/store/accounts/second-factors.test.ts` proves the real ones. */
function factorsOf(signInApp: SignInApp): SignInOptions['secondFactors'] & Pick<SecondFactors, 'take'> {
  return {
    kinds: async (id) => (signInApp.withSecondFactor.has(id) ? ['app'] : []),
    take: async (_accountId, typed) => {
      if (typed === CODE) return 'code';
      return typed === RECOVERY_CODES[0] ? 'recovery-code' : 'wrong';
    },
    propose: async () => 'a proposal',
    secretOf: async () => Buffer.from('12345678901234567890'),
    setUp: async (accountId, _proposal, typed) => {
      if (typed !== CODE) return undefined;
      signInApp.withSecondFactor.add(accountId);
      return { codes: RECOVERY_CODES, notBefore: 0 };
    },
  };
}

/** For tests that are not about the table: `throttle.test.ts` proves it on both engines. */
function limitersInMemory(limits: FailureLimits): SignInLimiters {
  const limiters = Object.entries(signInRules(limits)).map(([name, rule]) => [name, memoryLimiter(rule)]);
  return Object.fromEntries(limiters) as SignInLimiters;
}
