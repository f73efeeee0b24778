// Replaces a function or class of one of Node's own modules, for those too who import it by name.

import { createRequire, syncBuiltinESMExports } from 'node:module';
import { afterFile } from './jest/after-file.ts';

const require = createRequire(import.meta.url);

/** `make` gets the original. It is put back after the test file, or when the returned function is called. */
export function replaceBuiltin<Original>(
  module: string,
  name: string,
  make: (original: Original) => Original,
): () => void {
  const exported = require(module) as Record<string, Original>;
  const original = exported[name] as Original;
  const set = (value: Original) => {
    exported[name] = value;
    syncBuiltinESMExports();
  };
  set(make(original));
  const putBack = () => set(original);
  afterFile(putBack);
  return putBack;
}
