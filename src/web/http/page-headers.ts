// The headers of a page: its own content security policy, and `no-store` unless the page is the same for everybody.

import type { ServerResponse } from 'node:http';
import type { RequestHandler } from 'express';
import { type PageScript, scriptHashes } from '#web/assets.ts';

interface PageNeeds {
  /**
   * Addresses to which a posted form may redirect. Chromium applies form-action to the whole chain of redirects after a form, so a client's
   * callback must be listed here. The policy allows its origin, or its scheme for an app.
   */
  formsLeadTo?: readonly string[];
  /** The scripts of the page (`Page.scripts`). No other script runs. */
  scripts?: readonly PageScript[];
  /** Address below which the page's script modules are. They may put only text into the page (Trusted Types). */
  modulesBelow?: string;
  /** Addresses that the scripts may request. One that ends with a slash includes all addresses below it. */
  connectsTo?: readonly string[];
}

/** Sets the headers of a page: `no-store`, and its own content security policy. `res` may be that of Express or of Koa (`ctx.res`). */
export function pageHeaders(res: ServerResponse, needs: PageNeeds = {}): void {
  res.setHeader('cache-control', 'no-store');
  res.setHeader('content-security-policy', contentSecurityPolicy(needs));
}

/** Seconds for which a cached copy of a public page may be shown. */
const PUBLIC_FOR = 300;

/**
 * Lets caches keep a page that differs only by its language. Call it after all other headers are set, because a response that sets a cookie
 * is for one browser only.
 */
export function keepPublicPage(res: ServerResponse): void {
  if (res.hasHeader('set-cookie')) return;
  res.setHeader('cache-control', `public, max-age=${PUBLIC_FOR}`);
  // An earlier choice of the language is in a cookie.
  res.appendHeader('vary', 'Accept-Language, Cookie');
}

/** `pageHeaders` as middleware, for pages without further needs. */
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

/** An address as a source of the policy. The policy's grammar has no IPv6 addresses, so `'self'` replaces them. */
function sourceOf(address: string): string {
  return new URL(address).hostname.startsWith('[') ? "'self'" : address.replaceAll(/[;,]/g, encodeURIComponent);
}

/** Origin of a web address, or scheme of an app's address. Undefined for an invalid address and for schemes that run code. */
function formTarget(address: string): string | undefined {
  const url = URL.parse(address);
  if (!url || ['javascript:', 'data:', 'blob:', 'file:'].includes(url.protocol)) return undefined;
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return url.protocol;
  // The policy's grammar has no IPv6 addresses, so the scheme replaces them.
  return url.hostname.startsWith('[') ? url.protocol : url.origin;
}
