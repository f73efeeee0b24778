// Reads and compiles every module once in a process of Jest's, where each test file has its own copy of all modules: V8 makes the further
// copies from what it compiled for the first one. Nothing else is shared: a copy still runs from its first line, with state of its own.

import fs from 'node:fs';
import { createRequire } from 'node:module';
import vm from 'node:vm';

const { SourceTextModule, compileFunction } = vm;

const compiled = new Map<string, { code: string; cachedData: Buffer }>();

/** What V8 compiled of the same code before. */
function compiledOf(name: string | undefined, code: string): { cachedData: Buffer } | undefined {
  const known = compiled.get(name ?? '');
  return known?.code === code ? { cachedData: known.cachedData } : undefined;
}

vm.SourceTextModule = new Proxy(SourceTextModule, {
  construct(Module, [code, options = {}]: ConstructorParameters<typeof SourceTextModule>) {
    const known = compiledOf(options.identifier, code);
    if (known) {
      try {
        return new Module(code, { ...options, ...known });
      } catch {
        // V8 refuses what it compiled with other flags, and `--expose-gc` may have been set since.
      }
    }
    // Node's types lack the function.
    const module = new Module(code, options) as vm.SourceTextModule & { createCachedData(): Buffer };
    if (options.identifier) compiled.set(options.identifier, { code, cachedData: module.createCachedData() });
    return module;
  },
});

vm.compileFunction = (code, parameters, options = {}) => {
  const known = compiledOf(options.filename, code);
  if (known) return compileFunction(code, parameters, { ...options, ...known });
  const made = compileFunction(code, parameters, { ...options, produceCachedData: true });
  if (options.filename && made.cachedData) compiled.set(options.filename, { code, cachedData: made.cachedData });
  return made;
};

// The copy of `node:fs` that Jest itself reads modules with; tests have another one.
const jestsFs: Pick<typeof fs, 'readFileSync'> = createRequire(import.meta.resolve('jest-runtime'))('graceful-fs');
const { readFileSync } = jestsFs;

const read = new Map<string, { changed: number; bytes: number; source: Buffer }>();

/** What a file held before, unless it has changed since, with its text: it would be decoded for every copy of the module. */
function readOnce(file: string): Buffer {
  const { mtimeMs: changed, size: bytes } = fs.statSync(file);
  const known = read.get(file);
  if (known?.changed === changed && known.bytes === bytes) return known.source;
  const content = readFileSync(file);
  const text = content.toString();
  const source = Object.assign(content, { toString: () => text });
  read.set(file, { changed, bytes, source });
  return source;
}

jestsFs.readFileSync = ((...args: Parameters<typeof readFileSync>) => {
  const [file, options] = args;
  return options === undefined && typeof file === 'string' ? readOnce(file) : readFileSync(...args);
}) as typeof readFileSync;
