// Searches places and answers for all canaries, and reports those that `allowed.ts` does not allow.

import { ALLOWED, type Allowance } from './allowed.ts';
import { canaryFinder } from './find-canaries.ts';
import type { Place } from './places.ts';
import type { Stage } from './stage.ts';

export interface Findings {
  /** `place: kind`, each once, with the line where it stands. */
  leaks: string[];
  used: Set<Allowance>;
}

export function findLeaks(
  { canaries, answers }: Pick<Stage, 'canaries' | 'answers'>,
  places: readonly Place[],
): Findings {
  const find = canaryFinder(canaries);
  const leaks = new Map<string, string>();
  const used = new Set<Allowance>();
  const judge = (kind: string, place: string, where: () => string) => {
    const allowance = ALLOWED.find(({ kinds, place: allowed }) => kinds.includes(kind) && allowed.test(place));
    if (allowance) used.add(allowance);
    else if (!leaks.has(`${place}: ${kind}`)) leaks.set(`${place}: ${kind}`, where());
  };
  for (const { name, content } of places) {
    for (const canary of find(content)) judge(canary.kind, name, () => lineWith(find, canary, content));
  }
  for (const { by, asked, parts, sent } of answers) {
    for (const { part, content } of parts) {
      for (const { kind, owner, value } of find(content)) {
        const to =
          sent.includes(value) || sent.includes(encodeURIComponent(value)) ? 'echo' : owner === by ? 'own' : 'foreign';
        judge(kind, `${to} ${part} ${withoutIds(asked)}`, () => `${owner} to ${by}`);
      }
    }
  }
  return { leaks: [...leaks].map(([what, line]) => `${what}\n    ${line.slice(0, 600)}`), used };
}

function withoutIds(asked: string): string {
  return asked.replace(/\/[^/]{20,}/g, '/…');
}

function lineWith(find: ReturnType<typeof canaryFinder>, canary: object, content: string | Buffer): string {
  if (typeof content !== 'string') return '(bytes)';
  return content.split('\n').find((line) => find(line).some((one) => one === canary)) ?? '';
}
