// Posted forms: parsed by Express within narrow limits, each field read once.

import express, { type Request, type RequestHandler, type Response } from 'express';
import { type CsrfTokens, isValidToken, TOKEN_FIELD } from './csrf.ts';

/** Maximum size of a form in bytes. A login, a password and a token are far shorter. */
const LONGEST = 8192;
const CONTROL = /\p{Cc}/u;

/** Parses a form's body. Larger ones, other encodings and other types end in an error with a 4xx status. */
export const parseForm: RequestHandler = express.urlencoded({ extended: false, limit: LONGEST, parameterLimit: 20 });

/** The form cannot be used: it has another content type, a repeated field, or control characters (SEC-43, SEC-44). */
export class UnusableForm extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface Form<Name extends string> {
  /** The values by field name. Absent fields are undefined. */
  fields: { [name in Name]?: string };
  /** True if the form lacks a token of the browser's own pages. Then nothing in it may take effect (SEC-32). */
  stale: boolean;
}

/** The fields of a parsed form, which has to carry one of `tokens`. Throws `UnusableForm`. */
export function readForm<Name extends string>(
  req: Request,
  tokens: CsrfTokens,
  names: readonly Name[] = [],
): Form<Name> {
  const body: unknown = req.body;
  if (typeof body !== 'object' || body === null) {
    throw new UnusableForm(415, 'send the form as application/x-www-form-urlencoded');
  }
  const sent = new Map(Object.entries(body));
  const fields: Partial<Record<string, string>> = {};
  for (const name of [TOKEN_FIELD, ...names]) {
    const value: unknown = sent.get(name);
    if (value === undefined) continue;
    if (typeof value !== 'string') throw new UnusableForm(400, `send the field ${name} once`);
    fields[name] = value;
  }
  return { fields: fields as Form<Name>['fields'], stale: !isValidToken(tokens, fields[TOKEN_FIELD]) };
}

/** Seconds to wait if too many passwords wait to be checked. The longest queue is worked off by then. */
const BUSY_SECONDS = 15;

/** The status of a page that shows a form again because of a problem, by the kind of that problem. Any other kind is 422. */
const STATUS: Readonly<Record<string, number>> = { stale: 403, gone: 404, waiting: 429, busy: 503 };

/** Status of a page with a form: 200 without a problem. Sets `Retry-After` if the person has to wait. */
export function formStatus(res: Response, problem: { kind: string; seconds?: number } | undefined): number {
  if (!problem) return 200;
  const wait = problem.kind === 'busy' ? BUSY_SECONDS : problem.seconds;
  if (wait !== undefined) res.set('retry-after', String(wait));
  return STATUS[problem.kind] ?? 422;
}

/** Refuses characters that no login has and that databases and logs stumble over. Throws `UnusableForm`. */
export function refuseControlCharacters(field: string, value: string): void {
  if (CONTROL.test(value)) throw new UnusableForm(400, `the field ${field} holds control characters`);
}
