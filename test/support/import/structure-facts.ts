// Facts about a structure, for tests.

import { NO_FACTS, type StructureFacts } from '#import/mapping/structure-facts.ts';

/** What a register says of a structure: nothing but these facts. */
export const facts = (source: StructureFacts['source'], more: object = {}): StructureFacts => ({
  ...NO_FACTS,
  source,
  ...more,
});
