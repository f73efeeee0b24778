// A template tag for HTML. It escapes every value that is not HTML already.

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

/**
 * Template tag. Escapes strings and numbers, leaves out `false` and `undefined`, and joins lists. The template must put quotes around the
 * values of attributes, because the escaping is safe only within quotes.
 */
export function html(parts: TemplateStringsArray, ...values: HtmlValue[]): Html {
  return new Html(parts.reduce((text, part, index) => text + write(values[index - 1]) + part));
}

function write(value: HtmlValue): string {
  if (value === undefined || value === false) return '';
  if (typeof value === 'object') return value instanceof Html ? value.toString() : value.map(write).join('');
  // Escapes text for element content and for quoted attributes.
  return String(value).replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

/** Marks a text that a trusted library has made as HTML. Never use it for anything that came with a request. */
export function trustedHtml(text: string): Html {
  return new Html(text);
}

/**
 * Returns the address for use in `href` if it is an http, https or mailto address. Returns undefined for any other, because a scheme such
 * as `javascript:` would run code.
 */
export function linkTarget(address: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address);
  return url && ['http:', 'https:', 'mailto:'].includes(url.protocol) ? url.href : undefined;
}
