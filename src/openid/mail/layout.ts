// The layout of all mails: plain text in lines of 72 characters, and HTML with inline style that needs no pictures, scripts or other files.

import { accentProperties } from '#web/accent-colour.ts';
import { type Html, html } from '#web/html.ts';
import type { Language } from '#web/language.ts';
import { messagesIn } from '#web/messages.ts';

/** Text of a mail in one language. */
export interface MailText {
  language: Language;
  title: string;
  greeting?: string | undefined;
  paragraphs: readonly string[];
  facts?: readonly (readonly [label: string, value: string])[];
  action?: { label: string; url: string } | undefined;
  /** Paragraphs after the button. */
  closing: readonly string[];
  footer: readonly string[];
}

const WIDTH = 72;

/** Formats the mail as `text/plain`. */
export function plainText({ language, greeting, paragraphs, facts = [], action, closing, footer }: MailText): string {
  const { mails } = messagesIn(language);
  const separator = language === 'fr' ? '\u00a0: ' : ': ';
  const blocks = [
    ...(greeting === undefined ? [] : [greeting]),
    ...paragraphs,
    ...(facts.length > 0 ? [facts.map(([label, value]) => `${label}${separator}${value}`).join('\n')] : []),
    ...(action ? [`${mails.linkBelow(action.label)}\n${action.url}`] : []),
    ...closing,
    // Mail programs recognize a signature by the line `-- ` (RFC 3676 section 4.3), and leave the signature out of replies.
    `-- \n${footer.map(wrap).join('\n')}`,
  ];
  return `${blocks.map((block) => (block.startsWith('-- ') ? block : wrap(block))).join('\n\n')}\n`;
}

/** Wraps lines at blanks. Never breaks a web address. */
function wrap(text: string): string {
  const lines = text.split('\n').map((line) => {
    const broken: string[] = [];
    for (const word of line.split(' ')) {
      const last = broken.at(-1);
      if (last !== undefined && last.length + 1 + word.length <= WIDTH) broken[broken.length - 1] = `${last} ${word}`;
      else broken.push(word);
    }
    return broken.join('\n');
  });
  return lines.join('\n');
}

const FONT = "font-family: system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif";

/** Formats the mail as `text/html`. */
export function htmlText(text: MailText, { name, colour }: { name: string; colour: string }): string {
  const { light } = accentProperties(colour);
  const fill = light['--accent'] ?? colour;
  return html`<!DOCTYPE html>
<html lang="${text.language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light">
<title>${text.title}</title>
</head>
<body style="margin: 0; padding: 24px 12px; background-color: #f3f6f7; color: #1b2529; ${FONT}; font-size: 16px; line-height: 1.5">
<div style="max-width: 560px; margin: 0 auto; background-color: #ffffff; border: 1px solid #dfe6e9; border-radius: 12px; overflow: hidden">
<div style="padding: 16px 28px; background-color: ${fill}; color: #ffffff; font-size: 17px; font-weight: 600">${name}</div>
${section(text, fill)}
</div>
</body>
</html>
`.toString();
}

function section(text: MailText, fill: string): Html {
  const { language, title, greeting, paragraphs, facts = [], action, closing, footer } = text;
  const { mails } = messagesIn(language);
  const paragraph = (content: string) => html`<p style="margin: 0 0 16px">${content}</p>\n`;
  return html`<div style="padding: 28px; overflow-wrap: anywhere; word-break: break-word">
<h1 style="margin: 0 0 16px; font-size: 22px; line-height: 1.3; font-weight: 650">${title}</h1>
${greeting !== undefined && paragraph(greeting)}${paragraphs.map(paragraph)}${
  facts.length > 0 &&
  html`<dl style="margin: 0 0 16px; padding: 12px 16px; background-color: #f3f6f7; border-radius: 8px">${facts.map(
    ([label, value]) =>
      html`<dt style="font-size: 14px; color: #4a5a61">${label}</dt><dd style="margin: 0 0 8px; font-weight: 600">${value}</dd>`,
  )}</dl>\n`
}${
  action &&
  html`<p style="margin: 24px 0"><a href="${action.url}" style="display: inline-block; padding: 12px 24px; border-radius: 8px; background-color: ${fill}; color: #ffffff; font-weight: 600; text-align: center; text-decoration: none">${action.label}</a></p>
<p style="margin: 0 0 16px; font-size: 14px; color: #4a5a61">${mails.linkAlternative}<br><span style="word-break: break-all">${action.url}</span></p>\n`
}${closing.map(paragraph)}<div style="margin-top: 24px; padding-top: 16px; border-top: 1px solid #dfe6e9; font-size: 14px; color: #4a5a61">${footer.map(
    (line) => html`<p style="margin: 0 0 4px">${line}</p>`,
  )}</div>
</div>
`;
}
