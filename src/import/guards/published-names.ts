// The names under which registers are published, and the files that bear one of another register.

import { promisedRegister, REGISTERS } from '#import/registers/register-kinds.ts';
import type { Source } from '#import/registers/source.ts';
import type { MappedEdition } from './measured-edition.ts';

/** Files that hold another register than their name promises; FHIR files may bear any name. */
export function misnamedSources(sources: readonly Source[]): { source: Source; promised: string }[] {
  return sources.flatMap((source) => {
    const promised = promisedRegister(source.input.name);
    if (promised === undefined || source.recognised.kind === 'fhir' || holds(source, promised)) return [];
    return [{ source, promised }];
  });
}

function holds({ recognised, report }: Source, register: string): boolean {
  const [kind, part] = register.split(' ');
  if (recognised.kind !== kind) return false;
  // A file without a single line is refused as such; structures that another file held before count there, and none here.
  return part === undefined || report.lines === 0 || report.parts?.[part] !== undefined;
}

/** Where a register that is missing may be, as the end of a sentence; empty where no name tells. */
export function whereabouts(
  register: string,
  { sources, incoming, collector }: Pick<MappedEdition, 'sources' | 'incoming' | 'collector'>,
): string {
  const promises = (promised: string | undefined) =>
    promised !== undefined && (promised === register || promised.split(' ')[0] === register);
  const misnamed = misnamedSources(sources).find(({ promised }) => promises(promised))?.source;
  if (misnamed)
    return ` (${misnamed.input.name} bears its name and holds ${REGISTERS[misnamed.recognised.kind].title})`;
  const copies = collector.warnings().find(({ kind }) => kind === 'repeated-file')?.examples ?? [];
  const copy = copies.map((example) => example.split(', as ')).find(([name = '']) => promises(promisedRegister(name)));
  if (copy) return ` (${copy[0]} bears its name and is a copy of ${copy[1]})`;
  const unfinished = incoming.find((name) => promises(promisedRegister(name)));
  return unfinished === undefined ? '' : ` (${unfinished} is still being written, by its name)`;
}
