// Reads the fields of an account as an operator writes them: in options and in CSV files.

import { isEmailAddress } from '#shared/email-address.ts';
import { LONGEST_NAME, type NameProblem, nameProblem, tidyName } from '#shared/names.ts';

// FHIR data type id.
const FHIR_ID = /^[A-Za-z0-9.-]{1,64}$/;
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** As every reader here: what is wrong is added to `problems`, one sentence with its remedy. */
export function readEmail(text: string, problems: string[]): string {
  const email = text.trim();
  if (!isEmailAddress(email)) problems.push(`"${shown(email)}" is no e-mail address. Write name@host.example.`);
  return email;
}

export function readName(text: string, field: string, problems: string[]): string {
  const name = tidyName(text);
  const problem = nameProblem(name);
  if (problem) problems.push(`The ${field} ${NAME_PROBLEMS[problem]}`);
  return name;
}

const NAME_PROBLEMS: Readonly<Record<NameProblem, string>> = {
  empty: 'is empty. Write at least one letter.',
  'too-long': `has more than ${LONGEST_NAME} characters. Shorten it.`,
  invisible: 'holds a control character, or another one that cannot be seen. Remove it.',
};

/** Names as an operator gives them. */
export interface GivenNames {
  name?: string | undefined;
  given?: string | undefined;
  family?: string | undefined;
}

/** Whether there is a full name, or both its parts. */
export function namesSuffice({ name, given, family }: GivenNames): boolean {
  return name !== undefined || (given !== undefined && family !== undefined);
}

/** The full name, composed of given and family name unless it is given itself, and these two where they are. */
export function readNames({ name, given, family }: GivenNames, problems: string[]) {
  const parts = {
    ...(given !== undefined && { given: readName(given, 'given name', problems) }),
    ...(family !== undefined && { family: readName(family, 'family name', problems) }),
  };
  const composed = [parts.given, parts.family].filter(Boolean).join(' ');
  return { name: name === undefined ? composed : readName(name, 'name', problems), ...parts };
}

/** An https address; `field` says what of. */
export function readAddress(text: string, field: string, problems: string[]): string {
  const url = URL.parse(text.trim());
  if (url?.protocol === 'https:' && url.username === '' && url.href.length <= 2000) return url.href;
  problems.push(`The ${field} "${shown(text)}" is no https address. Write https://...`);
  return text;
}

/** Ids of the directory, with or without `Practitioner/` or `Organization/` before them. */
export function readReferences(
  texts: readonly string[],
  type: 'Practitioner' | 'Organization',
  problems: string[],
): string[] {
  const ids = texts.map((text) => {
    const id = text.trim().replace(new RegExp(`^${type}/`), '');
    if (!FHIR_ID.test(id)) problems.push(`"${shown(text)}" is no id of a ${type}. Write ID or ${type}/ID.`);
    return id;
  });
  return [...new Set(ids)];
}

function shown(text: string): string {
  return text.slice(0, 80).replace(/\p{Cc}/gu, '?');
}
