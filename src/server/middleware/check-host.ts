// Answers only requests that name a host of this service (SEC-42, SEC-57).
// oidc-provider builds addresses from the Host header of a request, so that a foreign host would get into the discovery document, links and
// cookies. A request with a foreign host is therefore refused, and an accepted request gets the host and scheme of the service's own
// settings.

import type { IncomingMessage, RequestListener } from 'node:http';
import { isIP } from 'node:net';
import type { Request, RequestHandler } from 'express';
import type { Settings } from '#config/settings.ts';
import { basePath, isBelow } from '#shared/base-path.ts';
import type { Logger } from '#shared/log/log.ts';
import { refusals } from './errors.ts';

/**
 * Makes the middleware that checks the host. It answers 421 (RFC 9110 section 15.5.20) to a foreign host, but not below `/health`, where
 * load balancers name an IP address. It answers 400 if the host is unclear (RFC 9112 section 3.2): two Host headers, none, an invalid one,
 * or an invalid target. If the target is in absolute form, its authority replaces the Host header (section 3.2.2). This authority must be
 * one of the service, whatever host a proxy reports. The log says once if a proxy does not pass on the address of its client.
 */
export function checkHost(settings: Pick<Settings, 'issuer' | 'directory' | 'proxies'>, log: Logger): RequestHandler {
  const { issuer, directory, proxies } = settings;
  const site = knownHostOf(issuer);
  const fhir = knownHostOf(directory.url);
  const healthPaths = new Set(['/health', `${site.base}/health`].flatMap((path) => [`${path}/live`, `${path}/ready`]));
  const explain = explanation(settings);
  const french = `Ce service n’est ouvert qu’à l’adresse ${issuer}\u00a0: tapez-la dans votre navigateur.`;
  const refuse = refusals(settings);
  let toldOfAddresses = proxies === 0;
  return (req, res, next) => {
    const { path, headers } = req;
    const unclear = unclearHost(req, site.host);
    if (unclear !== undefined) return refuse(req, res, 400, unclear);

    const origin = originInTarget(req);
    const forwarded = proxies > 0 ? lastOf(headers['x-forwarded-host']) : undefined;
    const host = (forwarded ?? (origin === undefined ? headers.host : undefined))?.toLowerCase();
    const known = isBelow(path, fhir.base) && isNamed(fhir, host, origin) ? fhir : site;
    const isHealth = origin === undefined && healthPaths.has(path);
    if (known === site && !isHealth && !isNamed(site, host, origin)) {
      const named = origin === undefined || site.origins.has(origin) ? host : origin;
      return refuse(req, res, 421, explain(named, forwarded !== undefined && named === host), french);
    }
    setTrustedHeaders(headers, known, proxies);
    if (!toldOfAddresses && !isHealth) {
      const missing = missingAddresses(headers['x-forwarded-for'], proxies);
      if (missing !== undefined) log.warn(missing);
      toldOfAddresses = missing !== undefined;
    }
    next();
  };
}

/**
 * Checks whether a request names a known host, by its `host` and by the `origin` in its target. One of the two may be missing, but not both.
 */
function isNamed({ hosts, origins }: KnownHost, host: string | undefined, origin: string | undefined): boolean {
  if (origin !== undefined && !origins.has(origin)) return false;
  return host === undefined ? origin !== undefined : hosts.has(host);
}

/** Replaces the headers from which addresses are built by those of a known host, and keeps no claim of a proxy that is not trusted. */
function setTrustedHeaders(headers: Request['headers'], known: KnownHost, proxies: number): void {
  headers.host = known.host;
  headers['x-forwarded-proto'] = known.scheme;
  delete headers['x-forwarded-host'];
  delete headers['forwarded'];
  if (proxies === 0) delete headers['x-forwarded-for'];
  else headers['x-forwarded-for'] = forwardedFor(headers['x-forwarded-for'], proxies);
}

/**
 * Passes requests for one host to a handler, and all others on to the next handler. The Host header can be trusted, because `checkHost` has
 * set it.
 */
export function atHost(host: string, handler: RequestHandler): RequestHandler {
  return (req, res, next) => (req.headers.host === host ? handler(req, res, next) : next());
}

interface KnownHost {
  host: string;
  scheme: string;
  /** Path without a slash at its end. */
  base: string;
  /** The host in the forms that clients write, with and without the default port of the scheme. */
  hosts: ReadonlySet<string>;
  origins: ReadonlySet<string>;
}

function knownHostOf(address: string): KnownHost {
  const { host, hostname, port, protocol } = new URL(address);
  const hosts = port === '' ? [host, `${hostname}:${protocol === 'https:' ? 443 : 80}`] : [host];
  return {
    host,
    scheme: protocol.slice(0, -1),
    base: basePath(address),
    hosts: new Set(hosts),
    origins: new Set(hosts.map((one) => `${protocol}//${one}`)),
  };
}

const HOST = /^(?:[\w.-]*|\[[\da-f:.]+\])(?::\d{0,5})?$/i;

