// The files of docs/quick-starts.md: each block begins with a comment that names its file.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf } from './markdown.ts';

const PAGE = join(import.meta.dirname, '../../../docs/quick-starts.md');

/** The text of a file as it stands on the page, without the comment; `section` is a word of its heading. */
export function quickStartFile(section: string, file: string): string {
  const page = readFileSync(PAGE, 'utf8');
  const part = page.split(/^## /m).find((one) => one.split('\n', 1)[0]?.includes(section)) ?? '';
  const names = new RegExp(`^(?://|#|<!--) ${file.replaceAll('.', '\\.')}( -->)?\n`);
  const block = blocksOf(part).find(({ text }) => names.test(text));
  if (!block) throw new Error(`docs/quick-starts.md has no ${file} in the section ${section}`);
  return block.text.replace(names, '');
}
