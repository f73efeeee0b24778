// The options of the actions of `accounts`, and their types. Options of several actions are declared once.

import { flag, type Option, option, type Values } from '#cli/support/command.ts';
import { JSON_OPTION } from '#cli/support/output.ts';

const ID = 'its id, which is 8 and the RPPS number in the registers (810000000001 or Practitioner/810000000001)';
const STRUCTURE = 'its id, which is F and the FINESS number in the registers (F010000024 or Organization/F010000024)';
export const LINK = 'The link is valid once, for a few days (lifetimes.invitation).';

export const json = JSON_OPTION;
const practitioner = option('ID', `Practitioner of the directory: ${ID}. May be repeated.`, { multiple: true });
const workspace = option('ID', `Structure of the directory: ${STRUCTURE}. May be repeated.`, {
  multiple: true,
});
const NAMES = {
  name: option('N', 'Full name. By default it is composed of the given and family name.'),
  given: option(
    'G',
    'Given names, for the claim given_name. By default applications get those of the directory record.',
  ),
  family: option('F', 'Family name, for the claim family_name.'),
  nickname: option('N', 'Nickname.'),
  picture: option('URL', 'Address of a picture (https), instead of the initials.'),
  profile: option('URL', 'Address of a page about the person (https).'),
} as const satisfies Record<string, Option>;
export const PASSWORD = {
  'password-stdin': flag('Reads the password from standard input. A terminal does not show it.'),
  'keep-password': flag(
    'Keeps the password that you set. By default the person has to choose another one at the first sign-in. Use this only for accounts of tests and machines, because you know the password.',
  ),
} as const;
const verified = flag('Marks the e-mail address as verified.');
const inviteOption = flag(
  `Sends people without a password a mail with a link to choose one, like the action invite. Needs mail in service.yaml. ${LINK}`,
);

export const ADD = {
  email: option('E', 'E-mail address.', { required: true }),
  ...NAMES,
  practitioner,
  workspace,
  'email-verified': verified,
  invite: inviteOption,
  ...PASSWORD,
  json,
} as const;
export type AddOptions = Values<typeof ADD>;

export const IMPORT = {
  invite: inviteOption,
  'dry-run': flag('Checks the file, and imports nothing.'),
  json,
} as const;
export type ImportOptions = Values<typeof IMPORT>;

export const LIST = {
  unlinked: flag(
    'Lists links of active accounts that do not hold in the edition in force: since when, who had the id before and who has it now, the probable new record, and the commands to repair the link.',
  ),
  'deletion-requested': flag(
    'Lists accounts that people asked to delete in their account space, with the time of the request.',
  ),
  json,
} as const;
export type ListOptions = Values<typeof LIST>;

export const SET_NAME = { ...NAMES, json } as const;
export type NameOptions = Values<typeof SET_NAME>;

export const SET_EMAIL = { 'email-verified': verified, json } as const;
export type EmailOptions = Values<typeof SET_EMAIL>;

export const UNLINK = { practitioner, workspace, json } as const;
export type UnlinkOptions = Values<typeof UNLINK>;

export const RELINK = {
  practitioner,
  workspace,
  'current-workspace': option('ID', 'Current structure: one of those that the account is linked to.'),
  replace: flag('Replaces the linked ids of the same kind, instead of adding to them.'),
  json,
} as const;
export type LinkOptions = Values<typeof RELINK>;
