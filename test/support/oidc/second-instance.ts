// A second instance of a running service on the same database, as behind a balancer: the same issuer at another port.

import { request } from 'node:http';
import type { ClientSettings } from '../../../src/config/settings.ts';
import { createHttpServer } from '../../../src/server/process/http-server.ts';
import { openService } from '../../../src/server/service.ts';
import { createLog } from '../../../src/shared/log/log.ts';
import type { RunningService } from '../service.ts';

export type Send = (
  address: string | URL,
  init?: { method?: string; body?: BodyInit; headers?: Record<string, string> },
) => Promise<Response>;

export interface SecondInstance {
  /** As `fetch`, for an address of the issuer, answered by this instance. */
  send: Send;
  stop(): Promise<void>;
}

export async function startSecondInstance(
  first: RunningService,
  clients: readonly ClientSettings[],
): Promise<SecondInstance> {
  const log = createLog({ level: 'error', format: 'json' }, { write: () => undefined });
  const service = await openService({ settings: first.settings, clients, log });
  const server = createHttpServer(service.app, first.settings, log);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const { host } = new URL(first.issuer);
  return {
    // `fetch` would set Host itself; this is what a balancer hands on.
    send: (target, { method = 'GET', body, headers = {} } = {}) =>
      new Promise((resolve, reject) => {
        const { pathname, search } = new URL(target);
        const form = body && { 'content-type': 'application/x-www-form-urlencoded' };
        const options = { host: '127.0.0.1', port, path: pathname + search, method };
        const sent = request({ ...options, headers: { ...form, ...headers, host } }, async (answer) => {
          const chunks: Buffer[] = [];
          for await (const chunk of answer) chunks.push(chunk as Buffer);
          const { location, 'set-cookie': cookies = [] } = answer.headers;
          const kept = new Headers(location === undefined ? {} : { location });
          for (const cookie of cookies) kept.append('set-cookie', cookie);
          resolve(new Response(Buffer.concat(chunks), { status: answer.statusCode ?? 500, headers: kept }));
        });
        sent.on('error', reject);
        sent.end(body === undefined ? undefined : String(body));
      }),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await service.close();
    },
  };
}
