// A template tag for HTML that escapes every value unless it is HTML already.

/** HTML that is safe to put into a page unchanged. Only `html` and `trustedHtml` make it. */
export class Html {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
}

export type HtmlValue = Html | string | number | false | undefined | readonly HtmlValue[];

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for element content and for quoted attributes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

/**
 * Template tag. Strings and numbers are escaped, `false` and `undefined` are left out, lists are joined. Attributes must be quoted in the
 * template, because the escaping relies on it.
 */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(parts.reduce((text, part, index) => text + write(values[index - 1]) + part));
}

function write(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (typeof value === 'object') return value instanceof Html ? value.toString() : value.map(write).join('');
  return escapeHtml(String(value));
}

/** Marks text from a trusted library as HTML. Never for anything that came in with a request. */
export function trustedHtml(text: string): Html {
  return new Html(text);
}

/** An address for `href`; undefined unless it is an http, https or mailto address (`javascript:` is not). */
export function linkTarget(address: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address);
  return url && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
}
