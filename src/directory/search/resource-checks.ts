// What the directory knows of a resource and the search index does not. Its threads load this file by `CHECKS_MODULE`.

import type { ResourceChecks } from '#search-index/index.ts';
import { matchesText } from './exact-modifier.ts';
import { matchesToken } from './token-match.ts';

export const checks: ResourceChecks = {
  hasKey: (_type, field, key, json) => matchesToken(field, key, json),
  hasText: matchesText,
};

/** Address of this module, for `startSearchThreads`. */
export const CHECKS_MODULE = import.meta.url;
