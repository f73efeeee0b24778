// Owns the site map: everything that answers, in order, on one screen. The directory comes first, then the OpenID endpoints,
// both before Express: they get most requests. The OpenID provider also comes last, because it answers whatever is left.
// Does not own any of the rooms, nor starting and stopping (`src/cli/`).

import type { IncomingMessage, RequestListener } from 'node:http';
import express, { type Request, type RequestHandler } from 'express';
import type { Store } from 'express-session';
import type { Provider } from 'oidc-provider';
import { accountRouter } from '../account/router.ts';
import { ACCOUNT_PATH } from '../config/own-client.ts';
import type { Rate, Settings } from '../config/settings.ts';
import { type DemoOptions, demoPaths, demoRouter } from '../demo/router.ts';
import { createDescriptions } from '../directory/metadata/descriptions.ts';
import type { RateRules } from '../directory/middleware/rate-limit.ts';
import { REFERENCE, referenceRouter } from '../directory/reference/router.ts';
import { createRecordNames } from '../directory/resources/display-names.ts';
import { directoryRouter } from '../directory/router.ts';
import { authorizationServer } from '../oidc/authorization-server-metadata.ts';
import { DEFAULT_PICTURE } from '../oidc/claims.ts';
import type { ClientRegistry } from '../oidc/clients/client-registry.ts';
import { type ClientThrottle, createClientThrottle } from '../oidc/clients/secret-throttle.ts';
import { discoveryAlias } from '../oidc/discovery-alias.ts';
import { createAccountSignIn } from '../oidc/interactions/account-sign-in.ts';
import { createAllowedApplications } from '../oidc/interactions/allowed-applications.ts';
import { createInteractions } from '../oidc/interactions/interactions.ts';
import type { KeyRing } from '../oidc/keys/key-ring.ts';
import type { ProviderKeys } from '../oidc/keys/service-keys.ts';
import { type LogoutToken, logoutToken } from '../oidc/logout/logout-token.ts';
import { createProvider } from '../oidc/provider.ts';
import { ROUTES } from '../oidc/routes.ts';
import { createPresentation } from '../oidc/tokens/dpop-bound-tokens.ts';
import { createIntrospection } from '../oidc/tokens/introspection.ts';
import type { AuditTrail } from '../shared/audit/events.ts';
import { type Logger, REQUEST_ID } from '../shared/log/log.ts';
import { VERSION } from '../shared/version.ts';
import { createAuthenticate, createStillRight } from '../signin/authenticate.ts';
import { type CheckCode, createCodeCheck } from '../signin/code-check.ts';
import { renderHomePage } from '../signin/home-page.ts';
import { InteractionExpired } from '../signin/interactions.ts';
import { createProviderPages } from '../signin/provider-pages.ts';
import { SIGN_IN_PATH, signInRouter } from '../signin/router.ts';
import { createThrottle } from '../signin/throttle.ts';
import type { Accounts } from '../store/accounts/accounts.ts';
import type { SecondFactors } from '../store/accounts/second-factors.ts';
import type { SignInFailures } from '../store/accounts/sign-in-failures.ts';
import type { Consents } from '../store/oidc/consents.ts';
import type { EndedSession } from '../store/oidc/logout-deliveries.ts';
import type { OidcRecords } from '../store/oidc/oidc-records.ts';
import type { CurrentSnapshot } from '../store/snapshots/current-snapshot.ts';
import { keepLanguage, languageLink, languageOf } from '../web/language.ts';
import { pageHeaders } from '../web/page-headers.ts';
import { pageSessions } from '../web/page-session.ts';
import { createSite, type Site } from '../web/site.ts';
import { hostOf, onlyIssuerHost, takeIssuerHost } from './check-host.ts';
import { addressOf } from './client-address.ts';
import { healthRouter } from './health.ts';
import { below } from './path-below.ts';
import { requestLog } from './request-log.ts';
import { securityHeaders, securityHeadersOf } from './security-headers.ts';

export interface AppOptions {
  settings: Settings;
  log: Logger;
  clients: ClientRegistry;
  keys: Pick<KeyRing, 'current' | 'onChange'>;
  records: OidcRecords;
  accounts: Accounts;
  consents: Consents;
  secondFactors: SecondFactors;
  failures: SignInFailures;
  pageSessions: Store;
  audit: AuditTrail;
  /** Takes the end of a session at a client, of which that client is told later. */
  loggedOut(ended: EndedSession): Promise<void>;
  snapshots: CurrentSnapshot;
  /** What readiness depends on. */
  checks: Record<string, () => Promise<void>>;
  /** Present in a demonstration only. */
  demo?: Omit<DemoOptions, 'issuer'>;
}

