// Owns the table of what is known of the configuration since the start or edit before: of each instance, and what the audit
// trail told last. Does not own what is kept of it, nor what differs (`src/server/audit/configuration-memory.ts`).

import type { Knex } from 'knex';
import { type Database, epochSeconds } from '../database/connection.ts';
import { type AuditEvents, openAuditEvents } from './audit-events.ts';

export const PARTS = ['service', 'clients'] as const;
export type Part = (typeof PARTS)[number];

export interface Known {
  content: string;
  /** Digests of contents of other instances from which it is known to differ. */
  differs: readonly string[];
}

/** Of one part: what the trail told last, of whichever instance, and what this instance had. */
export interface KnownPart {
  last?: Known;
  own?: Known;
}

export type KnownParts = Readonly<Record<Part, KnownPart>>;

export interface KnownConfiguration {
  read(): Promise<KnownParts>;
  /**
   * Stores what is given, unless it is no longer as it was `seen`: of several instances that do the same at once, one wins.
   * `tell` adds to the audit trail: both are stored, or neither. Returns whether they are.
   */
  replace(seen: KnownParts, next: KnownParts, tell: (events: AuditEvents) => Promise<void>): Promise<boolean>;
}

const TABLE = 'known_configuration';
const LAST = '';
/** Where each start has another name, as in some containers, those before are forgotten. */
const MOST_INSTANCES = 20;

interface Row {
  part: string;
  instance: string;
  content: string;
  differs: string;
}

/** Opens what is known, for an instance of this name. */
export function openKnownConfiguration(database: Database, instance: string): KnownConfiguration {
  const read = async (knex: Knex): Promise<KnownParts> => {
    const rows: Row[] = await knex(TABLE)
      .select('part', 'instance', 'content', 'differs')
      .whereIn('instance', [LAST, instance]);
    const of = (part: Part): KnownPart => {
      const found = (name: string) => rows.find((row) => row.part === part && row.instance === name);
      const [last, own] = [found(LAST), found(instance)];
      return { ...(last?.content && { last: knownOf(last) }), ...(own && { own: knownOf(own) }) };
    };
    return { service: of('service'), clients: of('clients') };
  };
  return {
    read: () => read(database),
    replace: (seen, next, tell) =>
      database.transaction(async (transaction) => {
        // The first write of each: others wait here until this one has finished.
        const now = epochSeconds();
        const lock = { part: PARTS[0], instance: LAST, content: '', differs: '[]', updated_at: now };
        await transaction(TABLE).insert(lock).onConflict(['part', 'instance']).merge(['updated_at']);
        if (JSON.stringify(await read(transaction)) !== JSON.stringify(seen)) return false;
        for (const part of PARTS) {
          const { last, own } = next[part];
          const rows = [
            ...(last ? [{ part, instance: LAST, ...rowOf(last), updated_at: now }] : []),
            ...(own ? [{ part, instance, ...rowOf(own), updated_at: now }] : []),
          ];
          if (rows.length > 0) await transaction(TABLE).insert(rows).onConflict(['part', 'instance']).merge();
          await forgetOldest(transaction, part);
        }
        await tell(openAuditEvents(transaction));
        return true;
      }),
  };
}

async function forgetOldest(transaction: Knex, part: Part): Promise<void> {
  const kept = transaction(TABLE).select('instance').where({ part }).whereNot('instance', LAST);
  kept.orderBy('updated_at', 'desc').orderBy('instance').limit(MOST_INSTANCES);
  await transaction(TABLE).where({ part }).whereNot('instance', LAST).whereNotIn('instance', kept).delete();
}

function rowOf({ content, differs }: Known): Pick<Row, 'content' | 'differs'> {
  return { content, differs: JSON.stringify(differs) };
}

function knownOf({ content, differs }: Row): Known {
  return { content, differs: listOf(differs) };
}

// What cannot be read is known of nothing: then a difference is told once more.
function listOf(text: string): string[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
  } catch {
    return [];
  }
}
