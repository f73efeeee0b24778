// The error by which any file of the directory refuses a request. It carries the HTTP status and the issues of the OperationOutcome.

import { printable } from '#shared/log/printable.ts';

/** The codes of http://hl7.org/fhir/STU3/valueset-issue-type.html that the directory uses. */
type IssueCode =
  | 'exception'
  | 'forbidden'
  | 'informational'
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
  severity: 'error' | 'warning' | 'information';
  code: IssueCode;
  /** Names the problem and the remedy for the developer of the client. */
  diagnostics: string;
  /** `http.name` for a parameter, or `http.name:xyz` for a parameter with a modifier (STU3 OperationOutcome.issue.location). */
  location?: readonly string[];
}

/**
 * A refusal with its HTTP status. `refusalOf` (`middleware/operation-outcome.ts`) turns other errors into one: into 500, unless it
 * knows them.
 */
export class FhirError extends Error {
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

/** Makes an error with one issue. `parameter` is the search parameter that causes the error. */
export function fhirError(
  status: number,
  code: IssueCode,
  diagnostics: string,
  { parameter, headers }: { parameter?: string; headers?: Readonly<Record<string, string>> } = {},
): FhirError {
  return new FhirError(status, [issueOf('error', code, diagnostics, parameter)], headers);
}

/** Makes the refusal of a parameter (400). The message begins with the name of the parameter. */
export function parameterError(parameter: string, text: string, code: IssueCode = 'value'): FhirError {
  return fhirError(400, code, `${parameter} ${text}`, { parameter });
}

/** Makes a refusal that lasts for some seconds: 429 if the client has exceeded its limit, 503 if the service cannot answer any client. */
export function refusalForNow(status: 429 | 503, seconds: number, diagnostics: string): FhirError {
  const headers = { 'Retry-After': String(seconds) };
  return fhirError(status, status === 429 ? 'throttled' : 'transient', diagnostics, { headers });
}

/** Makes a note for a search that succeeded. `parameter` is the search parameter that the note explains, with its modifier. */
export function note(diagnostics: string, parameter?: string): Issue {
  return issueOf('information', 'informational', diagnostics, parameter);
}

/** @param parameter the search parameter that the issue explains, with its modifier */
export function issueOf(severity: Issue['severity'], code: IssueCode, diagnostics: string, parameter?: string): Issue {
  return { severity, code, diagnostics, ...(parameter !== undefined && { location: [`http.${parameter}`] }) };
}

/** Writes an OperationOutcome as JSON text. For an error, `id` is the id of the request, by which operators find the log entry. */
export function operationOutcomeJson(issues: readonly Issue[], id?: string): string {
  return JSON.stringify({ resourceType: 'OperationOutcome', id, issue: issues });
}

/** Shortens text of a request to 60 characters and removes control characters, so that messages can show it. */
export function shownName(name: string): string {
  const shown = printable(name);
  return shown.length > 60 ? `${shown.slice(0, 60)}...` : shown;
}
