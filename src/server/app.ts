// The site map: one Express application, and everything that it answers, in order.

import type { RequestListener } from 'node:http';
import express from 'express';
import { ACCOUNT_PATH, LINK_PATH } from '#config/own-client.ts';
import { demoPaths, demoRouter } from '#demo/router.ts';
import { REFERENCE } from '#directory/reference/router.ts';
import { outboxRouter } from '#openid/mail/outbox-page.ts';
import { discoveryAlias } from '#openid/provider/discovery/discovery-alias.ts';
import { routeOfPath } from '#openid/routes.ts';
import { SIGN_IN_PATH } from '#openid/sign-in/router.ts';
import { PICTURE_PATH } from '#store/accounts/pictures.ts';
import { homePage } from '#web/pages/home-page.ts';
import { sandboxPage } from '#web/pages/sandbox-page.ts';
import { createSite, OUTBOX_PATH, SANDBOX_PATH } from '#web/site.ts';
import { siteFiles } from '#web/site-files.ts';
import type { AppOptions } from './app-options.ts';
import { healthRouter } from './health.ts';
import { measureRequests } from './metrics/http-requests.ts';
import { METRICS_PATH, showMetrics } from './metrics/metrics-server.ts';
import { atHost, checkHost } from './middleware/check-host.ts';
import { compressPages } from './middleware/compress-pages.ts';
import { cookieLifetime } from './middleware/cookie-lifetime.ts';
import { errorHandler, notFound } from './middleware/errors.ts';
import { fewParameters } from './middleware/few-parameters.ts';
import { withoutLongPreferences } from './middleware/long-preferences.ts';
import { sendPicture } from './middleware/picture.ts';
import { requestLog } from './middleware/request-log.ts';
import { withPathOnly } from './middleware/request-target.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { traceRequests } from './tracing/trace-requests.ts';
import { directory, reference } from './wire-directory.ts';
import { type OpenId, openId } from './wire-openid.ts';

export interface App extends Pick<OpenId, 'logoutToken'> {
  app: RequestListener;
}

/** The whole application. It starts nothing that would have to be stopped. */
export function createApp(options: AppOptions): App {
  const { settings, log, checks, lifeCycle, demo, metrics, tracing } = options;
  const { issuer } = settings;
  const site = createSite(settings, demo?.accounts);
  const { signIn, account, links, provider, logoutToken } = openId(options, site);
  const fhir = new URL(settings.directory.url);
  /** The issuer may have a path: everything but the health stands below it. */
  const at = (path: string) => `${site.base}${path}`;

  const app = express().disable('x-powered-by').disable('etag').set('trust proxy', settings.proxies);
  app.enable('case sensitive routing');
  app.use(
    measureRequests(metrics?.metrics, settings),
    requestLog(log, settings),
    securityHeaders(settings),
    cookieLifetime,
    checkHost(settings),
    fewParameters(settings),
    withoutLongPreferences,
  );

  app.use(['/health', at('/health')], healthRouter({ checks, lifeCycle, readiness: settings.readiness }));
  // On a port of their own where there is one (`metrics/metrics-server.ts`).
  const { port, token } = settings.metrics;
  if (metrics && port === undefined) app.get(at(METRICS_PATH), showMetrics({ ...metrics, token, log }));
  app.use(compressPages(settings));
  app.use(siteFiles({ colour: settings.branding.colour, publicPaths: [at('/'), at(REFERENCE.docs)] }));
  app.use(at('/assets'), site.assets.router);
  if (tracing) app.use(traceRequests(tracing, (path) => routeOfPath(path, site.base)));
  app.get(at(`${PICTURE_PATH}/:file`), sendPicture(options.pictures, options.accounts));
  app.use(at(SIGN_IN_PATH), signIn);
  app.use(at(ACCOUNT_PATH), account);
  app.use(at(LINK_PATH), links);
  // W3C, "A Well-Known URL for Changing Passwords": below the origin, wherever the issuer is.
  app.get('/.well-known/change-password', (_req, res) => res.redirect(303, at(`${ACCOUNT_PATH}/password`)));
  if (demo)
    app.use(
      at(demoPaths.base),
      demoRouter({ ...demo, issuer, failed: (err) => log.error({ err }, 'the demo failed') }),
    );
  app.use(fhir.pathname, atHost(fhir.host, directory(options)));
  app.use(at('/'), reference(options, site));
  if (options.mails.outbox) app.use(at(OUTBOX_PATH), outboxRouter(site, options.mails.outbox));
  app.get(at('/'), homePage(site, { docs: at(REFERENCE.docs), demo: settings.demo }));
  if (settings.sandbox) app.get(at(SANDBOX_PATH), sandboxPage(site));
  app.use(discoveryAlias(site.base));
  app.use(at('/'), provider);
  app.use(notFound(site, settings), errorHandler(site, settings, log));
  return { app: withPathOnly(app), logoutToken };
}
