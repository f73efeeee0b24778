// Owns reading an account's fields from an operator's words, for options and for CSV files alike.
// Does not own storing them (`src/store/accounts/accounts.ts`) nor password rules (`src/shared/crypto/password-rules.ts`).

/** What is wrong with each field is collected in `faults`, one sentence each with its remedy. */
export type Faults = string[];

// RFC 5321 limits; a sign-in name, so nothing exotic: one @, no spaces, no control characters, no < >.
const EMAIL = /^[^\s@<>()",;:\\\p{Cc}]{1,64}@[^\s@<>()",;:\\\p{Cc}]{1,190}$/u;
// FHIR data type id.
const FHIR_ID = /^[A-Za-z0-9.-]{1,64}$/;
export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

export function readEmail(text: string, faults: Faults): string {
  const email = text.trim();
  if (!EMAIL.test(email)) faults.push(`"${shown(email)}" is no e-mail address. Write name@host.example.`);
  return email;
}

export function readName(text: string, field: string, faults: Faults): string {
  const name = text.trim().normalize('NFC');
  if (name === '') faults.push(`The ${field} is empty. Write at least one letter.`);
  else if (name.length > 200) faults.push(`The ${field} has more than 200 characters. Shorten it.`);
  else if (/\p{Cc}/u.test(name)) faults.push(`The ${field} holds a control character. Remove it.`);
  return name;
}

export function readPicture(text: string, faults: Faults): string {
  const url = URL.parse(text.trim());
  if (url?.protocol === 'https:' && url.username === '' && url.href.length <= 2000) return url.href;
  faults.push(`The picture "${shown(text)}" is no https address. Write https://...`);
  return text;
}

/** Ids of the directory, with or without `Practitioner/` or `Organization/` before them. */
export function readReferences(
  texts: readonly string[],
  type: 'Practitioner' | 'Organization',
  faults: Faults,
): string[] {
  const ids = texts.map((text) => {
    const id = text.trim().replace(new RegExp(`^${type}/`), '');
    if (!FHIR_ID.test(id)) faults.push(`"${shown(text)}" is no id of a ${type}. Write ID or ${type}/ID.`);
    return id;
  });
  return [...new Set(ids)];
}

function shown(text: string): string {
  return text.slice(0, 80).replace(/\p{Cc}/gu, '?');
}
