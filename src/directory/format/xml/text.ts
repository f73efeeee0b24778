// Writes text in XML. The text of an attribute is escaped. The XHTML of a narrative is copied if it is well-formed. Otherwise it is written
// as plain text, so that it cannot break the document.

/** Replaces a character that XML cannot represent (U+FFFD). */
const REPLACEMENT = '\uFFFD';

/**
 * Matches a character that must be escaped or replaced in an attribute. Because of the flag u, this includes a surrogate without its pair.
 */
const SPECIAL = /[^\u0020\u0021\u0023-\u0025\u0027-\u003b\u003d\u003f-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;
const SPECIALS = new RegExp(SPECIAL, 'gu');
const ILLEGAL = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

const WRITTEN: Readonly<Record<string, string>> = {
  '"': '&quot;',
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  // An XML parser turns these characters in an attribute into blanks, unless they are escaped (XML 1.0 section 3.3.3).
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

/**
 * Escapes a text for a quoted attribute. A character that XML cannot represent, such as U+0000, becomes U+FFFD, so that readers see that it
 * was lost.
 */
export function attributeText(text: string): string {
  return SPECIAL.test(text) ? text.replace(SPECIALS, (sign) => WRITTEN[sign] ?? REPLACEMENT) : text;
}

/** Replaces characters that XML cannot represent with U+FFFD. All other characters stay as they are. */
function legalText(text: string): string {
  return text.replace(ILLEGAL, REPLACEMENT);
}

const NAMESPACE = ' xmlns="http://www.w3.org/1999/xhtml"';
// Matches the name of an element or attribute. A name with a prefix other than `xml:` does not match, because its prefix would need a
// declaration.
const NAME = String.raw`(?:xml:)?[A-Za-z_][\w.\-]*`;
const REFERENCE = '&(?:amp|lt|gt|quot|apos|#\\d+|#x[\\dA-Fa-f]+);';
const PLAIN = `[^<&]*(?:${REFERENCE}[^<&]*)*`;
const ATTRIBUTE = String.raw`\s+${NAME}\s*=\s*(?:"(?:[^<&"]|${REFERENCE})*"|'(?:[^<&']|${REFERENCE})*')`;
/** Matches the next markup of a document (a comment, an end tag or a start tag), together with the text before it. */
const TOKEN = new RegExp(
  String.raw`(?:(?!<)${PLAIN})?(?:<!--(?:(?!--)[^])*-->|</(${NAME})\s*>|<(${NAME})((?:${ATTRIBUTE})*)\s*(/?)>|$)`,
  'y',
);

/**
 * Writes the narrative `div` of a resource as one XML element in the namespace of XHTML. A `div` that is not well-formed is written as
 * plain text.
 */
export function narrativeXml(div: string): string {
  const legal = legalText(div).trim();
  if (!isOneDiv(legal)) return `<div${NAMESPACE}>${attributeText(legal)}</div>`;
  const head = legal.slice(0, legal.indexOf('>'));
  return /\sxmlns\s*=/.test(head) ? legal : `<div${NAMESPACE}${legal.slice('<div'.length)}`;
}

function isOneDiv(text: string): boolean {
  if (!/^<div[\s/>]/.test(text) || namesIllegal(text)) return false;
  const open: string[] = [];
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const token = TOKEN.exec(text);
    if (!token || token[0] === '') return false;
    at += token[0].length;
    const [, end, start, attributes = '', alone] = token;
    if (start !== undefined && (alone === '' ? open.push(start) > 0 : true) && repeats(attributes)) return false;
    if (end !== undefined && open.pop() !== end) return false;
    if (open.length === 0 && at < text.length) return false;
  }
  return open.length === 0;
}

/** Checks whether the attributes of a tag have the same name twice. */
function repeats(attributes: string): boolean {
  const names = attributes.replaceAll(/"[^"]*"|'[^']*'/g, '').match(new RegExp(NAME, 'g')) ?? [];
  return new Set(names).size < names.length;
}

/** Checks whether a text has a numeric character reference to a character that XML cannot represent. */
function namesIllegal(text: string): boolean {
  return (text.match(/&#(?:\d+|x[\dA-Fa-f]+);/g) ?? []).some((reference) => {
    const code = Number(reference.slice(2, -1).replace(/^x/, '0x'));
    return code > 0x10ffff || legalText(String.fromCodePoint(code)) === REPLACEMENT;
  });
}
