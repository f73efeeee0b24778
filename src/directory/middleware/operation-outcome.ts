// The error middleware of the directory. It converts every error, including Express's own, to an OperationOutcome.

import type { ErrorRequestHandler, Request, Response } from 'express';
import { FhirError, fhirError, type Issue, operationOutcomeJson, refusalForNow } from '#directory/errors.ts';
import { type Format, formatFor } from '#directory/format/content-negotiation.ts';
import type { Representation } from '#directory/format/serialize.ts';
import { Abandoned, Unavailable } from '#search-index/index.ts';
import { hasTooManyParameters } from '#shared/request-bounds.ts';
import { currentRequestId } from '#shared/request-context.ts';
import { type Pair, parseQuery, unboundedQuery } from './raw-query.ts';
import { formOf, readFormOfError } from './request-body.ts';
import { sendResource } from './send-response.ts';

/** The methods of a pino logger that the directory calls. */
export interface DirectoryLog {
  error(details: object, message: string): void;
}

interface OperationOutcomeOptions {
  /** Address of the reference page. The response names it if the token is missing or invalid. */
  docs?: string | undefined;
  log?: DirectoryLog | undefined;
}

/** Headers that a handler may have set before it failed. They describe the resource, so an error response must not have them. */
const OF_THE_RESOURCE = ['ETag', 'Last-Modified', 'Content-Location', 'Content-Encoding', 'Accept-Ranges'];

/** Makes the error middleware, which comes after all routes. */
export function operationOutcome({ docs, log }: OperationOutcomeOptions): ErrorRequestHandler {
  return async (error: unknown, req, res, _next) => {
    const known = refusalOf(error, req.method, log);
    // The response has already begun, or the client has left, so no second response can be sent. A client that is still there sees that its
    // response ends too early.
    if (res.headersSent || error instanceof Abandoned) {
      res.destroy();
      return;
    }
    for (const name of OF_THE_RESOURCE) res.removeHeader(name);
    await readFormOfError(req, res);
    res.status(known.status).set(known.headers);
    const { status, issues } = known;
    const shown = status === 401 && docs !== undefined ? issues.map((issue) => withDocs(issue, docs)) : issues;
    await sendOutcome(req, res, shown);
  };
}

/** Converts an error to a refusal. Errors of the directory itself are logged. */
export function refusalOf(error: unknown, method: string, log: DirectoryLog | undefined): FhirError {
  const known = error instanceof FhirError ? error : translated(error);
  // A 503 is not logged here, because many requests get a 503 at the same time. The function that decides to answer 503 reports the cause
  // once.
  const cause = known === error || known.status === 503 ? known.cause : error;
  if (error instanceof Abandoned) return known;
  // The log entry omits the address, because searches for people do not belong in a log (SEC-17). The request log has an entry for the same
  // request.
  if (known.status >= 500 && cause !== undefined) log?.error({ err: cause, method }, 'directory request failed');
  return known;
}

/**
 * Sends an OperationOutcome with the status that was set before. It has the format that the request asks for, or JSON if that format cannot
 * be recognized.
 */
export async function sendOutcome(req: Request, res: Response, issues: readonly Issue[]): Promise<void> {
  await sendResource(req, res, operationOutcomeJson(issues, currentRequestId()), errorRepresentation(req, res));
}

function withDocs(issue: Issue, docs: string): Issue {
  return { ...issue, diagnostics: `${issue.diagnostics} How: ${docs}` };
}

/**
 * Converts an error that is no FhirError. Errors of Express and its body parser have a `status`. If that is below 500, the fault is in the
 * client's request.
 */
function translated(error: unknown): FhirError {
  if (error instanceof Unavailable)
    return refusalForNow(503, error.retryAfter, `${error.message} Try again in ${error.retryAfter} s.`);
  const { status, type } = (error ?? {}) as { status?: unknown; type?: unknown };
  if (status === 413)
    return fhirError(413, 'too-long', 'The body is too large: split the search or the batch into several.');
  if (status === 415 || type === 'encoding.unsupported')
    return fhirError(
      415,
      'not-supported',
      'Send the body uncompressed: a form as application/x-www-form-urlencoded, a batch as application/fhir+json, in UTF-8.',
    );
  if ((typeof status === 'number' && status >= 400 && status < 500) || error instanceof URIError)
    return fhirError(
      400,
      'structure',
      'The request is malformed: check the percent-encoding of the address and the body.',
    );
  return fhirError(500, 'exception', 'The directory failed to answer. The operator finds the cause in the log.');
}

/** The representation that the request asks for. A part of the request that cannot be parsed is ignored. The default is JSON. */
function errorRepresentation(req: Request, res: Response): Representation {
  const pairs = [...readable(formOf(res)), ...readable(unboundedQuery(req))];
  const value = (wanted: string) => pairs.find(([name]) => name === wanted)?.[1].trim();
  const format = possible(undefined, value('_format')) ?? possible(req.headers.accept, undefined) ?? 'json';
  return { format, pretty: value('_pretty') === 'true' };
}

function readable(raw: string): readonly Pair[] {
  if (hasTooManyParameters(raw)) return [];
  try {
    return parseQuery(raw);
  } catch {
    return [];
  }
}

function possible(accept: string | undefined, format: string | undefined): Format | undefined {
  if (accept === undefined && format === undefined) return undefined;
  try {
    return formatFor(accept, format);
  } catch {
    return undefined;
  }
}
