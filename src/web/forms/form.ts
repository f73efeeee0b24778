// Reads posted forms. Express parses them within narrow limits. A form with a repeated field is refused.

import express, { type Request, type RequestHandler, type Response } from 'express';
import { type Language, type LanguageLink, languageLinkTo } from '#web/language.ts';
import { type Messages, messagesIn } from '#web/messages.ts';
import { type CsrfTokens, isValidToken, TOKEN_FIELD } from './csrf.ts';

/** Maximum size of a form in bytes. A login, a password and a token are far shorter. */
const LONGEST = 8192;
const CONTROL = /\p{Cc}/u;

/** Parses the body of a form. If the body is too large, or has another encoding or type, passes on an error with a 4xx status. */
export const parseForm: RequestHandler = express.urlencoded({ extended: false, limit: LONGEST, parameterLimit: 20 });

/** Thrown for a form with another content type, a repeated field, or control characters (SEC-43, SEC-44). */
export class UnusableForm extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The button of a form. Its id must not change, because programs of others rely on it. */
export interface FormButton {
  id: string;
  label: string;
  /** True if the action cannot be undone. */
  danger?: boolean;
  /** True if the page has another button that is more important. */
  quiet?: boolean;
}

/** Facts about the request that posted a form with a password or code. */
export interface FormOrigin {
  /** The client of the sign-in in which the form was shown, and the network address of the browser. */
  client: string;
  address: string;
  /** Browser and system, for the audit trail, and the language of the page, for the notice by mail. */
  about: { device?: string };
  language: Language;
}

/** A request for a page with forms, or a request that posts one of them. */
export interface FormRequest {
  req: Request;
  res: Response;
  /** Path of the page. Its forms are posted to this path, or to paths below it. */
  path: string;
  /** Tokens of the forms of the page, against cross-site requests. A posted form must have one of them. */
  tokens: CsrfTokens;
  language: Language;
  languageLink: LanguageLink;
  messages: Messages;
}

/**
 * Adds the texts of the page to the request. The language switch links to the page itself, because the address of the request may be that
 * of a posted form.
 */
export function formRequest(request: Omit<FormRequest, 'languageLink' | 'messages'>): FormRequest {
  return { ...request, languageLink: languageLinkTo(request.path), messages: messagesIn(request.language) };
}

/** What the functions that read a posted form need of its request. */
export type PostedForm = Pick<FormRequest, 'req' | 'tokens'>;

interface Form<Name extends string> {
  /** The values by field name. Absent fields are undefined. */
  fields: { [name in Name]?: string };
  /**
   * True if the form has no valid token, and so may come from elsewhere than a page that the service sent to this browser. Then nothing in
   * the form may take effect (SEC-32).
   */
  stale: boolean;
}

/**
 * Returns the fields of a parsed form. `stale` is true if the form has none of the tokens. Throws `UnusableForm` if the form has another
 * content type or a repeated field.
 */
export function readForm<Name extends string>({ req, tokens }: PostedForm, names: readonly Name[] = []): Form<Name> {
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

/**
 * Seconds that a person is asked to wait when the queue of passwords to check is full. After this time, all passwords that were in the
 * queue are checked.
 */
const BUSY_SECONDS = 15;

/** The HTTP status of a page that shows a form again, by the kind of the problem. For any other kind, the status is 422. */
const STATUS: Readonly<Record<string, number>> = { stale: 403, gone: 404, waiting: 429, busy: 503 };

/** Returns the HTTP status of a page with a form: 200 if there is no problem. Sets `Retry-After` if the person has to wait. */
export function formStatus(res: Response, problem: { kind: string; seconds?: number } | undefined): number {
  if (!problem) return 200;
  const wait = problem.kind === 'busy' ? BUSY_SECONDS : problem.seconds;
  if (wait !== undefined) res.set('retry-after', String(wait));
  return STATUS[problem.kind] ?? 422;
}

/** Throws `UnusableForm` if a field contains control characters. No login contains any, and databases and logs handle them badly. */
export function refuseControlCharacters(field: string, value: string): void {
  if (CONTROL.test(value)) throw new UnusableForm(400, `the field ${field} holds control characters`);
}