export interface App {
  answer: RequestListener;
  /** What tells a client of the end of a session, signed with the keys in force; undefined when it no longer wants it. */
  logoutToken(ended: EndedSession): Promise<LogoutToken | undefined>;
}

/** The whole application. Everything it needs is open already; it starts nothing that would have to be stopped. */
export function createApp(options: AppOptions): App {
  const { settings, log } = options;
  const site = createSite(settings);
  const throttle = createClientThrottle(settings.limits);
  let side = openIdSide(options, site, throttle, options.keys.current());
  options.keys.onChange((keys) => {
    side = openIdSide(options, site, throttle, keys);
  });

  const app = express().disable('x-powered-by').disable('etag').set('trust proxy', settings.proxies);
  const logged = requestLog(log);
  app.use('/health', healthRouter(options.checks));
  app.use(
    (req, res, next) =>
      logged(req, res, (id) => {
        res.setHeader(REQUEST_ID, id);
        next();
      }),
    onlyIssuerHost(settings),
    securityHeaders(settings),
  );

  const at = (path: string) => `${site.base}${path}`;
  app.use(at('/assets'), site.assets.router);
  app.get(at(DEFAULT_PICTURE), (_req, res) => res.redirect(at(site.assets.path('person.svg'))));
  app.use(at(SIGN_IN_PATH), (req, res, next) => side.pages(req, res, next));
  app.use(at(ACCOUNT_PATH), (req, res, next) => side.account(req, res, next));
  if (options.demo) app.use(at(demoPaths.base), demoRouter({ ...options.demo, issuer: settings.issuer }));
  app.get(at('/'), home(settings, site));
  app.use(site.base || '/', reference(options, site));
  app.use(discoveryAlias(site.base));
  app.use(site.base || '/', (req, res) => side.answer(req, res));

  const { host, pathname } = new URL(settings.directory.url);
  const directory = directoryOf(options);
  const isEndpoint = endpointsOf(settings);
  const headers = new Map(Object.entries(securityHeadersOf(settings)));
  const endpoint: RequestListener = (req, res) =>
    logged(req, res, (id) => {
      res.setHeader(REQUEST_ID, id);
      res.setHeaders(headers);
      side.answer(req, res);
    });
  const answer: RequestListener = (req, res) => {
    const url = below(pathname, req.url ?? '');
    // A foreign Host is refused by the others.
    if (url === undefined || hostOf(req.headers, settings.proxies) !== host) {
      return isEndpoint(req) ? endpoint(req, res) : app(req, res);
    }
    logged(req, res, () => {
      req.url = url;
      directory(req, res);
    });
  };
  return { answer, logoutToken: (ended) => logoutToken(side.provider, ended) };
}

/** All that is built from the keys, and anew when they change: on the same records, so that no sign-in notices. */
function openIdSide(options: AppOptions, site: Site, throttle: ClientThrottle, keys: ProviderKeys) {
  const place = { addressOf: (req: IncomingMessage) => addressOf(req, options.settings.proxies) };
  const provider = createProvider({ ...options, ...place, keys, throttle, pages: createProviderPages(site) });
  const interactions = createInteractions({ ...options, ...place, provider, expired: () => new InteractionExpired() });
  const session = pageSessions(site, options.pageSessions, keys.cookies, options.settings.lifetimes.interaction);
  return {
    provider,
    pages: signInPages(options, site, interactions, session('hygie_page', SIGN_IN_PATH)),
    account: accountPages(options, site, provider, session('hygie_account', ACCOUNT_PATH)),
    answer: provider.callback(),
  };
}

/**
 * Whether a request goes to an OpenID endpoint at the issuer's host, which it then carries. Below a path, Express has to tell
 * the provider where it is mounted.
 */
function endpointsOf(settings: Settings): (req: IncomingMessage) => boolean {
  const paths: ReadonlySet<string> = new Set(new URL(settings.issuer).pathname === '/' ? Object.values(ROUTES) : []);
  const take = takeIssuerHost(settings);
  return ({ url = '', headers }) => {
    const end = url.indexOf('?');
    return paths.has(end < 0 ? url : url.slice(0, end)) && take(headers);
  };
}

