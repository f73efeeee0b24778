// The command `accounts`: the help and code of each action. An operator adds, links, disables, deletes and imports the accounts of
// people who can sign in.

import { action, type Command, flag, option } from '#cli/support/command.ts';
import { type Access, withCurrentDatabase } from '#server/open-database.ts';
import { addAccount, importFile, invite } from './add-accounts.ts';
import {
  deleteAccount,
  endSessions,
  removePasskeys,
  removeSecondFactor,
  revokeConsent,
  setEmail,
  setName,
  setPassword,
  setPicture,
  setStatus,
  unlock,
} from './change-accounts.ts';
import { linkAccount, unlinkAccount } from './link-accounts.ts';
import { listUnlinked } from './list-unlinked.ts';
import { ADD, IMPORT, json, LINK, LIST, PASSWORD, RELINK, SET_EMAIL, SET_NAME, UNLINK } from './options.ts';
import { openPeople, type People } from './people.ts';
import { list, listPasskeys, listSessions, show } from './show-accounts.ts';

/** Opens the database, which must have the newest schema, and runs `work` on its accounts. */
function withPeople(work: (people: People) => Promise<void>, access: Access = { writes: true }): Promise<void> {
  return withCurrentDatabase((database, settings) => work(openPeople(database, settings)), access);
}

const READS: Access = { writes: false };
/** A missing database is created, because the first command that an operator runs may be such an action. */
const CREATES: Access = { writes: true, creates: true };

const ACCOUNT = { ACCOUNT: 'The UUID or the e-mail address.' };

