// Counts requests and their times by purpose; `middleware/request-log.ts` measures the times. Requests to the directory are also counted by
// their operation. No metric holds an address.

import { ACCOUNT_PATH, LINK_PATH, TRY_PATH } from '#config/built-in-clients.ts';
import type { Settings } from '#config/settings.ts';
import { demoPaths } from '#demo/paths.ts';
import { REFERENCE } from '#directory/reference/router.ts';
import { ROUTES, SIGN_IN_PATH } from '#openid/routes.ts';
import { CLIENT_CLOSED, type CompletedRequest } from '#server/middleware/request-log.ts';
import { basePath, isBelow } from '#shared/base-path.ts';
import type { Metrics } from './registry.ts';

type Places = Pick<Settings, 'issuer' | 'directory'>;

/** Number of requests that are counted together. Counting each by itself would take more than twice the processor time. */
const TOGETHER = 256;

/**
 * Makes a function that counts requests, and adds their times to histograms. It keeps up to 255 requests until it is called again or the
 * metrics are read.
 */
export function measureRequests(metrics: Metrics, settings: Places): (request: CompletedRequest) => void {
  const routeOf = requestClasses(settings);
  const fhir = basePath(settings.directory.url);
  let waiting: CompletedRequest[] = [];
  /** Returns the labels of a request in one text, as a key for `Map.groupBy`. No label holds a blank. */
  const labelsOf = ({ path, method, status }: CompletedRequest) => {
    const route = routeOf(path);
    const operation = route === 'directory' ? operationOf(method, path.slice(fhir.length)) : '';
    return `${route} ${status === CLIENT_CLOSED ? 'aborted' : statusClass(status)} ${operation}`;
  };
  const count = () => {
    for (const [labels, requests] of Map.groupBy(waiting, labelsOf)) {
      const [route = '', status = '', operation] = labels.split(' ');
      metrics.count('http_requests_total', { route, status }, requests.length);
      for (const { ms } of requests) metrics.observe('http_request_duration_seconds', { route }, ms / 1000);
      if (!operation) continue;
      metrics.count('directory_requests_total', { operation, status }, requests.length);
      for (const { ms } of requests) metrics.observe('directory_request_duration_seconds', { operation }, ms / 1000);
    }
    waiting = [];
  };
  // Counts the waiting requests before each reading of the metrics, so that the reading includes all requests answered before it.
  metrics.addSource(count);
  return (request) => {
    waiting.push(request);
    if (waiting.length >= TOGETHER) count();
  };
}

/** Makes a function that counts and times the entries of batches. Each entry is counted as the operation that it asks for. */
export function measureEntries(metrics: Metrics): (path: string, status: number, seconds: number) => void {
  return (path, status, seconds) => {
    const operation = directoryOperation(path);
    metrics.count('directory_requests_total', { operation, status: statusClass(status) });
    metrics.observe('directory_request_duration_seconds', { operation }, seconds);
  };
}

function operationOf(method: string, path: string): string {
  return method === 'POST' && (path === '' || path === '/') ? 'batch' : directoryOperation(path);
}

function statusClass(status: number): string {
  return `${Math.floor(status / 100)}xx`;
}

/** Makes a function that returns the class of a path, one of the values of the label `route`. */
export function requestClasses({ issuer, directory }: Places): (path: string) => string {
  const base = basePath(issuer);
  const { jwks: _, ...endpoints } = ROUTES;
  const whole = new Map<string, string>([
    ...Object.entries(endpoints).map(([route, path]) => [base + path, route] as const),
    [`${base}/metrics`, 'metrics'],
    [`${base}${REFERENCE.docs}`, 'reference'],
  ]);
  const below: [prefix: string, route: string][] = [
    [basePath(directory.url), 'directory'],
    ['/.well-known', 'discovery'],
    [`${base}/.well-known`, 'discovery'],
    ['/health', 'health'],
    [`${base}/health`, 'health'],
    [`${base}${SIGN_IN_PATH}`, 'sign-in'],
    [`${base}${ACCOUNT_PATH}`, 'account'],
    [`${base}${LINK_PATH}`, 'account-link'],
    [`${base}${demoPaths.base}`, 'demo'],
    [`${base}/assets`, 'assets'],
    [`${base}${TRY_PATH}`, 'reference'],
    // After the sign-in, an authorization request continues at an address below this path.
    [`${base}${ROUTES.authorization}`, 'authorization'],
    [`${base}${ROUTES.end_session}`, 'end_session'],
  ];
  return (path) => {
    const found = whole.get(path);
    if (found) return found;
    return below.find(([prefix]) => isBelow(path, prefix))?.[1] ?? 'other';
  };
}

// Requests to the directory are classified by their path, like the routes of `directory/router.ts`.

/** First segments of paths to descriptions of the directory. */
const DESCRIPTIONS: ReadonlySet<string> = new Set(['', 'metadata', '.well-known', 'SearchParameter', 'CodeSystem']);

/**
 * Classifies a request to the directory.
 * @param path below {directory_url}
 * @returns a value of the label `operation`
 */
export function directoryOperation(path: string): string {
  const [, first = '', second, third] = path.split('/', 4);
  if (DESCRIPTIONS.has(first)) return 'metadata';
  if (isExport(first)) return third === undefined ? 'export' : 'download';
  if (!/^[A-Z]/.test(first)) return 'other';
  if (second === undefined || second === '' || second === '_search') return 'search';
  return isExport(second) ? 'export' : 'read';
}

function isExport(segment: string): boolean {
  return segment === '$export' || segment === '%24export';
}
