// How long authorization and logout requests may be. They come from strangers as yet, and parts of them are stored.

import { errors } from 'oidc-provider';

/** Bytes of a request, as query or form. */
export const REQUEST_BYTES = 8192;

/** Characters of the parameters that hold free text, and are stored or handed on; all others are compared with what is known. */
const LONGEST = {
  // Some libraries seal what they want to remember in it.
  state: 2048,
  nonce: 512,
  login_hint: 512,
  ui_locales: 256,
  acr_values: 512,
  claims: 4096,
} as const;

export type LimitedParameter = keyof typeof LONGEST;
export const LIMITED_PARAMETERS = Object.keys(LONGEST) as LimitedParameter[];

/** Says what is wrong with the length of a parameter; undefined where nothing is. */
export function tooLong(name: LimitedParameter, value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length <= LONGEST[name]) return undefined;
  return `${name} has ${value.length} characters: ${LONGEST[name]} at most`;
}

/** @throws InvalidRequest, at the client's callback unless it is the state that is too long: that would be sent along. */
export function refuseTooLong(name: LimitedParameter, value: unknown): void {
  const problem = tooLong(name, value);
  if (problem === undefined) return;
  throw Object.assign(new errors.InvalidRequest(problem), { allow_redirect: name !== 'state' });
}

/** Says what is wrong with the length of a request, and which parameter takes most of it; undefined where nothing is. */
export function tooLarge(request: string): { parameter: string; description: string } | undefined {
  const bytes = Buffer.byteLength(request);
  if (bytes <= REQUEST_BYTES) return undefined;
  const lengths = [...new URLSearchParams(request)].map(([name, value]) => ({ name, length: value.length }));
  const { name, length } = lengths.reduce((most, one) => (one.length > most.length ? one : most), {
    name: '',
    length: -1,
  });
  const parameter = name.slice(0, 60);
  const description = `the request has ${bytes} bytes: ${REQUEST_BYTES} at most; ${parameter} alone has ${length} characters`;
  return { parameter, description };
}
