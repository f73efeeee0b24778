// Prints the welcome on the terminal when the service listens: its addresses and, in a demonstration, the accounts to sign in with.

import { TRY_PATH } from '#config/built-in-clients.ts';
import type { Settings } from '#config/settings.ts';
import { DEMO_ACCOUNTS, DEMO_PASSWORD } from '#seeds/demo-accounts.ts';
import type { StartState } from '#server/start/prepare-start.ts';
import { hygie, printNotice } from '#shared/operator-messages.ts';
import { OUTBOX_PATH } from '#web/site.ts';

/** Writes the welcome to standard error, because standard output carries the log. */
export function welcome(settings: Settings, state: StartState & { clients: boolean }): void {
  const { issuer, directory, demo, mail, mode } = settings;
  const lines = ['', `  ${settings.branding.name} answers at ${issuer}`, ''];
  if (demo) {
    lines.push(
      `  Try the demo application    ${issuer}/demo`,
      `  Sign in as                  ${DEMO_ACCOUNTS[0]?.email}`,
      `  with the password           ${DEMO_PASSWORD}`,
      ...(mail || mode !== 'development' ? [] : [`  Mails that would be sent    ${issuer}${OUTBOX_PATH}`]),
      '',
      '  Two things to try',
      `  1. A request of your own:  ${issuer}${TRY_PATH}`,
      `  2. An application that signs in and searches:  ${issuer}/demo`,
      '',
      '  All people here are fictional. Ctrl+C stops the service.',
    );
  } else {
    lines.push(
      `  Discovery  ${issuer}/.well-known/openid-configuration`,
      `  Directory  ${directory.url}/metadata`,
      `  Health     ${issuer}/health/ready`,
    );
    const missing = [
      ...(state.directory ? [] : [`  Import the directory  ${hygie('directory import FOLDER')}`]),
      ...(state.accounts
        ? []
        : [`  Add people            ${hygie('accounts add --email E --given G --family F --password-stdin')}`]),
    ];
    if (!state.clients) missing.push(`  Register clients      ${settings.configFolder}/clients.yaml`);
    if (missing.length > 0) lines.push('', '  Still to do', ...missing);
  }
  printNotice(`${lines.join('\n')}\n`);
}
