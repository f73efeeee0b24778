// Limits the number of parameters of a query or a form: handling them takes time for each name, and sometimes for each pair of names.

/** More than twice as many as any specification that we follow has for one request. */
const MOST_PARAMETERS = 64;

export const TOO_MANY_PARAMETERS = `send ${MOST_PARAMETERS} parameters at most`;

/** Looks at the separators alone, before anything is decoded. */
export function hasTooManyParameters(query: string): boolean {
  return query.split('&', MOST_PARAMETERS + 1).length > MOST_PARAMETERS;
}
