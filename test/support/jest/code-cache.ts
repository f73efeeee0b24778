// Compiles every module once in a process of Jest's, where each test file has its own copy of all modules: V8 makes the further copies
// from what it compiled for the first one. Nothing else is shared: a copy still runs from its first line, with state of its own.

import vm from 'node:vm';

const { SourceTextModule, compileFunction } = vm;

interface Compiled {
  code: string;
  cachedData: Buffer;
}
const compiled = new Map<string, Compiled>();

vm.SourceTextModule = class extends SourceTextModule {
  constructor(code: string, options: vm.SourceTextModuleOptions = {}) {
    const known = compiled.get(options.identifier ?? '');
    if (known?.code === code) super(code, { ...options, cachedData: known.cachedData });
    else {
      super(code, options);
      if (options.identifier) compiled.set(options.identifier, { code, cachedData: cachedData(this) });
    }
  }
};

vm.compileFunction = (code, parameters, options = {}) => {
  const known = compiled.get(options.filename ?? '');
  if (known?.code === code) return compileFunction(code, parameters, { ...options, cachedData: known.cachedData });
  const made = compileFunction(code, parameters, { ...options, produceCachedData: true });
  if (options.filename && made.cachedData) compiled.set(options.filename, { code, cachedData: made.cachedData });
  return made;
};

/** What V8 compiled; Node's types do not have the function. */
function cachedData(module: vm.SourceTextModule): Buffer {
  return (module as vm.SourceTextModule & { createCachedData(): Buffer }).createCachedData();
}
