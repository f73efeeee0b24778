// A second instance of a running service on the same database, as behind a balancer: the same issuer at another port.

import type { ClientSettings } from '#config/settings.ts';
import { createHttpServer } from '#server/process/http-server.ts';
import { openService } from '#server/service.ts';
import { createLog } from '#shared/log/log.ts';
import { type Send, sendTo } from '#support/send-to-port.ts';
import { QUICK, type RunningService, testClients } from '#support/service.ts';

export interface SecondInstance {
  /** As `fetch`, for an address of the issuer, answered by this instance. */
  send: Send;
  stop(): Promise<void>;
}

/** It knows the `testClients` unless others are given. */
export async function startSecondInstance(
  first: RunningService,
  clients?: readonly ClientSettings[],
): Promise<SecondInstance> {
  const log = createLog({ level: 'error', format: 'json' }, { write: () => undefined });
  const service = await openService({
    settings: first.settings,
    clients: clients ?? (await testClients()),
    log,
    ...QUICK,
  });
  const server = createHttpServer(service.app, first.settings, log);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    send: sendTo(port),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await service.close();
    },
  };
}
