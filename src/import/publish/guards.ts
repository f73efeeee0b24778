// The guards that an edition must pass before it becomes the directory, each with its figures and its limit.

import type { Settings } from '../../config/settings.ts';
import {
  type IndexedResource,
  RESOURCE_TYPES,
  type ResourceType,
  type Snapshot,
  type SnapshotSummary,
  tokenize,
} from '../../search-index/index.ts';
import { hygie } from '../../shared/hygie-command.ts';
import type { Database } from '../../store/database/connection.ts';
import { listSnapshots, type SnapshotEntry } from '../../store/snapshots/registry.ts';
import { ImportError } from '../import-error.ts';
import { REGISTERS, type RegisterKind } from '../sources/register-kinds.ts';
import { editionsOf, type RegisterEdition, type Source } from '../sources/sources.ts';
import type { Collector } from './report.ts';

export interface Verdict {
  name: string;
  passed: boolean;
  figures: string;
}

type Limits = Settings['directory']['guards'];

/** Share of unusable lines, file by file: rubbish in a small file must not drown in the lines of a large one. */
export function guardUnusableLines(sources: readonly Source[], limits: Limits, collector: Collector): Verdict[] {
  return sources.map(({ report }) => {
    const share = report.leftOut / Math.max(1, report.lines);
    const [first] = collector.reasonsFor(report);
    const example = first ? `; ${first.unit ?? 'line'} ${first.line}: ${first.reason}` : '';
    return {
      name: 'unusable lines',
      passed: report.lines > 0 && share <= limits.unusableLines,
      figures:
        report.lines === 0
          ? `${report.name}: not a single ${report.unit ?? 'line behind the header'}`
          : `${report.name}: ${report.leftOut} of ${report.lines} lines (${percent(share)}, limit ${percent(limits.unusableLines)})${example}`,
    };
  });
}

/** Columns whose values look like those of another one. */
export function guardColumns({ columns }: Collector): Verdict[] {
  const odd = columns.odd();
  if (odd.length === 0) return [{ name: 'columns', passed: true, figures: 'values look like their columns' }];
  return odd.map(({ file, column, seen, odd: count, example }) => ({
    name: 'columns',
    passed: false,
    figures: `${file}, column "${column}": ${count} of ${seen} values looked at do not belong there, such as "${example}"; are columns swapped?`,
  }));
}

/** Least number of resources. */
export function guardMinimum(counts: Record<ResourceType, number>, limits: Limits): Verdict[] {
  return (['Practitioner', 'Organization'] as const).map((type) => ({
    name: 'minimum',
    passed: counts[type] >= limits.minimum[type],
    figures: `${counts[type]} ${type} resources (at least ${limits.minimum[type]})`,
  }));
}

/** Lines of each register against those of the current directory; an absent one has shrunk by all. */
export function guardRegisters(
  now: Readonly<Record<string, RegisterEdition>>,
  before: Readonly<Record<string, RegisterEdition>> | undefined,
  limits: Limits,
): Verdict[] {
  return Object.entries(before ?? {}).map(([register, { lines }]) => {
    const left = now[register]?.lines ?? 0;
    const share = Math.max(0, lines - left) / Math.max(1, lines);
    const passed = share <= limits.registers;
    const remedy = `Give the ${left === 0 ? 'missing' : 'whole'} file; if this is meant, use --replace, or raise directory.guards.registers`;
    return {
      name: 'registers',
      passed,
      figures: `${titleOf(register)}: ${lines} lines before, ${left} now (${percent(share)} fewer, limit ${percent(limits.registers)})${passed ? '' : `. ${remedy}.`}`,
    };
  });
}

/** Title of a register as the catalogue names it: the kind, for FINESS followed by the first cell of its lines. */
function titleOf(register: string): string {
  const [kind, part] = register.split(' ');
  const title = REGISTERS[kind as RegisterKind].title;
  return part === undefined ? `${title} (${kind})` : `${title}, lines "${part}"`;
}

/** Shrinkage of each type against the current directory. */
export function guardShrinkage(
  counts: Record<ResourceType, number>,
  before: Readonly<Record<ResourceType, number>> | undefined,
  limits: Limits,
): Verdict[] {
  if (!before) return [];
  return RESOURCE_TYPES.map((type) => {
    const share = Math.max(0, before[type] - counts[type]) / Math.max(1, before[type]);
    return {
      name: 'shrinkage',
      passed: share <= limits.shrinkage,
      figures: `${type}: ${before[type]} before, ${counts[type]} now (${percent(share)} fewer, limit ${percent(limits.shrinkage)})`,
    };
  });
}

