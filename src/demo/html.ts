// A template tag for HTML. It escapes every value that is not an `Html` object already.

/** Markup that is safe to send, because only the tag `html` makes it. */
export interface Html {
  readonly markup: string;
}

type Value = Html | string | number | false | undefined | readonly Value[];

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

function render(value: Value): string {
  if (value === undefined || value === false) return '';
  if (Array.isArray(value)) return value.map(render).join('');
  if (typeof value === 'object') return (value as Html).markup;
  return String(value).replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

/**
 * Template tag that returns HTML. It escapes strings and numbers, inserts `Html` unchanged, and inserts nothing for `false` and
 * `undefined`.
 */
export function html(fixed: TemplateStringsArray, ...values: Value[]): Html {
  return { markup: fixed.reduce((page, part, index) => page + render(values[index - 1]) + part) };
}
