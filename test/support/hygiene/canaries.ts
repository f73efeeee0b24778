// The secrets of one run of the hygiene test: those that it makes up, and those that the service gave out meanwhile.

import { randomBytes } from 'node:crypto';

export interface Canary {
  /** What it is, as `allowed.ts` names it. */
  kind: string;
  value: string;
  /** The browser, client or operator that the canary belongs to. Answers to others must not contain it. */
  owner: string;
}

/** Shorter canaries would be found by chance. A code of six digits is looked for between other characters than digits. */
export const SHORTEST = 8;

export class Canaries {
  readonly #known = new Map<string, Canary>();

  /** Makes a value of letters and digits that stands nowhere else, with the beginning that a form may ask for. */
  make(kind: string, owner: string, beginning = ''): string {
    return this.note(kind, owner, beginning + randomBytes(12).toString('hex'));
  }

  /** Registers a value that the service has made. It belongs to the first one that received it. */
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
