// What each journey of a person needs: a service, a real Chromium, and an application whose callback answers.

import { afterAll, beforeAll } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { ClientSettings } from '#config/settings.ts';
import { openBrowser } from '#support/browser.ts';
import { type RunningService, type ServiceChoices, startService, testClients } from '#support/service.ts';
import { openCallbacks } from './sign-in/callbacks.ts';

/** What is there once the tests run, and not before. */
export interface Journey {
  service: RunningService;
  browser: Browser;
  /** The callback of every client. */
  callback: string;
}

/** To be called in a group of tests; `changes` is called when the service starts. */
export function withJourney(
  changes: () => Pick<ServiceChoices, 'adjust'> & {
    client?: (client: ClientSettings) => Partial<ClientSettings>;
  } = () => ({}),
): Journey {
  const on = {} as Journey;
  let callbacks: Awaited<ReturnType<typeof openCallbacks>>;
  beforeAll(async () => {
    callbacks = await openCallbacks();
    on.callback = `${callbacks.address}/callback`;
    const { client: change, ...choices } = changes();
    const clients = (await testClients()).map((client) => ({
      ...client,
      callbackUrls: [on.callback],
      ...change?.(client),
    }));
    [on.service, on.browser] = await Promise.all([startService({ clients, ...choices }), openBrowser()]);
  });
  afterAll(async () => {
    await on.browser.close();
    await on.service.stop();
    await callbacks.close();
  });
  return on;
}
