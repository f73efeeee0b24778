// All English messages.

import type { Messages } from '#web/messages/fr/index.ts';
import { account } from './account.ts';
import { activity } from './activity.ts';
import { form } from './form.ts';
import { links } from './links.ts';
import { mails } from './mails.ts';
import { newPassword } from './new-password.ts';
import { pages } from './pages.ts';
import { passkeys } from './passkeys.ts';
import { profile } from './profile.ts';
import { sandbox } from './sandbox.ts';
import { sessions } from './sessions.ts';
import { workspace } from './workspace.ts';

export const en: Messages = {
  ...pages,
  account,
  form,
  activity,
  links,
  mails,
  newPassword,
  passkeys,
  profile,
  sandbox,
  workspace,
  sessions,
};
