// Each endpoint has one spelling. The library's router takes others, too (`/USERINFO`, `/authorize/`), at which the checks of our
// middleware, which go by the path, would not be made.

import type { KoaContextWithOIDC } from 'oidc-provider';
import { ROUTES } from '#openid/routes.ts';

const ENDPOINTS: ReadonlySet<string> = new Set(Object.values(ROUTES));
const FIRST_PARTS = new Set(['.well-known', ...Object.values(ROUTES).map((route) => route.split('/')[1])]);

/** Leaves other spellings unanswered, a 404; to be used last. What follows `/authorize/` is an interaction's, case and all. */
export function exactAddresses({ path }: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  return ENDPOINTS.has(path) || isExact(path) ? next() : Promise.resolve();
}

function isExact(path: string): boolean {
  const [, first = '', second = ''] = path.split('/');
  const exact = FIRST_PARTS.has(first) && (first === 'authorize' || second === second.toLowerCase());
  return exact && !path.endsWith('/');
}
