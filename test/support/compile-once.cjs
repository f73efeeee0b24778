// Loaded by `npm test` before Jest. Each test file has modules of its own, so Jest compiles Express, oidc-provider and all others
// anew some hundred times; with the code that V8 made of them the first time, a file of tests loads in three quarters of the time.

const vm = require('node:vm');

const { compileFunction, SourceTextModule } = vm;

/**
 * By file name: a source, and V8's code for it. V8 compares no more than the lengths of sources; it refuses code that was made
 * before a flag of its own changed, as an import does (`releaseMemory`).
 */
const compiled = new Map();

function codeFor(name, source) {
  const known = compiled.get(name);
  return known?.source === source ? known.code : undefined;
}

vm.compileFunction = (source, parameters, options = {}) => {
  const cachedData = codeFor(options.filename, source);
  const result = compileFunction(source, parameters, { ...options, cachedData, produceCachedData: !cachedData });
  if (!cachedData) compiled.set(options.filename, { source, code: result.cachedData });
  else if (result.cachedDataRejected) compiled.delete(options.filename);
  return result;
};

vm.SourceTextModule = new Proxy(SourceTextModule, {
  construct(_target, [source, options = {}]) {
    const cachedData = codeFor(options.identifier, source);
    try {
      if (cachedData) return new SourceTextModule(source, { ...options, cachedData });
    } catch (error) {
      if (error.code !== 'ERR_VM_MODULE_CACHED_DATA_REJECTED') throw error;
    }
    const module = new SourceTextModule(source, options);
    compiled.set(options.identifier, { source, code: module.createCachedData() });
    return module;
  },
});
