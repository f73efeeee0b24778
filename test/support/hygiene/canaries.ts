// The secrets of one run of the hygiene test: those that it makes up, and those that the service gave out meanwhile.

import { randomBytes } from 'node:crypto';

export interface Canary {
  /** What it is, as `allowed.ts` names it. */
  kind: string;
  value: string;
  /** Who it belongs to: a browser, a client, the operator. Answers to anybody else must not have it. */
  owner: string;
}

/** Shorter ones would be found by chance; a code of six digits is looked for where digits end beside it. */
export const SHORTEST = 8;

export class Canaries {
  readonly #known = new Map<string, Canary>();

  /** Something to be found by, which stands nowhere else: letters and digits, with a beginning that a form may ask for. */
  make(kind: string, owner: string, beginning = ''): string {
    return this.note(kind, owner, beginning + randomBytes(12).toString('hex'));
  }

  /** Takes what somebody else has made. The first who had it owns it. */
  note(kind: string, owner: string, value: string): string {
    if (!this.#known.has(value)) this.#known.set(value, { kind, owner, value });
    return value;
  }

  all(): Canary[] {
    return [...this.#known.values()];
  }

  kinds(): Set<string> {
    return new Set(this.all().map(({ kind }) => kind));
  }
}

/** Every form in which it could stand in a log, a page or a file. */
export function formsOf({ value }: Canary): string[] {
  const bytes = Buffer.from(value);
  const escaped = JSON.stringify(value).slice(1, -1);
  const forms = [
    value,
    value.toLowerCase(),
    escaped,
    JSON.stringify(escaped).slice(1, -1),
    encodeURIComponent(value),
    encodeURIComponent(value).replaceAll('%20', '+'),
    encodeURIComponent(encodeURIComponent(value)),
    value.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
    ...[0, 1, 2].flatMap((offset) => base64Within(bytes, offset)),
  ];
  return [...new Set(forms)];
}

/** Base64 of a text in which the value begins after so many bytes, as far as it does not depend on what is around it. */
function base64Within(bytes: Buffer, offset: number): string[] {
  const whole = Buffer.concat([Buffer.alloc(offset), bytes]);
  const from = offset === 0 ? 0 : 4;
  const until = Math.floor(whole.length / 3) * 4;
  const text = whole.toString('base64').slice(from, until);
  return text.length < SHORTEST ? [] : [text, text.replaceAll('+', '-').replaceAll('/', '_')];
}
