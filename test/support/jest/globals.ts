// What `@jest/globals` is for one test file: the functions that Jest made for it and put into the global object (`runtime.ts`).

import type * as jestGlobals from '@jest/globals';

export const { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } =
  globalThis as unknown as typeof jestGlobals;
