// Writes down a page in all its states for one snapshot: the first one whole, and of each other one what is otherwise than in the state that
// is most like it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const STYLES = join(import.meta.dirname, '..', '..', 'src', 'web', 'assets', 'style');
const RULES = readdirSync(STYLES).map((name) => readFileSync(join(STYLES, name), 'utf8'));
/** Classes that need no rule: `space-content` is the place of one in the grid of its parent. */
const STYLED = new Set(
  [...RULES.join('\n').matchAll(/\.([a-z][\w-]*)/g)].map(([, name]) => name).concat('space-content'),
);

/** Classes of the page for which the style sheet has no rule. */
export function unstyled(html: string): string[] {
  const used = [...html.matchAll(/\sclass="([^"]*)"/g)].flatMap(([, names = '']) => names.trim().split(/\s+/));
  return used.filter((name) => !STYLED.has(name));
}

/** A page of which more is otherwise than this part is written whole. */
const MOST_CHANGED = 0.8;

/** A line before each change tells where it is: `  as before`, `- gone`, `+ new`. */
export function differences(before: string, after: string): string[] {
  const [from, to] = [before.split('\n'), after.split('\n')];
  // How many lines both have in common from these places on.
  const common = Array.from({ length: from.length + 1 }, () => new Array<number>(to.length + 1).fill(0));
  const at = (left: number, right: number) => common[left]?.[right] ?? 0;
  for (let left = from.length - 1; left >= 0; left -= 1)
    for (let right = to.length - 1; right >= 0; right -= 1)
      (common[left] as number[])[right] =
        from[left] === to[right] ? at(left + 1, right + 1) + 1 : Math.max(at(left + 1, right), at(left, right + 1));
  const written: string[] = [];
  let shared: string | undefined;
  const write = (line: string) => {
    if (shared !== undefined) written.push(`  ${shared}`);
    shared = undefined;
    written.push(line);
  };
  for (let left = 0, right = 0; left < from.length || right < to.length; ) {
    if (left < from.length && right < to.length && from[left] === to[right]) {
      shared = from[left];
      left += 1;
      right += 1;
    } else if (left < from.length && at(left + 1, right) >= at(left, right + 1)) {
      write(`- ${from[left]}`);
      left += 1;
    } else {
      write(`+ ${to[right]}`);
      right += 1;
    }
  }
  return written;
}

/** Every state with the page that it shows, in one text, without blank lines. States that show the same stand together. */
export function pageInStates(pages: readonly (readonly [state: string, page: string])[]): string {
  const states = Map.groupBy(pages, ([, page]) => page.replaceAll(/^\s*\n/gm, ''));
  const names = (page: string) => (states.get(page) ?? []).map(([state]) => state).join('; ');
  return [...states.keys()]
    .map((page, index, all) => {
      const [best] = all
        .slice(0, index)
        .map((other) => ({ other, changes: differences(other, page) }))
        .sort((one, two) => one.changes.length - two.changes.length);
      return best && best.changes.length < page.split('\n').length * MOST_CHANGED
        ? [`== ${names(page)}, as ${states.get(best.other)?.[0]?.[0]}, but:`, ...best.changes].join('\n')
        : [`== ${names(page)}`, page].join('\n');
    })
    .join('\n');
}
