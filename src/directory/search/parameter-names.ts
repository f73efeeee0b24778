// Parses the names of parameters in a search: a search parameter, which may have a modifier or stand at the end of a chain, or a result
// parameter. An unknown name is refused, and the refusal suggests a known one.

import { fhirError, parameterError, shownName } from '#directory/errors.ts';
import type { Parameter, ParameterTable } from '#directory/resources/parameters.ts';
import { nearest } from '#shared/nearest.ts';
import { type Chain, chainsOf, linkedTable, splitChain } from './chains.ts';
import { includeNames, isInclude } from './include-paths.ts';
import { writtenModifiers } from './modifiers.ts';
import { isResultParameter, RESULT_PARAMETERS, sortValues } from './result-parameters.ts';

/** A search parameter, together with the modifier and the chain that its name has in the query. */
interface NamedParameter {
  parameter: Parameter;
  modifier?: string;
  /** The chain that leads to the resources to which the parameter applies. */
  chain?: Chain;
}

interface ParameterNames {
  /**
   * The parameter with that name; undefined for a result parameter.
   * @throws FhirError 400 for a name, a modifier or a chain that is not supported
   */
  known(name: string): NamedParameter | undefined;
  /** Checks whether the name without its modifier is unknown. A lenient search may ignore a parameter with an unknown name. */
  isUnknown(name: string): boolean;
}

/** Result parameters with possible values that differ from type to type. */
const RESULTS: readonly string[] = ['_sort', '_include', '_revinclude'];

// Hints for parameters that other FHIR servers have and this one does not: parameters that have another name here, and parameters for the
// number of a page.

/** Common names of parameters, each with the name that the parameter has here. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  city: 'address-city',
  town: 'address-city',
  zip: 'address-postalcode',
  postalcode: 'address-postalcode',
  email: 'email',
  mail: 'email',
  phone: 'phone',
  telephone: 'phone',
  mailbox: 'mailbox-mss',
  id: '_id',
  specialty: 'qualification',
  speciality: 'qualification',
  profession: 'qualification',
  firstname: 'given',
  lastname: 'family',
  sort: '_sort',
  count: '_count',
  limit: '_count',
  _limit: '_count',
  size: '_count',
  format: '_format',
};

const STEERING: readonly string[] = ['_sort', '_count', '_format'];

/**
 * Names of parameters for the number of a page. They are refused, because a page with the same number may have other results in another
 * edition.
 */
const PAGES: ReadonlySet<string> = new Set([
  'page',
  'offset',
  '_offset',
  '_getpages',
  '_getpagesoffset',
  '_skip',
  'skip',
]);

const PAGING_HINT = 'Pages have no number: follow the link next of the Bundle, and set their size with _count.';

/** `_since` is a parameter of the export. A search refuses it: if it were ignored, clients would take all resources for new ones. */
const SINCE = '_since';

const SINCE_HINT =
  'belongs to an export: search with _lastUpdated=gt and the same instant for what is new or changed, or ask $export for what was removed too';

export function parameterNames(table: ParameterTable): ParameterNames {
  const { type } = table;
  const sorts = sortValues(table).length > 0 ? ['_sort'] : [];
  const own = tableNames(table, [...sorts, ...includeNames(type), ...RESULT_PARAMETERS]);
  const linked = new Map(
    chainsOf(type).map((chain) => [chain.prefix, tableNames(linkedTable(chain), [], chain.prefix)]),
  );
  const linkedOf = ({ prefix }: Chain) => linked.get(prefix) as ReturnType<typeof tableNames>;
  return {
    known(name) {
      if (own.has(name)) return own.known(name);
      if (isKnownResultParameter(name) || isInclude(name)) return undefined;
      if (name === SINCE) throw parameterError(name, `${SINCE_HINT}.`, 'not-supported');
      const chained = splitChain(type, name);
      if (!chained) return own.known(name);
      return { ...linkedOf(chained.chain).known(chained.rest), chain: chained.chain };
    },
    isUnknown(name) {
      if (name === SINCE) return false;
      try {
        const { chain, rest } = splitChain(type, name) ?? {};
        if (chain && rest !== undefined) return !linkedOf(chain).has(bareOf(rest));
        return !own.has(bareOf(name)) && !isKnownResultParameter(bareOf(name));
      } catch {
        return true;
      }
    },
  };
}

function isKnownResultParameter(name: string): boolean {
  return isResultParameter(name) || RESULTS.includes(name);
}

function bareOf(name: string): string {
  return name.split(':', 1)[0] ?? '';
}

/**
 * Looks up the parameters of one table by their names.
 * @param results names of result parameters that this search may also have
 * @param prefix the chain that leads to the type; messages show it before each name
 */
function tableNames(table: ParameterTable, results: readonly string[], prefix = '') {
  const parameters = new Map(
    table.parameters.map((parameter) => [parameter.name, { ...parameter, name: prefix + parameter.name }]),
  );
  const names = [...parameters.keys(), ...results];
  return {
    has: (name: string) => parameters.has(name),
    known(name: string): NamedParameter {
      const parameter = parameters.get(name);
      if (parameter) return { parameter };
      const bare = name.slice(0, Math.max(0, name.indexOf(':')));
      const modifier = name.slice(bare.length + 1);
      const modified = parameters.get(bare);
      const taken = modified ? writtenModifiers(modified) : [];
      if (modified && taken.includes(modifier)) return { parameter: modified, modifier };
      const shown = shownName(prefix + name);
      const text =
        modified || isKnownResultParameter(bare)
          ? `${shown}: ${modifierRemedy(modifier, prefix + bare, taken)}`
          : unknownName(name, shown);
      throw fhirError(400, 'not-supported', text, { parameter: shown });
    },
  };

  function unknownName(name: string, shown: string): string {
    if (PAGES.has(name)) return `${shown}: ${PAGING_HINT}`;
    const usual = usualName(table, name);
    const guess = usual !== undefined && names.includes(usual) ? usual : nearest(name, names);
    const meant = guess ? `: did you mean ${prefix}${guess}?` : '.';
    const what = (prefix === '' ? shown : shownName(name)) || 'A nameless parameter';
    const where = prefix === '' ? '' : `${shown}: `;
    const known = `Known are ${names.join(', ')}.`;
    return `${where}${what} is no search parameter of ${table.type}${meant} ${known}`;
  }
}

/** Says what to send instead of a modifier that the parameter does not take. `alone` is the parameter's name without a modifier. */
function modifierRemedy(modifier: string, alone: string, taken: readonly string[]): string {
  const guess = nearest(modifier, taken);
  const meant = guess ? `: did you mean :${guess}? Else use ${alone} alone` : `, use ${alone} alone`;
  const instead = taken.length > 0 ? `: ${alone} takes ${taken.map((one) => `:${one}`).join(', ')}` : '';
  return `this modifier is not supported${meant}${instead}.`;
}

/** The name that a parameter of the type has here, if `name` is a common name for it. Undefined for any other name. */
function usualName({ parameters }: ParameterTable, name: string): string | undefined {
  const key = name.toLowerCase();
  const meant = Object.hasOwn(OTHER_NAMES, key) ? OTHER_NAMES[key] : undefined;
  if (meant === undefined) return undefined;
  return STEERING.includes(meant) || parameters.some((parameter) => parameter.name === meant) ? meant : undefined;
}
