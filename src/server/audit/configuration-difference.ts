// Owns which differences between a configuration and those that are known are told, and when they are none. Instances that run
// with different configurations start by turns: each tells once how it differs from the others, and again when its own changes.
// Does not own how a difference is worded (`remembered-settings.ts`, `client-edits.ts`).

import type { AuditEvent } from '../../shared/audit/events.ts';
import { digest } from '../../shared/crypto/digest.ts';
import {
  type Known,
  type KnownPart,
  type KnownParts,
  PARTS,
  type Part,
} from '../../store/audit/known-configuration.ts';
import { rememberedClientChanges } from './remembered-clients.ts';
import { settingChanges } from './remembered-settings.ts';

/** Other configurations in the same database from which an instance is known to differ. */
const MOST_DIFFERENCES = 20;

const FIRST = 'first start: later ones are compared with it';
const UNREADABLE = 'what was remembered of it is gone or cannot be read: nothing to compare with';

export interface Difference {
  events: AuditEvent[];
  /** For the log. */
  notes: { level: 'info' | 'warn'; text: string }[];
  /** What is to be remembered instead. */
  next: KnownParts;
}

/** What the trail is to be told of these contents. */
export function differenceFrom(
  seen: KnownParts,
  contents: Readonly<Record<Part, string>>,
  instance: string,
): Difference {
  const parts = PARTS.map((part) => differenceOf(part, seen[part], contents[part], instance));
  const [service, clients] = parts as [PartDifference, PartDifference];
  const next = { service: service.next, clients: clients.next };
  if (!seen.service.last && !seen.clients.last) {
    const details = { edit: FIRST, at: `start of ${instance}` };
    return { events: [{ event: 'service.changed', details }], notes: [], next };
  }
  const notes = parts.flatMap(({ note }) => note ?? []);
  return { events: [...service.events, ...clients.events], notes, next };
}

interface PartDifference {
  events: AuditEvent[];
  note?: Difference['notes'][number];
  next: KnownPart;
}

function differenceOf(part: Part, { last, own }: KnownPart, content: string, instance: string): PartDifference {
  const differs = own?.differs ?? [];
  if (last?.content === content) return { events: [], next: { own: { content, differs } } };

  const other = last && digest(last.content);
  const isKnown = other !== undefined && differs.includes(other);
  const remembered = { content, differs: isKnown || !other ? differs : [...differs, other].slice(-MOST_DIFFERENCES) };
  if (isKnown && own?.content === content) {
    const text = `${part}: as before, and still unlike what another instance has`;
    return { events: [], note: { level: 'info', text }, next: { own: remembered } };
  }

  const next = { last: { content, differs: [] }, own: remembered };
  const at = `start of ${instance}${own?.content === content ? ', which has it as before' : ''}`;
  for (const base of isKnown ? [own, last] : [last]) {
    const events = base && changesBetween(part, base, content, at);
    if (events) return { events, next: events.length > 0 || base === last ? next : { own: remembered } };
  }
  const text = `${part}: ${UNREADABLE}`;
  return {
    events: [{ event: `${part}.changed`, details: { edit: UNREADABLE, at } }],
    note: { level: 'warn', text },
    next,
  };
}

/** Undefined when what was remembered cannot be read. */
function changesBetween(part: Part, before: Known, content: string, at: string): AuditEvent[] | undefined {
  try {
    if (part === 'service') {
      return settingChanges(before.content, content).map((keys) => ({
        event: 'service.changed',
        details: { edit: 'changed', at, keys },
      }));
    }
    return rememberedClientChanges(before.content, content).map(({ details, ...event }) => {
      const { edit, ...rest } = details ?? {};
      return { ...event, details: { edit, at, ...rest } };
    });
  } catch {
    return undefined;
  }
}
