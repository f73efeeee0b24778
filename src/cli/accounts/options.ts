// The options of the actions of `accounts`, and their types. Options of several actions are declared once.

import { flag, type Option, option, type Values } from '#cli/support/command.ts';
import { JSON_OPTION } from '#cli/support/output.ts';

const ID = 'an id of the directory: 810000000001 or Practitioner/810000000001';
export const LINK = 'The link is good for some days (lifetimes.invitation), and once.';

export const json = JSON_OPTION;
const practitioner = option('ID', `Practitioner of the directory, ${ID}; may be repeated.`, { multiple: true });
const workspace = option('ID', 'Structure of the directory, in the same way.', { multiple: true });
const NAMES = {
  name: option('N', 'Given and family name together; composed of these two without it.'),
  given: option(
    'G',
    'Given names, which applications get as given_name. Without them applications get those of the directory record.',
  ),
  family: option('F', 'Family name, which they get as family_name.'),
  nickname: option('N', 'Nickname.'),
  picture: option('URL', 'Address of a picture (https), instead of the initials.'),
  profile: option('URL', 'Address of a page about the person (https).'),
} as const satisfies Record<string, Option>;
export const PASSWORD = {
  'password-stdin': flag(
    'Reads the password from standard input, unseen on a terminal; it never stands on the command line.',
  ),
  'keep-password': flag(
    'Without it the person has to choose another password at the first sign-in with the one that you set. For accounts of tests and machines alone: you know the password.',
  ),
} as const;
const inviteOption = flag(
  `Sends those without a password a mail with a link by which they choose one, as the action invite does. Needs mail in service.yaml. ${LINK}`,
);

export const ADD = {
  email: option('E', 'E-mail address.', { required: true }),
  ...NAMES,
  practitioner,
  workspace,
  'email-verified': flag("The address is known to be the person's."),
  invite: inviteOption,
  ...PASSWORD,
  json,
} as const;
export type AddOptions = Values<typeof ADD>;

export const IMPORT = {
  invite: inviteOption,
  'dry-run': flag('Says whether the file is good, and imports nothing.'),
  json,
} as const;
export type ImportOptions = Values<typeof IMPORT>;

export const LIST = {
  unlinked: flag(
    'Lists the links of accounts that may sign in which do not hold in the edition in force: since when, who stood under the id and who does now, the record that it may have changed to, and the commands that mend it.',
  ),
  'deletion-requested': flag(
    'Lists the accounts that people asked to delete in their own space (and did not take back), since when.',
  ),
  json,
} as const;
export type ListOptions = Values<typeof LIST>;

export const SET_NAME = { ...NAMES, json } as const;
export type NameOptions = Values<typeof SET_NAME>;

export const UNLINK = { practitioner, workspace, json } as const;
export type UnlinkOptions = Values<typeof UNLINK>;

export const RELINK = {
  practitioner,
  workspace,
  'current-workspace': option('ID', 'The one in use, of those that the account is linked to.'),
  replace: flag('Puts the given ids in place of those of the same kind, instead of adding them.'),
  json,
} as const;
export type LinkOptions = Values<typeof RELINK>;
