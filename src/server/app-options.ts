// The options of `createApp`: the opened parts of the service, from which it builds the application.

import type { Settings } from '#config/settings.ts';
import type { DemoOptions, demoRouter } from '#demo/router.ts';
import type { ClientRegistry } from '#openid/clients/client-registry.ts';
import type { KeyRing } from '#openid/keys/key-ring.ts';
import type { AuditTrail } from '#shared/audit/events.ts';
import type { SecretHashing } from '#shared/crypto/secret-hash.ts';
import type { Logger } from '#shared/log/log.ts';
import type { EndedSession } from '#store/outbox/logout-deliveries.ts';
import type { HealthOptions } from './health.ts';
import type { OpenMetrics } from './metrics/open-metrics.ts';
import type { Directory } from './open-directory.ts';
import type { Mails } from './open-mail.ts';
import type { Stores } from './open-stores.ts';
import type { Tracing } from './tracing/tracing.ts';

export interface AppOptions {
  settings: Settings;
  log: Logger;
  audit: AuditTrail;
  clients: ClientRegistry;
  keys: Pick<KeyRing, 'current' | 'onChange'>;
  hashing: SecretHashing;
  stores: Stores;
  directory: Pick<Directory, 'snapshots' | 'filled' | 'hidden' | 'use'>;
  outgoing: {
    /** Queues mails. If the service cannot send mails (`Site.mailAvailable`), pages offer nothing that needs a mail. */
    mails: Pick<Mails, 'enqueue' | 'requestReset' | 'outbox'>;
    /** Queues the notification of a client about an ended session. The notification is sent later. */
    loggedOut(ended: EndedSession): Promise<void>;
  };
  health: Pick<HealthOptions, 'checks' | 'lifeCycle'>;
  observability: {
    /** Absent if the settings want no metrics. */
    metrics: Pick<OpenMetrics, 'metrics' | 'scrape'> | undefined;
    /** Absent if requests are not traced. */
    tracing: Tracing | undefined;
  };
  fictional: {
    /** Checks whether everybody shares the account with this id or login. The accounts of the fictional people in a sandbox are shared. */
    isShared(idOrLogin: string): boolean;
    /** Present in a demonstration only. */
    demo: (Omit<DemoOptions, 'issuer' | 'failed'> & { router: typeof demoRouter }) | undefined;
  };
}