function directoryOf({ settings, records, clients, snapshots, log }: AppOptions): RequestListener {
  const { branding } = settings;
  return directoryRouter({
    baseUrl: settings.directory.url,
    namespace: settings.namespace,
    authorizationServer: authorizationServer(settings.issuer),
    introspect: createPresentation(createIntrospection(records, clients), records, settings.directory.url),
    snapshots,
    rates: ratesOf(settings, clients),
    exports: { downloads: settings.directory.downloads },
    headers: securityHeadersOf(settings),
    version: VERSION,
    publication: {
      publisher: branding.name,
      ...(branding.supportUrl !== undefined && { supportUrl: branding.supportUrl }),
      docs: settings.issuer + REFERENCE.docs,
    },
    log,
  });
}

/** The description of the directory, for people and for programs, beside its FHIR base. */
function reference({ settings, snapshots, log }: AppOptions, site: Site): RequestHandler {
  const { issuer, demo, namespace } = settings;
  const base = settings.directory.url;
  const server = authorizationServer(issuer);
  const docs = issuer + REFERENCE.docs;
  const own = { base, namespace, fictional: demo };
  const describe = createDescriptions({ ...own, snapshots, docs, version: VERSION, authorizationServer: server, log });
  return referenceRouter({
    site,
    directory: async () => ({
      ...(await describe()).directory,
      base,
      namespace,
      authorizationUrl: server.authorization_endpoint,
      tokenUrl: server.token_endpoint,
    }),
    openapi: async () => (await describe()).openapi,
    freshness: async () => {
      const snapshot = snapshots.current();
      if (!snapshot) return undefined;
      const created = snapshots.createdAt(snapshot.id);
      return { counts: await snapshot.counts(), ...(created !== undefined && { created }) };
    },
    ...(demo && { demo: `${site.base}${demoPaths.base}` }),
  });
}

/** Connections are spread over the worker processes, each of which counts for itself: each has its share. */
function ratesOf({ directory, processes, proxies }: Settings, clients: ClientRegistry): RateRules {
  const share = ({ perSecond, burst }: Rate): Rate => ({
    perSecond: perSecond / processes,
    burst: Math.max(1, burst / processes),
  });
  const byDefault = share(directory.rate);
  return {
    ofClient: (id) => {
      const own = clients.find(id)?.rate;
      return own ? share(own) : byDefault;
    },
    addressOf: (req) => addressOf(req, proxies),
  };
}

function signInPages(
  options: AppOptions,
  site: Site,
  interactions: ReturnType<typeof createInteractions>,
  session: RequestHandler,
): RequestHandler {
  const { settings, accounts, failures, secondFactors, audit, log } = options;
  return signInRouter({
    site,
    interactions,
    authenticate: createAuthenticate(accounts),
    stillRight: createStillRight(accounts),
    secondFactors,
    checkCode: codeCheck(options),
    throttle: createThrottle(failures, settings.limits),
    session,
    requestId,
    log,
    audit,
    accountOf: async (login) => (await accounts.findByEmail(login))?.account.id,
  });
}

function accountPages(options: AppOptions, site: Site, provider: Provider, session: RequestHandler): RequestHandler {
  const { settings, secondFactors, snapshots, audit, log } = options;
  return accountRouter({
    site,
    signIn: createAccountSignIn({ ...options, provider }),
    applications: createAllowedApplications(options),
    secondFactors,
    secondFactorRequired: settings.secondFactor === 'required',
    checkCode: codeCheck(options),
    nameInDirectory: createRecordNames(snapshots),
    session,
    requestId,
    log,
    audit,
  });
}

function codeCheck({ settings, failures, secondFactors, audit }: AppOptions): CheckCode {
  return createCodeCheck({ secondFactors, throttle: createThrottle(failures, settings.limits), audit });
}

function requestId({ res }: Request): string {
  return String(res?.getHeader(REQUEST_ID) ?? '');
}

function home({ demo }: Settings, site: Site): RequestHandler {
  return (req, res) => {
    pageHeaders(res);
    keepLanguage(req, res, site);
    const page = renderHomePage({
      site,
      language: languageOf(req),
      languageLink: (language) => languageLink(req, language),
      docs: site.base + REFERENCE.docs,
      demo,
    });
    res.type('html').send(page);
  };
}
