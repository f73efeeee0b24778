// The error with which every file of the directory refuses a request. It carries the HTTP status and the issues of the OperationOutcome.

import { printable } from '#shared/log/printable.ts';

/** The issue types of STU3 (http://hl7.org/fhir/STU3/valueset-issue-type.html) that the directory uses. */
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
  /** Text for the developer of the client, with the problem and its remedy. */
  diagnostics: string;
  /**
   * The parameter that the issue concerns, as `http.` followed by its name and modifier: `http.name:exact` (STU3
   * OperationOutcome.issue.location).
   */
  location?: readonly string[];
}

/**
 * A refusal with its HTTP status. `refusalOf` (`middleware/operation-outcome.ts`) converts every other error to a FhirError, with the
 * status 500 if it does not know the error.
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

/** Makes an error with one issue. `parameter` is the search parameter that has caused it. */
export function fhirError(
  status: number,
  code: IssueCode,
  diagnostics: string,
  { parameter, headers }: { parameter?: string; headers?: Readonly<Record<string, string>> } = {},
): FhirError {
  return new FhirError(status, [issueOf('error', code, diagnostics, parameter)], headers);
}

/** Makes an error that refuses a parameter (400). `text` follows the name of the parameter in the message. */
export function parameterError(parameter: string, text: string, code: IssueCode = 'value'): FhirError {
  return fhirError(400, code, `${parameter} ${text}`, { parameter });
}

/**
 * Makes an error that asks the client to try again after some seconds: 429 if the client has exceeded its limit, and 503 if the service
 * cannot answer any client.
 */
export function refusalForNow(status: 429 | 503, seconds: number, diagnostics: string): FhirError {
  const headers = { 'Retry-After': String(seconds) };
  return fhirError(status, status === 429 ? 'throttled' : 'transient', diagnostics, { headers });
}

/** Makes a note about a search that succeeded. `parameter` is the search parameter that the note explains, with its modifier. */
export function note(diagnostics: string, parameter?: string): Issue {
  return issueOf('information', 'informational', diagnostics, parameter);
}

/** @param parameter the search parameter that the issue explains, with its modifier */
export function issueOf(severity: Issue['severity'], code: IssueCode, diagnostics: string, parameter?: string): Issue {
  return { severity, code, diagnostics, ...(parameter !== undefined && { location: [`http.${parameter}`] }) };
}

/** Writes an OperationOutcome as JSON text. For an error, `id` is the id of the request. Operators find the log entry by it. */
export function operationOutcomeJson(issues: readonly Issue[], id?: string): string {
  return JSON.stringify({ resourceType: 'OperationOutcome', id, issue: issues });
}

/** Prepares text of a request for a message: escapes control characters, and shortens the text to 60 characters. */
export function shownName(name: string): string {
  const shown = printable(name);
  return shown.length > 60 ? `${shown.slice(0, 60)}...` : shown;
}