/** Resources of the current directory that are gone: as many others in their place do not make up for them. */
export function guardRemoved(
  changes: SnapshotSummary['changes'],
  before: Readonly<Record<ResourceType, number>> | undefined,
  limits: Limits,
): Verdict[] {
  if (!before) return [];
  return RESOURCE_TYPES.map((type) => {
    const { removed } = changes[type];
    const share = removed / Math.max(1, before[type]);
    const passed = share <= limits.shrinkage;
    const remedy =
      'Are these files of another population? If this is meant, use --replace, or raise directory.guards.shrinkage';
    return {
      name: 'removed',
      passed,
      figures: `${type}: ${removed} of ${before[type]} are not in this edition (${percent(share)}, limit ${percent(limits.shrinkage)})${passed ? '' : `. ${remedy}.`}`,
    };
  });
}

/** Some resources of the edition, looked up in the finished snapshot by id, identifier and name. */
export async function guardCanaries(snapshot: Snapshot, canaries: readonly IndexedResource[]): Promise<Verdict> {
  const lost: string[] = [];
  for (const { type, id, index } of canaries) {
    const names = (index['name'] ?? [])
      .slice(0, 1)
      .map((name) => tokenize(name).map((prefix) => ({ prefix, whole: [] })))
      .filter((words) => words.length > 0);
    const identifiers = (index['identifier'] ?? []).slice(0, 1);
    const found = await snapshot.search({
      type,
      clauses: [
        // Beside the id, because others may share the name and even the identifier of a resource that came as FHIR.
        { field: 'id', match: 'exact', anyOf: [id] },
        ...(identifiers.length > 0 ? [{ field: 'identifier', match: 'exact', anyOf: identifiers } as const] : []),
        ...(names.length > 0 ? [{ field: 'name', match: 'words', anyOf: names } as const] : []),
      ],
      limit: 10,
      total: false,
    });
    const read = await snapshot.read(type, id);
    if (!found.matches.some((match) => match.id === id) || !read) lost.push(`${type}/${id}`);
  }
  return {
    name: 'canaries',
    passed: lost.length === 0,
    figures: `${canaries.length - lost.length} of ${canaries.length} sample resources found again${lost.length > 0 ? `; lost: ${lost.slice(0, 5).join(', ')}` : ''}`,
  };
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.1 ? 2 : 1)} %`;
}

/** Says why the people of a directory must not be served; undefined where nothing speaks against them. */
export type PeopleCheck = (snapshot: Snapshot) => Promise<string | undefined>;

/** No verdict where nothing speaks against the people. */
export async function guardPeople(snapshot: Snapshot, checkPeople: PeopleCheck): Promise<Verdict[]> {
  const figures = await checkPeople(snapshot);
  return figures === undefined ? [] : [{ name: 'people', passed: false, figures }];
}

/** For files that nobody chose: several of one register must bear dates, or today's could be mixed with yesterday's. */
export function refuseUndated(sources: readonly Source[]): void {
  for (const { input, recognised } of sources) {
    if (recognised.binding === undefined || recognised.edition !== undefined) continue;
    const other = sources.find((source) => source.recognised.kind === recognised.kind && source.input !== input);
    if (!other) continue;
    throw new ImportError(
      { file: input.name },
      `is of the same register as ${other.input.name}, and which is newer is unclear: its name has no date.`,
      'Leave one of them, or name them as they are published (..._YYYYMMDDhhmm.txt).',
    );
  }
}

/** For files that nobody chose, as in a watched folder: nothing older than the directory, and nothing that a rollback left. */
export async function guardUnattended(
  sources: readonly Source[],
  checksum: string,
  current: SnapshotEntry | undefined,
  database: Database,
): Promise<Verdict[]> {
  const older = Object.entries(editionsOf(sources)).flatMap(([register, { date }]) => {
    const loaded = current?.editions[register]?.date;
    return date !== undefined && loaded !== undefined && date < loaded
      ? [`${register}: ${date}, loaded ${loaded}`]
      : [];
  });
  const left = (await listSnapshots(database)).find(
    ({ id, sourcesChecksum, damagedAt }) =>
      id !== current?.id && sourcesChecksum === checksum && damagedAt === undefined,
  );
  return [
    {
      name: 'older edition',
      passed: older.length === 0,
      figures:
        older.length === 0
          ? 'no register is older than the directory'
          : `${older.join('; ')}. If this is meant, load it by hand: ${hygie('directory import PATH...')}`,
    },
    {
      name: 'left edition',
      passed: left === undefined,
      figures: left
        ? `snapshot ${left.id} holds this edition and was left, as by a rollback. By hand: ${hygie('directory import PATH...')}`
        : 'no earlier snapshot holds this edition',
    },
  ];
}
