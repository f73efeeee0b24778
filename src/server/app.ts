// The site map: one Express application, and everything that it answers, in order.

import express, { type Express } from 'express';
import { ACCOUNT_PATH } from '../config/own-client.ts';
import { demoPaths, demoRouter } from '../demo/router.ts';
import { REFERENCE } from '../directory/reference/router.ts';
import { DEFAULT_PICTURE } from '../oidc/claims.ts';
import { discoveryAlias } from '../oidc/discovery-alias.ts';
import { SIGN_IN_PATH } from '../signin/router.ts';
import { homePage } from '../web/home-page.ts';
import { createSite } from '../web/site.ts';
import type { AppOptions } from './app-options.ts';
import { healthRouter } from './health.ts';
import { atHost, checkHost } from './middleware/check-host.ts';
import { errorHandler, notFound } from './middleware/errors.ts';
import { requestLog } from './middleware/request-log.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { directory, reference } from './wire-directory.ts';
import { type OpenId, openId } from './wire-openid.ts';

export interface App extends Pick<OpenId, 'logoutToken'> {
  app: Express;
}

/** The whole application. It starts nothing that would have to be stopped. */
export function createApp(options: AppOptions): App {
  const { settings, log, checks, demo } = options;
  const { issuer } = settings;
  const site = createSite(settings);
  const { signIn, account, provider, logoutToken } = openId(options, site);
  const fhir = new URL(settings.directory.url);
  /** The issuer may have a path: everything but the health stands below it. */
  const at = (path: string) => `${site.base}${path}`;

  const app = express().disable('x-powered-by').disable('etag').set('trust proxy', settings.proxies);
  app.use(requestLog(log), securityHeaders(settings), checkHost(settings));

  const routes = express.Router({ caseSensitive: true });
  routes.use(['/health', at('/health')], healthRouter(checks));
  routes.use(at('/assets'), site.assets.router);
  routes.get(at(DEFAULT_PICTURE), (_req, res) => res.redirect(at(site.assets.path('person.svg'))));
  routes.use(at(SIGN_IN_PATH), signIn);
  routes.use(at(ACCOUNT_PATH), account);
  if (demo) routes.use(at(demoPaths.base), demoRouter({ ...demo, issuer }));
  routes.use(fhir.pathname, atHost(fhir.host, directory(options)));
  routes.use(at('/'), reference(options, site));
  routes.get(at('/'), homePage(site, { docs: at(REFERENCE.docs), demo: settings.demo }));
  routes.use(discoveryAlias(site.base));
  routes.use(at('/'), provider);
  app.use(routes, notFound(site), errorHandler(site, log));
  return { app, logoutToken };
}