/** Returns the reason why the host of a request is unclear; undefined if it is clear. */
function unclearHost(req: Request, usual: string): string | undefined {
  const { rawHeaders, headers, httpVersion } = req;
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) return 'Bad Request: send one Host header.';
  if (hosts === 0 && httpVersion !== '1.0') return 'Bad Request: send a Host header.';
  const { host = '' } = headers;
  if (host !== usual && !HOST.test(host))
    return 'Bad Request: Host must be a name or an IP address, with a port if needed.';
  if (originInTarget(req) === '')
    return 'Bad Request: send the path of an address, beginning with a slash and without a fragment (#...).';
  return undefined;
}

/** Returns the last value of a header. It is the one that the nearest proxy added. */
function lastOf(header: string | string[] | undefined): string | undefined {
  const all = (Array.isArray(header) ? header.join(',') : header)?.split(',');
  return all?.at(-1)?.trim() || undefined;
}

/** Maximum characters of a foreign host that are quoted. */
const QUOTED = 100;

function explanation({ issuer, directory, proxies }: Pick<Settings, 'issuer' | 'directory' | 'proxies'>) {
  const elsewhere = new URL(directory.url).host !== new URL(issuer).host;
  const own = elsewhere ? `${issuer}, and its directory at ${directory.url}` : issuer;
  return (named: string | undefined, forwarded: boolean): string => {
    const quoted = named?.replace(/[^\x21-\x7e]/g, '?').slice(0, QUOTED);
    return [
      `This service answers at ${own} only. ${quoted ? `The request is for ${quoted}` : 'The request names no host'}${
        forwarded ? ', as X-Forwarded-Host says.' : '.'
      }`,
      'Use that address, or set HYGIE_ISSUER to the one in use. A reverse proxy has to pass on the host that people use: as Host,',
      `or as X-Forwarded-Host, which counts if \`proxies\` in service.yaml is the number of proxies (now ${proxies}).`,
    ].join('\n');
  };
}

/**
 * Returns the last `proxies` addresses of X-Forwarded-For. Earlier entries are left out, because they come from the client. Limits,
 * throttles and the audit trail use the addresses. Ports are removed: some proxies write `192.0.2.1:5678` or `[2001:db8::1]:443`, and each
 * port would count as a separate address.
 */
function forwardedFor(header: string | string[] | undefined, proxies: number): string {
  const all = [header ?? ''].flat().join(',').split(',');
  const addresses = all.map((one) => one.trim()).filter(Boolean);
  return addresses.slice(-proxies).map(withoutPort).join(', ');
}

/**
 * Returns what is wrong if X-Forwarded-For has fewer addresses than there are proxies. Without any, all people have the address of the proxy
 * and share its limits; with too few, clients can put an address of their choice in front.
 */
function missingAddresses(header: string | string[] | undefined, proxies: number): string | undefined {
  const count = String(header ?? '')
    .split(', ')
    .filter(Boolean).length;
  if (count >= proxies) return undefined;
  return (
    `X-Forwarded-For of a request has ${count} of the ${proxies} addresses that proxies in service.yaml promises, so limits and audit trail ` +
    'have wrong addresses of clients. Let each proxy add the address of its client, or set proxies to the number of proxies that do.'
  );
}

function withoutPort(text: string): string {
  const [, bracketed, plain] = /^"?(?:\[([^\]]+)\]|([^:"]+))(?::\d*)?"?$/.exec(text) ?? [];
  const address = bracketed ?? plain;
  return address !== undefined && isIP(address) !== 0 ? address : text;
}

const ABSOLUTE = /^([a-z][a-z\d+.-]*:\/\/[^/?#]*)(.*)$/i;

const origins = new WeakMap<IncomingMessage, string>();

/**
 * Replaces the target of each request by its path (RFC 9112 section 3.2), so that everything after it sees only a path. This is no
 * middleware, because Express needs the path before any middleware runs: it answers by itself if it cannot parse a target in absolute form.
 */
export function withPathOnly(app: RequestListener): RequestListener {
  return (req, res) => {
    const { url = '' } = req;
    // A valid target has no fragment. A target with a fragment must not reach Express, because Express gives such a target to another
    // parser (`url.parse`). That parser takes `//user@host` at the beginning of a target for an authority, and not for a path.
    if (url.includes('#')) {
      origins.set(req, '');
      req.url = '/';
    } else if (!url.startsWith('/')) {
      const [, origin = '', rest = ''] = ABSOLUTE.exec(url) ?? [];
      origins.set(req, origin.toLowerCase());
      req.url = rest.startsWith('/') ? rest : `/${rest}`;
    }
    app(req, res);
  };
}

/**
 * Returns the scheme and authority of a request's target, in lower case, if the target was in absolute form. Returns undefined if it was
 * only a path, as usual. Returns an empty text if it had an unsupported form (`*`, `host:port`, a fragment).
 */
function originInTarget(req: IncomingMessage): string | undefined {
  return origins.get(req);
}
