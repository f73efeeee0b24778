// Chains of one level (STU3 search 3.1.1.5.6 and 3.1.1.5.7), which are criteria on linked resources. `practitioner.name` follows a
// reference, and `_has:PractitionerRole:practitioner:specialty` follows a reference backwards.

import { fhirError, shownName } from '#directory/errors.ts';
import type { ParameterTable } from '#directory/resources/parameters.ts';
import { TABLES } from '#directory/resources/resource-types.ts';
import {
  type ChainedClause,
  type Clause,
  type ExactText,
  type FieldClause,
  isChained,
  type ResourceType,
} from '#search-index/index.ts';
import { endsOf, INCLUDE_PATHS, type IncludePath } from './include-paths.ts';

/** A reference that a chain follows. With `reverse`, it is followed backwards. */
export interface Chain {
  path: IncludePath;
  reverse: boolean;
  /** The part of the parameter's name that leads to the linked resources. */
  prefix: string;
}

/** The chains that a search for the type can have. */
export function chainsOf(type: ResourceType): readonly Chain[] {
  return INCLUDE_PATHS.flatMap((path) => [
    ...(path.source === type ? [{ path, reverse: false, prefix: `${path.name}.` }] : []),
    ...(path.target === type ? [{ path, reverse: true, prefix: `_has:${path.source}:${path.name}:` }] : []),
  ]);
}

/** The parameter table of the resources that a chain leads to. */
export function linkedTable(chain: Chain): ParameterTable {
  return TABLES.find(({ type }) => type === endsOf(chain).to) as ParameterTable;
}

const FORWARDS = /^([^:.]*)(:[^.]*)?\.(.*)$/s;
const BACKWARDS = /^(_has:[^:]*:[^:]*:)(.*)$/s;

/**
 * Splits the name of a parameter into the chain at its beginning and the rest. Returns undefined if the name has no chain.
 * @throws FhirError 400 for a chain that this type does not have; the message names the remedy
 */
export function splitChain(type: ResourceType, name: string): { chain: Chain; rest: string } | undefined {
  const [, reference, target = '', end = ''] = FORWARDS.exec(name) ?? [];
  const backwards = name.startsWith('_has');
  if (!backwards && reference === undefined) return undefined;
  const [, prefix = backwards ? '_has' : `${reference}.`, rest = end] = BACKWARDS.exec(name) ?? [];
  const chains = chainsOf(type);
  const chain = chains.find((one) => one.prefix === prefix);
  const { path } = chain ?? {};
  const refused = (text: string) => {
    const shown = shownName(name);
    throw fhirError(400, 'not-supported', `${shown}: ${text}`, { parameter: shown });
  };
  if (!chain || !path)
    return refused(
      chains.length > 0
        ? `chains of ${type} begin with ${chains.map((one) => one.prefix).join(', ')} and the name of a parameter follows.`
        : `${type} has no chains: no reference leads to it, nor from it.`,
    );
  if (!chain.reverse && target !== '' && target !== `:${path.target}`)
    refused(`${path.name} leads to each ${path.target}: write ${prefix}${shownName(rest)}.`);
  if (rest.includes('.') || rest.startsWith('_has'))
    refused(`a chain has one level here: ${twoSteps(chain, shownName(rest))}.`);
  return { chain, rest };
}

/** Describes the two searches with which a client gets the result of a chain of two levels. */
function twoSteps({ path: { source, target, name }, reverse }: Chain, rest: string): string {
  return reverse
    ? `search ${source} by ${rest} and add _include=${source}:${name}`
    : `search ${target} by ${rest}, and then ${source} by ${name}=ID,ID with the ids that it finds`;
}

/** Makes the clause of a chain, from a criterion on the linked resources. */
export function chainedClause(
  { path, reverse }: Chain,
  clause: FieldClause,
  exact: ExactText | undefined,
): ChainedClause {
  const { field, source, target } = path;
  const criteria = { clauses: [clause], ...(exact && { exactly: [exact] }) };
  return reverse
    ? { match: 'has', field, of: source, ...criteria }
    : { match: 'chained', field, of: target, ...criteria };
}

/** The types of the linked resources that a search reads for its chains. */
export function linkedTypes(clauses: readonly Clause[]): readonly ResourceType[] {
  return clauses.filter(isChained).map(({ of }) => of);
}

/** All criteria of a search. A chain is replaced by its criteria on the linked resources. */
export function criteriaOf(clauses: readonly Clause[]): readonly FieldClause[] {
  return clauses.flatMap((clause) => (isChained(clause) ? clause.clauses : [clause]));
}
