// Opens what the tests of a block share, and closes it after them.

import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';

type Closable = { close(): unknown } | { stop(): unknown } | { remove(): unknown };
type Open<T> = () => T | Promise<T>;

/** What `open` gives, opened before all tests of the enclosing block and closed after them. Hooks that need it come later. */
export function openedForAll<T extends Closable>(open: Open<T>): T {
  return opened(open, beforeAll, afterAll);
}

/** What `open` gives, opened anew for each test. */
export function openedForEach<T extends Closable>(open: Open<T>): T {
  return opened(open, beforeEach, afterEach);
}

/** What is open now. What was opened last is closed first. */
const open: Closable[] = [];

function opened<T extends Closable>(make: Open<T>, before: typeof beforeAll, after: typeof afterAll): T {
  let current: T | undefined;
  let below = 0;
  before(async () => {
    below = open.length;
    current = await make();
    open.push(current);
  });
  after(async () => {
    while (open.length > below) await close(open.pop());
    current = undefined;
  });
  const now = (): T => {
    if (!current) throw new Error('Only tests and later hooks can use what is opened for them');
    return current;
  };
  // Stands for what is open: nothing is there yet when the tests are declared.
  return new Proxy({} as T, {
    get: (_, key) => Reflect.get(now(), key),
    set: (_, key, value) => Reflect.set(now(), key, value),
    has: (_, key) => Reflect.has(now(), key),
    // A copy (`...`) has all of it too.
    ownKeys: () => Reflect.ownKeys(now()),
    getOwnPropertyDescriptor: (_, key) => {
      const found = Reflect.getOwnPropertyDescriptor(now(), key);
      return found && { ...found, configurable: true };
    },
  });
}

function close(closable: Closable | undefined): unknown {
  if (!closable) return undefined;
  if ('close' in closable) return closable.close();
  return 'stop' in closable ? closable.stop() : closable.remove();
}
