// Limits the wrong secrets of a client from one network address (SEC-15). A client is never locked out as such, or anybody
// could do that to it: only the address that guesses has to wait.

import { networkOf } from '../../shared/network-prefix.ts';
import { clientSecretRule, type FailureLimits, memoryLimiter, remainingWait } from '../../shared/rate-limits.ts';

export interface ClientThrottle {
  /** Seconds until a secret of the client from this address is checked again; 0 for now. */
  wait(clientId: string, address: string): Promise<number>;
  failed(clientId: string, address: string): Promise<void>;
}

/** Throttling by the limits of the settings, in this process alone. */
export function createClientThrottle(limits: FailureLimits): ClientThrottle {
  const limiter = memoryLimiter(clientSecretRule(limits));
  const keyOf = (clientId: string, address: string) => `${networkOf(address)} ${clientId}`;
  return {
    wait: (clientId, address) => remainingWait(limiter, keyOf(clientId, address)),
    failed: async (clientId, address) => {
      await limiter.penalty(keyOf(clientId, address));
    },
  };
}
