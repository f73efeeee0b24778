// The site map: the Express application, with all its routes in the order in which they are tried.

import express from 'express';
import { ACCOUNT_PATH, LINK_PATH } from '#config/built-in-clients.ts';
import { demoPaths } from '#demo/paths.ts';
import { outboxRouter } from '#openid/mail/development-outbox.ts';
import { discoveryAlias } from '#openid/provider/discovery.ts';
import { isForPrograms, SIGN_IN_PATH } from '#openid/routes.ts';
import { siteFiles } from '#web/assets.ts';
import { homePage, sandboxPage } from '#web/pages/home-page.ts';
import { createSite, OUTBOX_PATH, SANDBOX_PATH } from '#web/site.ts';
import type { AppOptions } from './app-options.ts';
import { healthRouter } from './health.ts';
import { measureRequests } from './metrics/http-requests.ts';
import { METRICS_PATH, showMetrics } from './metrics/metrics-server.ts';
import { atHost, checkHost, withPathOnly } from './middleware/check-host.ts';
import { compressPages } from './middleware/compress-pages.ts';
import { errorHandler, notFound } from './middleware/errors.ts';
import { fewParameters, withoutLongPreferences } from './middleware/parsing-limits.ts';
import { PICTURE, sendPicture } from './middleware/picture.ts';
import { requestLog } from './middleware/request-log.ts';
import { cookieLifetime, securityHeaders } from './middleware/response-headers.ts';
import { withExpressPrototypes } from './process/http-server.ts';
import { traceRequests } from './tracing/trace-requests.ts';
import { DOCS_PATH, directory, openId, reference } from './wire-halves.ts';

/** Builds the whole application. It starts nothing that would have to be stopped. */
export function createApp(options: AppOptions) {
  const { settings, log, stores, outgoing, health, fictional } = options;
  const { metrics, tracing } = options.observability;
  const { demo } = fictional;
  const { issuer } = settings;
  const site = createSite(settings, demo?.accounts);
  const { signIn, account, links, provider, logoutToken } = openId(options, site);
  const fhir = new URL(settings.directory.url);
  /** Puts a path below the path of the issuer, if the issuer has one. */
  const at = (path: string) => `${site.base}${path}`;

  const app = express().disable('x-powered-by').disable('etag').set('trust proxy', settings.proxies);
  app.enable('case sensitive routing');
  app.use(
    requestLog(log, settings, metrics && measureRequests(metrics.metrics, settings)),
    securityHeaders(settings),
    checkHost(settings, log),
    fewParameters(settings),
    withoutLongPreferences,
  );

  app.use(['/health', at('/health')], healthRouter({ ...health, readiness: settings.readiness }));
  // If the metrics have a port of their own, `metrics/metrics-server.ts` answers there instead.
  const { port, token } = settings.metrics;
  if (metrics && port === undefined) app.get(at(METRICS_PATH), showMetrics({ ...metrics, token, log }));
  // The directory compresses its own answers, so `compressPages` leaves it out.
  app.use(compressPages(settings));
  app.use(siteFiles({ colour: settings.branding.colour, publicPaths: [at('/'), at(DOCS_PATH)] }));
  app.use(at('/assets'), site.assets.router);
  // Requests that are answered above this line have no spans: health, metrics and files.
  if (tracing) app.use(traceRequests(tracing, site.base));

  // The routes for programs come first, so that they skip the middleware below, which only pages need.
  app.use(fhir.pathname, atHost(fhir.host, directory(options)));
  // W3C, "A Well-Known URL for Changing Passwords". The URL is at the root of the origin, even if the issuer has a path.
  app.get('/.well-known/change-password', (_req, res) => res.redirect(303, at(`${ACCOUNT_PATH}/password`)));
  app.use(discoveryAlias(site.base));
  app.use(at('/'), (req, res, next) => (isForPrograms(req.path) ? provider(req, res, next) : next()));

  app.use(cookieLifetime);
  app.get(at(PICTURE), sendPicture(stores));
  app.use(at(SIGN_IN_PATH), signIn);
  app.use(at(ACCOUNT_PATH), account);
  app.use(at(LINK_PATH), links);
  if (demo)
    app.use(
      at(demoPaths.base),
      demo.router({ ...demo, issuer, failed: (err) => log.error({ err }, 'the demo failed') }),
    );
  app.use(at('/'), reference(options, site));
  if (outgoing.mails.outbox) app.use(at(OUTBOX_PATH), outboxRouter(site, outgoing.mails.outbox));
  const ways = { docs: at(DOCS_PATH), demo: settings.demo };
  app.get(at('/'), homePage(site, ways));
  if (settings.sandbox) app.get(at(SANDBOX_PATH), sandboxPage(site, ways));
  // Here the provider answers at its other addresses, which show pages: /authorize and /logout.
  app.use(at('/'), provider);
  app.use(notFound(site, settings), errorHandler(site, settings, log));
  return { app: withExpressPrototypes(withPathOnly(app), app), logoutToken };
}
