// The error middleware of the directory: every error, Express's own among them, becomes an OperationOutcome.

import type { ErrorRequestHandler } from 'express';
import { FhirError, fhirError, operationOutcomeJson } from '#directory/errors.ts';
import { errorRepresentation } from '#directory/format/serialize.ts';
import { Abandoned, Unavailable } from '#search-index/index.ts';
import { currentRequestId } from '#shared/request-context.ts';
import { readFormOfError } from './search-form.ts';
import { sendResource } from './send-response.ts';

/** The part of pino's interface that is used here. */
export interface DirectoryLog {
  error(details: object, message: string): void;
}

interface OperationOutcomeOptions {
  /** Address of the reference page, named to those whose token is missing or invalid. */
  docs?: string | undefined;
  log?: DirectoryLog | undefined;
}

/** Headers that a handler may have set before it failed. */
const OF_THE_RESOURCE = ['ETag', 'Last-Modified', 'Content-Location', 'Content-Encoding', 'Accept-Ranges'];

/** In the format that the request asks for as far as that can be read, in JSON otherwise. */
export function operationOutcome({ docs, log }: OperationOutcomeOptions): ErrorRequestHandler {
  return async (error: unknown, req, res, _next) => {
    const known = error instanceof FhirError ? error : translated(error);
    // What is temporarily refused is told by those who refuse it, once for all: they are many at a time.
    const cause = known === error || known.status === 503 ? known.cause : error;
    // Without the address: what people looked for does not belong in a log (SEC-17); its line has the rest, by the request id.
    if (known.status >= 500 && cause !== undefined)
      log?.error({ err: cause, method: req.method }, 'directory request failed');
    // A second response cannot be sent: the client sees that the first one ends too early, or has left before.
    if (res.headersSent || error instanceof Abandoned) {
      res.destroy();
      return;
    }
    for (const name of OF_THE_RESOURCE) res.removeHeader(name);
    await readFormOfError(req, res);
    res.status(known.status).set(known.headers);
    const { status, issues } = known;
    const shown = status === 401 && docs !== undefined ? issues.map((issue) => withDocs(issue, docs)) : issues;
    const outcome = operationOutcomeJson(shown, currentRequestId());
    await sendResource(req, res, outcome, errorRepresentation(req, res));
  };
}

function withDocs<T extends { diagnostics: string }>(issue: T, docs: string): T {
  return { ...issue, diagnostics: `${issue.diagnostics} How: ${docs}` };
}

/** Errors of Express and its body parser have a `status`; those below 500 are caused by the client. */
function translated(error: unknown): FhirError {
  if (error instanceof Unavailable)
    return fhirError(503, 'transient', `${error.message} Try again in ${error.retryAfter} s.`, {
      headers: { 'Retry-After': String(error.retryAfter) },
    });
  const { status, type } = (error ?? {}) as { status?: unknown; type?: unknown };
  if (status === 413) return fhirError(413, 'too-long', 'The form is too large: split the search into several.');
  if (status === 415 || type === 'encoding.unsupported')
    return fhirError(
      415,
      'not-supported',
      'Send the form uncompressed, as application/x-www-form-urlencoded in UTF-8.',
    );
  if ((typeof status === 'number' && status >= 400 && status < 500) || error instanceof URIError)
    return fhirError(
      400,
      'structure',
      'The request is malformed: check the percent-encoding of the address and the body.',
    );
  return fhirError(500, 'exception', 'The directory failed to answer. The operator finds the cause in the log.');
}
