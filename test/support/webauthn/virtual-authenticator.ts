// Chromium's own virtual authenticator, by its debugging protocol (domain WebAuthn): what a person's device would do.

import type { Page } from 'playwright-core';

/** A device with a screen lock before the browser of a page. */
export async function virtualAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: false,
    },
  });
  const setPresence = (enabled: boolean) =>
    session.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  return {
    /** The person unlocks the device whenever they are asked, during this step. */
    unlocking: async <Result>(step: () => Promise<Result>): Promise<Result> => {
      await setPresence(true);
      const result = await step();
      await setPresence(false);
      return result;
    },
    /** Whether the person can unlock it. */
    setVerified: (isUserVerified: boolean) =>
      session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    /** The passkeys that it holds. */
    credentials: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
  };
}
