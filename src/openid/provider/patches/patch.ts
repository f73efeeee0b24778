// What each patch of oidc-provider declares.

import type { Provider } from 'oidc-provider';

/** A member of the provider: a function with this number of parameters before the first default, or a getter. */
export type Member = { member: string; parameters: number } | { member: string; kind: 'getter' };

export interface Patch {
  /** Name of its file. */
  name: string;
  needs: readonly Member[];
  apply(provider: Provider): void;
}
