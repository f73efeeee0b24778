// Facts about a structure, for tests.

import type { StructureFacts } from '#import/mapping/structure-facts.ts';

/** What a register says of a structure: nothing but these facts. */
export const facts = (source: StructureFacts['source'], more: object = {}): StructureFacts => ({
  source,
  name: '',
  aliases: [],
  finess: '',
  siret: '',
  siren: '',
  nationalId: '',
  types: [],
  address: undefined,
  contacts: [],
  partOf: '',
  ...more,
});
