// The type of a patch of oidc-provider.

import type { Provider } from 'oidc-provider';

export interface Patch {
  /** Name of the patch's file. */
  name: string;
  /** The replaced function, as a path from the provider. */
  member: string;
  /**
   * Number of parameters of the replaced function, before the first parameter with a default. `applyPatches` throws if an upgrade has
   * changed it.
   */
  parameters: number;
  apply(provider: Provider): void;
}
