// Limits on the content of a request: the number of its parameters, and the nesting of its JSON.

/**
 * Maximum parameters of a query or a form. There has to be a limit, because handling parameters takes time for each name, and sometimes for
 * each pair of names. No specification that we follow has half as many for one request.
 */
const MOST_PARAMETERS = 64;

export const TOO_MANY_PARAMETERS = `send ${MOST_PARAMETERS} parameters at most`;

/** Counts only the separators, so that nothing has to be decoded first. */
export function hasTooManyParameters(query: string): boolean {
  return query.split('&', MOST_PARAMETERS + 1).length > MOST_PARAMETERS;
}

/**
 * Checks whether a value has more levels of objects and arrays than `levels`. Deeper levels are not visited, because a recursive walk
 * through a deep value would overflow the stack.
 */
export function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}
