// The headers of a page: a content security policy of its own, and `no-store` unless the page is the same for everybody.

import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { type PageScript, scriptHashes } from '#web/assets.ts';

interface PageNeeds {
  /**
   * Addresses to which a posted form may redirect. Chromium applies form-action to the whole chain of redirects after a form, so a client's
   * callback must be listed here. The policy then allows the origin of the address, or the scheme of an app's address.
   */
  formsLeadTo?: readonly string[];
  /** The scripts of the page (`Page.scripts`). No other script runs. */
  scripts?: readonly PageScript[];
  /**
   * Address below which the script modules of the page are. Trusted Types prevent these modules from putting anything but text into the
   * page.
   */
  modulesBelow?: string;
  /** Addresses that the scripts of the page may request. An address that ends with a slash includes all addresses below it. */
  connectsTo?: readonly string[];
}

/**
 * Sets the headers of a page: `no-store`, and a content security policy with what the page needs. `res` may be the response of Express or
 * of Koa (`ctx.res`).
 */
export function pageHeaders(res: ServerResponse, needs: PageNeeds = {}): void {
  res.setHeader('cache-control', 'no-store');
  res.setHeader('content-security-policy', contentSecurityPolicy(needs));
}

/** Seconds for which a cached copy of a public page may be shown. */
const PUBLIC_FOR = 300;

/**
 * Lets caches keep a page that differs only by its language. Call it after all other headers are set: it does nothing if the response sets
 * a cookie, because such a response is for one browser only.
 */
export function keepPublicPage(res: ServerResponse): void {
  if (res.hasHeader('set-cookie')) return;
  res.setHeader('cache-control', `public, max-age=${PUBLIC_FOR}`);
  // Caches keep a copy for each value of these headers, because the language depends on both: an earlier choice of the language is in a
  // cookie.
  res.appendHeader('vary', 'Accept-Language, Cookie');
}

/** Middleware that does the same as `pageHeaders`, for pages without further needs. */
export const setPageHeaders: RequestHandler = (_req, res, next) => {
  pageHeaders(res);
  next();
};

/**
 * Makes the policy of a page. It allows nothing from other sites, no script, no frame and no inline style, except what the page needs
 * (SEC-30, SEC-31).
 */
export function contentSecurityPolicy({
  formsLeadTo = [],
  scripts = [],
  modulesBelow,
  connectsTo = [],
}: PageNeeds): string {
  const forms = new Set(formsLeadTo.map(formTarget).filter((target) => target !== undefined));
  const sources = [...scriptHashes(scripts), ...(modulesBelow === undefined ? [] : [sourceOf(modulesBelow)])];
  return [
    "default-src 'none'",
    `script-src ${sources.length === 0 ? "'none'" : sources.join(' ')}`,
    ...(connectsTo.length > 0 ? [`connect-src ${connectsTo.map(sourceOf).join(' ')}`] : []),
    ...(modulesBelow === undefined ? [] : ["require-trusted-types-for 'script'"]),
    "style-src 'self'",
    "img-src 'self'",
    "manifest-src 'self'",
    `form-action ${["'self'", ...forms].join(' ')}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/**
 * Returns an address of the service as a source for the policy. The policy's grammar has no IPv6 addresses. In place of such an address,
 * `'self'` is returned, which allows every address of the page's own origin.
 */
function sourceOf(address: string): string {
  return new URL(address).hostname.startsWith('[') ? "'self'" : address.replaceAll(/[;,]/g, encodeURIComponent);
}

/**
 * Returns the origin of a web address, or the scheme of an app's address. Returns undefined for an invalid address, and for schemes that
 * run code or open a local file.
 */
function formTarget(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url || ['javascript:', 'data:', 'blob:', 'file:'].includes(url.protocol)) return undefined;
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return url.protocol;
  // The policy's grammar has no IPv6 addresses, so the scheme is returned in place of such an address.
  return url.hostname.startsWith('[') ? url.protocol : url.origin;
}