export const accountsCommand: Command = {
  name: 'accounts',
  summary: 'Adds, lists, links, disables, deletes and imports the people who can sign in',
  actions: {
    add: action({
      summary: 'Adds a person, and prints the UUID of the account',
      options: ADD,
      text: 'Without --password-stdin the account has no password and cannot sign in yet.',
      examples: [
        [
          'accounts add --email zoe@clinic.example --given Zoé --family Martin --invite',
          'a person, who gets a mail to choose a password',
        ],
        [
          'accounts add --email e@clinic.example --given G --family F --password-stdin',
          'with a password',
          'printf %s "$PASSWORD" | ',
        ],
      ],
      run: (values) => withPeople((people) => addAccount(people, values), CREATES),
    }),
    list: action({
      summary: 'Lists the accounts',
      forms: ['[--unlinked | --deletion-requested] [--json]'],
      options: LIST,
      text: `
The service never changes links by itself. A link that does not hold is in one of these states:
  left     the record has left the directory: applications do not get it until it is back
  other    the id now belongs to another person or structure: applications do not get it until you confirm it (link)
  missing  the directory has never held the record, or is not imported yet: applications get it
Accounts without links are not listed, because not everybody is in the directory.`,
      run: (values) => withPeople((people) => (values.unlinked ? listUnlinked : list)(people, values), READS),
    }),
    show: action({
      summary: 'Shows an account',
      args: ACCOUNT,
      options: { json },
      run: (values, [who = '']) => withPeople((people) => show(people, values, who), READS),
    }),
    'set-name': action({
      summary: 'Changes names, picture and page of a person',
      args: ACCOUNT,
      options: SET_NAME,
      text: "Changes only the given values; an empty text ('') removes a value. A new given or family name also changes the name, unless you give --name. Applications get the changes with their next tokens and at userinfo.",
      run: (values, [who = '']) => withPeople((people) => setName(people, values, who)),
    }),
    'set-picture': action({
      summary: 'Sets the address of a picture in place of the initials',
      args: { ...ACCOUNT, '[URL]': 'Address of the picture (https).' },
      forms: ['ACCOUNT URL [--json]', 'ACCOUNT --none [--json]'],
      options: { none: flag('Shows the initials again.'), json },
      text: 'Applications get the address as the claim picture. By default the service makes a picture of the initials.',
      examples: [
        ['accounts set-picture zoe@clinic.example https://clinic.example/zoe.jpg', 'a portrait on your own server'],
      ],
      run: (values, [who = '', url = '']) => withPeople((people) => setPicture(people, values, who, url)),
    }),
    'set-email': action({
      summary: 'Changes the e-mail address with which a person signs in',
      args: { ...ACCOUNT, EMAIL: 'The new e-mail address.' },
      options: SET_EMAIL,
      text: 'The UUID, sessions and tokens stay. With mail in service.yaml, the old address is informed. Without --email-verified, the new address counts as not verified.',
      examples: [
        [
          'accounts set-email zoe@clinic.example zoe@hospital.example',
          'where people cannot change it themselves, because the service sends no mail',
        ],
      ],
      run: (values, [who = '', email = '']) => withPeople((people) => setEmail(people, values, who, email)),
    }),
    disable: action({
      summary: 'Refuses further sign-ins of a person, and ends sessions and tokens at once',
      args: ACCOUNT,
      options: { json },
      run: (values, [who = '']) => withPeople((people) => setStatus(people, values, who, 'disabled')),
    }),
    enable: action({
      summary: 'Allows sign-ins again',
      args: ACCOUNT,
      options: { json },
      run: (values, [who = '']) => withPeople((people) => setStatus(people, values, who, 'active')),
    }),
    delete: action({
      summary: 'Deletes an account and all data of the person for good, except audit records',
      args: ACCOUNT,
      options: { yes: flag('Deletes the account. Without this option the command only shows what it would delete.') },
      forms: ['ACCOUNT --yes'],
      text: 'Ends sessions and tokens, and notifies applications. The UUID (sub) is never used again, but the e-mail address may be. Audit records are kept for audit.keep. Earlier backups still hold the account.',
      run: (values, [who = '']) => withPeople((people) => deleteAccount(people, who, values.yes ?? false)),
    }),
    unlock: action({
      summary: 'Ends the pause after failed sign-ins and wrong codes',
      args: ACCOUNT,
      text: 'The actions enable, set-password, remove-second-factor and remove-passkeys end it too.',
      run: (_values, [who = '']) => withPeople((people) => unlock(people, who)),
    }),
    'set-password': action({
      summary: 'Sets a password, which is read from standard input',
      args: ACCOUNT,
      options: PASSWORD,
      text: 'The password is read from standard input even without --password-stdin.',
      run: (values, [who = '']) => withPeople((people) => setPassword(people, who, values['keep-password'] ?? false)),
    }),
    sessions: action({
      summary: 'Lists the sessions of a person: device, sign-in, last use, applications',
      args: ACCOUNT,
      options: { json },
      run: (values, [who = '']) => withPeople((people) => listSessions(people, values, who), READS),
    }),
    invite: action({
      summary: 'Sends a link with which the person chooses a password, for the first time or again',
      args: ACCOUNT,
      text: `Needs mail in service.yaml. ${LINK}`,
      run: (_values, [who = '']) => withPeople((people) => invite(people, who)),
    }),
    'end-sessions': action({
      summary: 'Signs one person or everybody out everywhere',
      args: { '[ACCOUNT]': ACCOUNT.ACCOUNT },
      forms: ['ACCOUNT', '--all'],
      options: { all: flag('Signs everybody out.') },
      text: 'Ends all sessions and tokens, including refresh tokens, and notifies the applications. The password stays valid.',
      run: (values, [who = '']) => withPeople((people) => endSessions(people, values, who)),
    }),
    'remove-second-factor': action({
      summary: 'Removes the authenticator app and the recovery codes of a person, for example after a lost phone',
      args: ACCOUNT,
      text: 'Also ends sessions and tokens. If the account has a passkey, the recovery codes stay, and the next sign-in asks for one of these after the password (see remove-passkeys). Otherwise it only asks for the password. If a second factor is required (secondFactor in service.yaml and clients.yaml, or by the application), the person sets up another one there. Anybody with the password can do that: be sure who asks, and set a new password if others may know it.',
      run: (_values, [who = '']) => withPeople((people) => removeSecondFactor(people, who)),
    }),
    passkeys: action({
      summary: 'Lists the passkeys of a person',
      args: ACCOUNT,
      options: { json },
      run: (values, [who = '']) => withPeople((people) => listPasskeys(people, values, who), READS),
    }),
    'remove-passkeys': action({
      summary: 'Removes one passkey of a person or all, for example after a lost device',
      args: ACCOUNT,
      options: { passkey: option('ID', 'Removes only this passkey.') },
      text: 'Also ends sessions and tokens. The next sign-in asks for the password; if the account has none, set one. Recovery codes stay if there is another passkey or an authenticator app.',
      run: (values, [who = '']) => withPeople((people) => removePasskeys(people, who, values.passkey)),
    }),
    link: action({
      summary: 'Links an account to the records of the person and of their places of work',
      args: ACCOUNT,
      options: RELINK,
      text: 'Without --replace, the command also confirms ids that are already linked: the person or structure that now has the id in the directory is the right one.',
      examples: [['accounts link zoe@clinic.example --practitioner 810000000001', 'links the person to their record']],
      run: (values, [who = '']) => withPeople((people) => linkAccount(people, values, who)),
    }),
    unlink: action({
      summary: 'Removes links of an account',
      args: ACCOUNT,
      options: UNLINK,
      run: (values, [who = '']) => withPeople((people) => unlinkAccount(people, values, who)),
    }),
    withdraw: action({
      summary: 'Withdraws the consent that a person gave an application',
      args: ACCOUNT,
      options: { client: option('ID', 'The id of the application in clients.yaml.', { required: true }) },
      text: 'Ends all tokens of the application for the person. The next sign-in asks for consent.',
      run: ({ client = '' }, [who = '']) => withPeople((people) => revokeConsent(people, who, client)),
    }),
    import: action({
      summary: 'Adds the people of a file',
      args: { 'FILE.csv': 'CSV file in UTF-8, with commas or semicolons.' },
      options: IMPORT,
      text: 'Each line is one account. Either all are added or none; every problem is named with its line. The first line has the names of the columns: email, and name or given and family. Optional are nickname, picture, profile, practitioners, workspaces (several ids are separated by spaces), emailVerified (true or false), id (UUID) and passwordHash (from another Hygie).',
      run: (values, [file = '']) =>
        withPeople((people) => importFile(people, values, file), { ...CREATES, dryRun: values['dry-run'] }),
    }),
  },
  examples: [
    ['accounts add --help', 'all options of a new account'],
    ['accounts show zoe@clinic.example', 'all data of a person'],
    ['accounts disable zoe@clinic.example', 'no sign-in any more; sessions and tokens end at once'],
  ],
};
