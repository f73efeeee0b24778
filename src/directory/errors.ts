// The error that any file of the directory throws to refuse a request, with its HTTP status and OperationOutcome.

import { printable } from '#shared/log/printable.ts';

/** Codes of http://hl7.org/fhir/STU3/valueset-issue-type.html that the directory uses. */
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
  /** Names the problem and the remedy, for the developer of the client. */
  diagnostics: string;
  /** `http.name` for a parameter, `http.name:xyz` with its modifier (STU3 OperationOutcome.issue.location). */
  location?: readonly string[];
}

/** A refusal with its HTTP status. Any other error answers 500 and is logged. */
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

/** Makes an error with one issue. `parameter` is the search parameter that it is about. */
export function fhirError(
  status: number,
  code: IssueCode,
  diagnostics: string,
  { parameter, headers }: { parameter?: string; headers?: Readonly<Record<string, string>> } = {},
): FhirError {
  return new FhirError(status, [issueOf('error', code, diagnostics, parameter)], headers);
}

/** Makes the refusal of a parameter (400). Its message begins with the parameter's name. */
export function parameterError(parameter: string, text: string, code: IssueCode = 'value'): FhirError {
  return fhirError(400, code, `${parameter} ${text}`, { parameter });
}

/** Makes a refusal for some seconds: 429 if the client has exceeded its limit, 503 if the service can answer nobody. */
export function refusalForNow(status: 429 | 503, seconds: number, diagnostics: string): FhirError {
  const headers = { 'Retry-After': String(seconds) };
  return fhirError(status, status === 429 ? 'throttled' : 'transient', diagnostics, { headers });
}

/** A note about a search that went well. `parameter` is the search parameter that it is about, with its modifier. */
export function note(diagnostics: string, parameter?: string): Issue {
  return issueOf('information', 'informational', diagnostics, parameter);
}

/** @param parameter the search parameter that it is about, with its modifier */
export function issueOf(severity: Issue['severity'], code: IssueCode, diagnostics: string, parameter?: string): Issue {
  return { severity, code, diagnostics, ...(parameter !== undefined && { location: [`http.${parameter}`] }) };
}

/** An OperationOutcome as JSON text. For an error it holds the request id, by which operators find the log entry. */
export function operationOutcomeJson(issues: readonly Issue[], id?: string): string {
  return JSON.stringify({ resourceType: 'OperationOutcome', id, issue: issues });
}

/** Text from the request as messages show it: without control characters, at most 60 characters. */
export function shownName(name: string): string {
  const shown = printable(name);
  return shown.length > 60 ? `${shown.slice(0, 60)}...` : shown;
}
