// Reads a Markdown page: its fenced blocks, the anchors of its headings, and its links.

export interface Block {
  /** First word behind the fence: `sh`, `yaml`, `text` ... */
  language: string;
  text: string;
  /** Line of the page on which the text begins. */
  line: number;
}

/** The fenced blocks of a page, in its order. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = [];
  let open: { fence: string; language: string; lines: string[]; line: number } | undefined;
  for (const [index, line] of page.split('\n').entries()) {
    const [, indent = '', fence = '', language = ''] = /^( *)(`{3,})(\S*)/.exec(line) ?? [];
    if (open && line.trim() === open.fence) {
      blocks.push({ language: open.language, text: `${open.lines.join('\n')}\n`, line: open.line });
      open = undefined;
    } else if (open) open.lines.push(line.startsWith(indent) ? line : line.trimStart());
    else if (fence) open = { fence, language, lines: [], line: index + 2 };
  }
  if (open) throw new Error(`the block that begins on line ${open.line - 1} does not end`);
  return blocks;
}

/** The page without its fenced blocks and inline code. */
function proseOf(page: string): string {
  return page
    .replace(/^ *(`{3,})[\s\S]*?^ *\1$/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()#]/g, ''));
}

/** The anchors that GitHub gives the headings of a page, and those set by hand. */
export function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  const headings = page.replace(/^ *(`{3,})[\s\S]*?^ *\1$/gm, '').matchAll(/^#{1,6} +(.+?) *#*$/gm);
  for (const [, heading = ''] of headings) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = text.replace(/[^\p{L}\p{N}\p{M} _-]/gu, '').replaceAll(' ', '-');
    for (let number = 0; ; number += 1) {
      const numbered = number === 0 ? anchor : `${anchor}-${number}`;
      if (anchors.has(numbered)) continue;
      anchors.add(numbered);
      break;
    }
  }
  for (const [, id = ''] of page.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

/** The targets of the links and pictures of a page, as they are written. */
export function linksOf(page: string): string[] {
  const prose = proseOf(page);
  const inline = [...prose.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)];
  const references = [...prose.matchAll(/^\[[^\]]+\]:\s+(\S+)/gm)];
  return [...inline, ...references].map(([, target = '']) => target);
}
