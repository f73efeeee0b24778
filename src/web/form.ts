// Owns the door for posted forms: size, type, each field once and readable.
// Does not own what the fields mean (the routers).

import express, { type Request, type RequestHandler } from 'express';

/** Longest form that is read, in bytes: a login, a password and a token are far shorter. */
const LONGEST = 8192;
const CONTROL = /\p{Cc}/u;

/** Parses a form's body; larger ones, other encodings and other types end in an error with a 4xx status. */
export const parseForm: RequestHandler = express.urlencoded({ extended: false, limit: LONGEST, parameterLimit: 20 });

/** The form cannot be used: another type of content, a repeated field, control characters (SEC-43, SEC-44). */
export class UnusableForm extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** The fields of a parsed form, by name; absent ones are undefined. Throws `UnusableForm`. */
export function fieldsOf<Name extends string>(req: Request, names: readonly Name[]): { [name in Name]?: string } {
  const body: unknown = req.body;
  if (typeof body !== 'object' || body === null) {
    throw new UnusableForm(415, 'send the form as application/x-www-form-urlencoded');
  }
  const sent = body as Record<string, unknown>;
  const fields: { [name in Name]?: string } = {};
  for (const name of names) {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    if (value === undefined) continue;
    if (typeof value !== 'string') throw new UnusableForm(400, `send the field ${name} once`);
    fields[name] = value;
  }
  return fields;
}

/** Refuses characters that no login has and that databases and logs stumble over. Throws `UnusableForm`. */
export function refuseControlCharacters(field: string, value: string): void {
  if (CONTROL.test(value)) throw new UnusableForm(400, `the field ${field} holds control characters`);
}
