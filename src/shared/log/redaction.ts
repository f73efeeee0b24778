// Removes secrets from objects, addresses and texts. A secret is recognised by the name before it. Pino's own redaction is not enough,
// because it knows only fixed paths of objects: it misses secrets at other depths of an object, and secrets in texts.

import { isNativeError } from 'node:util/types';

const MASK = '[redacted]';
const DEEPEST = 8;

// Names of secrets. They are compared in lower case without hyphens and underscores, so that client_secret, clientSecret and Client-Secret
// are equal.
const SECRET_NAMES = new Set([
  'accesstoken',
  'apikey',
  'assertion',
  'authorization',
  'clientassertion',
  'clientsecret',
  'code',
  'codeverifier',
  'cookie',
  'cookies',
  'csrf',
  'currentpassword',
  'devicecode',
  'idtoken',
  'idtokenhint',
  'logintoken',
  'logouttoken',
  'newpassword',
  'password',
  'passwordhash',
  'privatekey',
  'proxyauthorization',
  'refreshtoken',
  'secret',
  'secrethashes',
  'secrets',
  'sessionid',
  'setcookie',
  'state',
  'subjecttoken',
  'token',
  'usercode',
]);

// A `code` in a request is an authorization code, which is a secret. A `code` in an error is an error code, which must stay readable; this
// pattern recognises it.
const ERROR_CODE = /^(?:[A-Za-z]+(?:[_-][A-Za-z0-9]+)*|[0-9A-Z]{5}|\d{3})$/;
const LONGEST_ERROR_CODE = 40;

function isSecretName(name: string): boolean {
  return SECRET_NAMES.has(name.toLowerCase().replace(/[-_]/g, ''));
}

function isErrorCode(name: string, value: unknown): boolean {
  if (name !== 'code') return false;
  return (
    typeof value === 'number' ||
    (typeof value === 'string' && value.length <= LONGEST_ERROR_CODE && ERROR_CODE.test(value))
  );
}

/** Returns a copy of the value without secrets. Values under secret names are replaced, and texts go through `redactText`. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return '[deep]';
  if (value instanceof URL) return redactText(value.href);
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return '[bytes]';
  if (isNativeError(value) || value instanceof Error) return redactError(value, depth);
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  if (value instanceof Map || value instanceof Set) return redact([...value], depth);
  const copy: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) {
    copy[name] = isSecretName(name) && item != null && !isErrorCode(name, item) ? MASK : redact(item, depth + 1);
  }
  return copy;
}

/** Members of errors in which PostgreSQL quotes whole rows, keys and values of statements. They are removed. */
const QUOTING_MEMBERS = ['detail', 'where', 'internalQuery'] as const;
/** In class 22 of PostgreSQL's errors, "data exception", the message quotes the value: `invalid input syntax for type uuid: "..."`. */
const QUOTED_VALUE = /: ".*"/gs;

/** Copies an error, and removes the values that PostgreSQL quotes in its errors. */
function withoutQuotes(error: Error): Error & { [member: string]: unknown } {
  const copy = { ...error, name: error.name, message: error.message, stack: error.stack ?? '' };
  const { severity, code } = copy as { severity?: unknown; code?: unknown };
  if (typeof severity !== 'string' || typeof code !== 'string') return copy;
  for (const member of QUOTING_MEMBERS) if (member in copy) Object.assign(copy, { [member]: MASK });
  if (code.startsWith('22')) {
    const message = copy.message.replace(QUOTED_VALUE, `: ${MASK}`);
    Object.assign(copy, { stack: copy.stack.replace(copy.message, message), message });
  }
  return copy;
}

function redactError(error: Error, depth: number): unknown {
  const { cause } = error;
  const { name, message, stack, ...members } = withoutQuotes(error);
  const own = redact(members, depth + 1) as object;
  const rest = { type: name, message: redactText(message), stack: redactText(String(stack)) };
  return { ...own, ...rest, ...(cause === undefined ? {} : { cause: redact(cause, depth + 1) }) };
}

// Most lines hold neither a word of a secret name nor a credential. This quick check saves the search through them.
const WORTH_A_LOOK =
  /secret|token|code|passw|cookie|authorization|state|assertion|csrf|session|api|private|bearer|basic|dpop|eyJ|scrypt|:\/\//i;
const SCHEME = /\b(Bearer|Basic|DPoP)\s+[\w.~+/=-]{6,}/gi;
const USER_IN_ADDRESS = /(:\/\/)[^\s/@?#"]+@/g;
const JWT = /(?<![\w-])eyJ[\w-]+\.[\w-]+\.[\w-]*/g;
const HASH = /scrypt\$[\w$=,-]+/g;
const PAIR = /(?<![\w-])([\w-]+)=(?:(\\*")(?:(?!\2)(?:\\.|[^\\]))*\2|[^&\s"'<>,;\\]+)/g;
// Matches a pair `name=value` in an address that is encoded inside another one.
const ENCODED_PAIR = /(?<=%3F|%26)([A-Za-z][\w-]*)%3D((?:(?!%26)[^&\s"'<>])+)/gi;
const JSON_PAIR = /"([A-Za-z][\w-]*)"\s*:\s*"((?:\\.|[^"\\])*)"/g;
// Matches a JSON pair inside a JSON string, where quotes have a backslash.
const ESCAPED_JSON_PAIR = /\\"([A-Za-z][\w-]*)\\"\s*:\s*\\"((?:(?!\\")(?:\\.|[^\\]))*)\\"/g;

/** Returns the text without secrets: `name=value` and JSON pairs of secret names, credentials, JWTs, hashes, passwords in addresses. */
export function redactText(text: string): string {
  if (!WORTH_A_LOOK.test(text)) return text;
  return text
    .replace(SCHEME, `$1 ${MASK}`)
    .replace(JWT, MASK)
    .replace(HASH, MASK)
    .replace(USER_IN_ADDRESS, `$1${MASK}@`)
    .replace(JSON_PAIR, (whole, name: string, value: string) =>
      isSecretName(name) && !isErrorCode(name, value) ? `"${name}":"${MASK}"` : whole,
    )
    .replace(ESCAPED_JSON_PAIR, (whole, name: string) => (isSecretName(name) ? `\\"${name}\\":\\"${MASK}\\"` : whole))
    .replace(ENCODED_PAIR, (whole, name: string) => (isSecretName(name) ? `${name}%3D${MASK}` : whole))
    .replace(PAIR, (whole, name: string) =>
      isSecretName(name.replace(/^(?:26|3F)/i, '')) ? `${name}=${MASK}` : whole,
    );
}
