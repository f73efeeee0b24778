// People who set up an authenticator app before the load begins, at the pages of their own space.

import { appOf } from '#support/openid/account/person-of-account.ts';
import { createPerson } from '#support/person.ts';
import { same } from '#tools/soak/load/record.ts';
import type { AppAccount, World } from '#tools/soak/load/world.ts';
import type { AccountOfSoak } from './accounts.ts';
import { ISSUER } from './site.ts';

/** Each of them, with the app. */
export async function enrolled(world: World, accounts: readonly AccountOfSoak[]): Promise<AppAccount[]> {
  const done: AppAccount[] = [];
  for (const account of accounts) {
    const browser = world.newBrowser();
    const person = createPerson(ISSUER, browser.fetch);
    const page = await person.press(await person.visit('/account/second-factor'), 'sign-in', { ...account });
    const code = appOf(page);
    const shown = await person.press(page, 'set-up', { code: code() });
    same([shown.status, shown.html.includes('<code>')], [200, true], 'the page with the recovery codes');
    browser.close();
    // Its codes up to the next but one are used, or close to it.
    done.push({ ...account, code: () => code(), lastStep: Math.floor(Date.now() / 30_000) + 1 });
  }
  return done;
}
