// Writes down what a page says, line by line, so that a test can compare all of it: headings, sentences, links, fields and buttons.

const MONTHS = 'January|February|March|April|May|June|July|August|September|October|November|December';

/** What differs from run to run. */
const CHANGING: readonly (readonly [RegExp, string])[] = [
  [new RegExp(`\\b\\d{1,2} (${MONTHS}) \\d{4}\\b`, 'g'), '(date)'],
  [/\b\d{1,2}:\d{2}( [ap]m)?\b/g, '(time)'],
  [/\b(just now|yesterday|\d+ (minutes?|hours?|days?) ago)\b/g, '(ago)'],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '(id)'],
  [/\/picture\/[0-9a-f]+\.svg/g, '/picture/(id).svg'],
  [/\/assets\/[^"\s)]+/g, '/assets/(file)'],
  [/\?sign-in=[\w-]+/g, '?sign-in=(id)'],
  [/\/interaction\/[\w-]+/g, '/interaction/(id)'],
  [/\b(Reference)\s+\S+/g, '$1\n(reference)'],
  [/\b127\.0\.0\.1:\d+/g, '(host)'],
  [/otpauth:\S+?(?=[\s)"])/g, 'otpauth:(key)'],
  [/\b([0-9A-Z]{4}-){3}[0-9A-Z]{4}\b/g, '(recovery code)'],
  [/\b([A-Z2-7]{4} ){7}[A-Z2-7]{4}\b/g, '(key)'],
];

/**
 * The content of `main`: `# heading`, `[link](address)`, `{field = value}`, `<<button>>`; `(focus)` where reading begins; hidden values are left out.
 * With ids: `(part ID)`, `(form ADDRESS)` and `[link](address #ID)` as well, which scripts and tests of a browser go by.
 */
export function transcript(html: string, { ids = false } = {}): string {
  const main = /<main\b[^>]*>([\s\S]*)<\/main>/.exec(html)?.[1] ?? html;
  const text = main
    .replace(/<svg[\s\S]*?<\/svg>|<script[\s\S]*?<\/script>|<template[\s\S]*?<\/template>/g, '')
    .replace(/<input\b[^>]*>/g, fieldOf)
    .replace(/<(div|h1)\b[^>]*\sautofocus\b[^>]*>/g, '\n(focus)\n')
    .replace(/<img\b[^>]*\balt="([^"]*)"[^>]*>/g, '(picture: $1)')
    .replace(/<a\b([^>]*)\bhref="([^"]*)"([^>]*)>([\s\S]*?)<\/a>/g, (_, before, address, after, label) => {
      const id = /\bid="[^"]*"/.exec(before + after)?.[0].slice(4, -1);
      return `[${label}](${address}${ids && id ? ` #${id}` : ''})`;
    })
    .replace(/<section\b[^>]*\bid="([^"]*)"[^>]*>/g, ids ? '\n(part $1)\n' : '\n')
    .replace(/<form\b[^>]*\baction="([^"]*)"[^>]*>/g, ids ? '\n(form $1)\n' : '\n')
    .replace(/<button\b([^>]*)>([\s\S]*?)<\/button>/g, (_, attributes, label) => {
      const focus = ids && /\sautofocus\b/.test(attributes) ? ' autofocus' : '';
      return `\n‹${/\bid="([^"]*)"/.exec(attributes)?.[1] ?? ''}${focus}: ${label.trim()}›\n`;
    })
    .replace(/<h([1-6])\b[^>]*>/g, (_, level) => `\n${'#'.repeat(Number(level))} `)
    .replace(/<(p|div)\b[^>]*class="[^"]*\b(warning|state-on|state-off|notice-title)\b[^"]*"[^>]*>/g, '\n($2) ')
    .replace(/<\/?(p|div|li|ul|ol|dl|dt|dd|section|form|fieldset|legend|summary|details|h[1-6]|label)\b[^>]*>/g, '\n')
    .replace(/<[^>]+>/g, '');
  return CHANGING.reduce(
    (all, [pattern, word]) => all.replace(pattern, word),
    decoded(text)
      .replace(/[\u00a0\u202f]/g, ' ')
      .replaceAll('\u2011', '-'),
  )
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
    .join('\n');
}

function fieldOf(input: string): string {
  const attribute = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(input)?.[1];
  if (attribute('type') === 'hidden') return attribute('name') === 'csrf' ? '\n{csrf}\n' : '';
  const value = attribute('value');
  const states = ['required', 'checked', 'aria-invalid', 'autofocus'].filter((name) =>
    new RegExp(`\\s${name}\\b`).test(input),
  );
  const kinds = [attribute('inputmode'), attribute('autocomplete')];
  return `\n{${[attribute('name'), value && `= ${value}`, ...kinds, ...states].filter(Boolean).join(' ')}}\n`;
}

function decoded(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}
