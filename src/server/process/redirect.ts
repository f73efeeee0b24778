// The second port (`listen.redirectPort`): redirects http to https, and does nothing else.

import express, { type Express } from 'express';
import type { Settings } from '#config/settings.ts';
import { type SecuritySettings, securityHeaders } from '#server/middleware/security-headers.ts';

type RedirectSettings = SecuritySettings & Pick<Settings, 'directory'>;

/**
 * Returns settings that make the headers of answers without TLS. HSTS is not among these headers, because RFC 6797 section 7.2 forbids it
 * there.
 */
export function withoutTls<Some extends SecuritySettings>(settings: Some): Some {
  return { ...settings, issuer: settings.issuer.replace(/^https:/, 'http:') };
}

/**
 * Redirects GET and HEAD to the same path by https. The target is the directory's host if the Host header names it, otherwise the issuer
 * (SEC-57). Refuses other methods and requests with credentials: they should never be sent in the clear, and the refusal gets their sender
 * corrected.
 */
export function redirectToHttps(settings: RedirectSettings): Express {
  const issuer = new URL(settings.issuer);
  const directory = new URL(settings.directory.url);
  const app = express().disable('x-powered-by').disable('etag');
  app.use(securityHeaders(withoutTls(settings)));
  app.use((req, res) => {
    res.set('Cache-Control', 'no-store').type('text/plain');
    if (!['GET', 'HEAD'].includes(req.method)) {
      return void res.status(405).set('Allow', 'GET, HEAD').send(`Use https: ${issuer.origin}\n`);
    }
    if (req.headers.authorization !== undefined) {
      return void res.status(403).send(`Credentials were sent without https: replace them, and use ${issuer.origin}\n`);
    }
    const { origin } = req.headers.host?.split(':')[0] === directory.hostname ? directory : issuer;
    res.redirect(308, origin + req.originalUrl);
  });
  return app;
}
