// Owns errors of the directory: the fault that any file throws, and the one place that makes an OperationOutcome of it.
// Does not own the texts of single faults (they stand where the fault is found) nor how bytes are sent (`reply.ts`).

import type { Answer } from './send-response.ts';

/** Codes of http://hl7.org/fhir/STU3/valueset-issue-type.html that the directory uses. */
export type IssueCode =
  | 'exception'
  | 'forbidden'
  | 'login'
  | 'not-found'
  | 'not-supported'
  | 'structure'
  | 'throttled'
  | 'too-costly'
  | 'too-long'
  | 'transient'
  | 'value';

export interface Issue {
  severity: 'error' | 'warning';
  code: IssueCode;
  /** Names the fault and the remedy, for the developer of the client. */
  diagnostics: string;
  /** `http.name` for a parameter, `http.name:xyz` with its modifier (STU3 OperationOutcome.issue.location). */
  location?: readonly string[];
}

/** A refusal with its HTTP status; everything else that is thrown answers 500 and goes to the log. */
export class Fault extends Error {
  readonly status: number;
  readonly issues: readonly Issue[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, issues: readonly Issue[], headers: Readonly<Record<string, string>> = {}) {
    super(issues.map((issue) => issue.diagnostics).join(' '));
    this.status = status;
    this.issues = issues;
    this.headers = headers;
  }
}

/** A fault with one issue of severity `error`; `parameter` is the search parameter that is at fault. */
export function fault(
  status: number,
  code: IssueCode,
  diagnostics: string,
  { parameter, headers }: { parameter?: string; headers?: Readonly<Record<string, string>> } = {},
): Fault {
  const location = parameter === undefined ? {} : { location: [`http.${parameter}`] };
  return new Fault(status, [{ severity: 'error', code, diagnostics, ...location }], headers);
}

/** An OperationOutcome as JSON text. */
export function outcomeJson(issues: readonly Issue[]): string {
  return JSON.stringify({ resourceType: 'OperationOutcome', issue: issues });
}

/** The part of pino's interface that is used here. */
export interface DirectoryLog {
  error(details: object, message: string): void;
}

/**
 * The answer to a request that failed; what is not the client's fault goes to the log.
 * @param asked method and path. Without the query: names and addresses that people searched for do not belong in a log.
 */
export function outcomeOf(error: unknown, asked: object, log: DirectoryLog | undefined): Answer {
  const known = error instanceof Fault ? error : translated(error);
  const cause = known === error ? known.cause : error;
  if (known.status >= 500 && cause !== undefined) log?.error({ err: cause, ...asked }, 'directory request failed');
  return { status: known.status, body: outcomeJson(known.issues), headers: known.headers };
}

/** Faults of the body parser carry a `status`; only those below 500 are the client's. */
function translated(error: unknown): Fault {
  const { status, type } = (error ?? {}) as { status?: unknown; type?: unknown };
  if (status === 413) return fault(413, 'too-long', 'The form is too large: split the search into several.');
  if (status === 415 || type === 'encoding.unsupported')
    return fault(415, 'not-supported', 'Send the form uncompressed, as application/x-www-form-urlencoded in UTF-8.');
  if ((typeof status === 'number' && status >= 400 && status < 500) || error instanceof URIError)
    return fault(400, 'structure', 'The request is malformed: check the percent-encoding of the address and the body.');
  return fault(500, 'exception', 'The directory failed to answer. The operator finds the cause in the log.');
}
