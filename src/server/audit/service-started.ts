// The audit trail's record of a start of the service (SEC-48).

import { hostname } from 'node:os';
import { maskClient, maskSettings } from '#config/masked.ts';
import type { ClientSettings, Settings } from '#config/settings.ts';
import type { AuditEvent } from '#shared/audit/events.ts';
import { digest } from '#shared/crypto/digest.ts';
import { VERSION } from '#shared/version.ts';

/**
 * The audit event of a start of the service (SEC-48): its version, instance and settings.
 *
 * `settings` and `clients` are SHA-256 digests of the output of `check --json`. A digest that differs from the one at the last start means
 * that the configuration was changed in between. No secret is part of them (SEC-16).
 */
export function serviceStarted(settings: Settings, clients: readonly ClientSettings[]): AuditEvent {
  return {
    event: 'service.started',
    details: {
      version: VERSION,
      ...(settings.sandbox && { sandbox: true }),
      instance: `${hostname()}:${settings.listen.port}`,
      settings: digest(JSON.stringify(maskSettings(settings))),
      clients: digest(JSON.stringify(clients.map(maskClient))),
    },
  };
}
