// The command `accounts`: the help and code of each action. An operator adds, links, disables, deletes and imports the accounts of
// people who can sign in.

import { action, type Command, flag, option } from '#cli/support/command.ts';
import { withCurrentDatabase } from '#server/open-database.ts';
import { addAccount, importFile } from './add-accounts.ts';
import {
  deleteAccount,
  endSessions,
  invite,
  removePasskeys,
  removeSecondFactor,
  revokeConsent,
  setName,
  setPassword,
  setPicture,
  setStatus,
  unlock,
} from './change-accounts.ts';
import { linkAccount, unlinkAccount } from './link-accounts.ts';
import { listUnlinked } from './list-unlinked.ts';
import { ADD, IMPORT, json, LINK, LIST, PASSWORD, RELINK, SET_NAME, UNLINK } from './options.ts';
import { openPeople, type People } from './people.ts';
import { list, listPasskeys, listSessions, show } from './show-accounts.ts';

/**
 * Says how an action uses the database. With `creates`, a missing database is made, because the action may be the first one of an operator.
 */
interface Use {
  writes?: boolean;
  creates?: boolean;
  dryRun?: boolean | undefined;
}

/** Runs `work` on the accounts of the database, which must have the newest schema. */
async function withPeople(
  work: (people: People) => Promise<void>,
  { writes = true, creates = false, dryRun = false }: Use = {},
) {
  await withCurrentDatabase((database, settings) => work(openPeople(database, settings)), {
    writes: writes && !dryRun,
    creates,
    dryRun,
  });
  return 0;
}

const READS = { writes: false };

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
          'a person, who chooses a password by a mail',
        ],
        [
          'accounts add --email e@clinic.example --given G --family F --password-stdin',
          'with a password',
          'printf %s "$PASSWORD" | ',
        ],
      ],
      run: (values) => withPeople((people) => addAccount(people, values), { creates: true }),
    }),
    list: action({
      summary: 'Lists the accounts',
      forms: ['[--unlinked | --deletion-requested] [--json]'],
      options: LIST,
      text: `
Nothing is unlinked or linked anew by itself. A link that does not hold is one of:
  left     the directory held the record and does not any more: applications are not told of it until it is back
  other    another person or structure stands under the id: nor of this, until you confirm it (link)
  missing  the directory has never held it, or is not imported yet: applications are told of it
Accounts that are linked to nothing are not among them: not everybody is in the directory.`,
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
      text: "Changes what is given; an empty text ('') removes it. A new given or family name changes the name, too, unless --name says another one. Applications get it with their next tokens, and at userinfo.",
      run: (values, [who = '']) => withPeople((people) => setName(people, values, who)),
    }),
    'set-picture': action({
      summary: 'Sets the address of a picture in place of the initials',
      args: { ...ACCOUNT, '[URL]': 'Address of the picture (https).' },
      forms: ['ACCOUNT URL [--json]', 'ACCOUNT --none [--json]'],
      options: { none: flag('The initials again.'), json },
      text: 'Applications get the address as the claim picture. Without one the service makes a picture of the initials.',
      examples: [
        [
          'accounts set-picture zoe@clinic.example https://clinic.example/zoe.jpg',
          'a portrait that your own server has',
        ],
      ],
      run: (values, [who = '', url = '']) => withPeople((people) => setPicture(people, values, who, url)),
    }),
    disable: action({
      summary: 'Ends sign-ins of a person, and sessions and tokens at once',
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
      summary: 'Deletes an account for good, with all that is known of the person but the audit trail',
      args: ACCOUNT,
      options: { yes: flag('Without it the command says what would go, and changes nothing.') },
      forms: ['ACCOUNT --yes'],
      text: 'Sessions and tokens end, applications are notified; the UUID (sub) is never given again, the e-mail address may be. Records of the audit trail stay for as long as audit.keep says; backups that were made before hold the account still.',
      run: (values, [who = '']) => withPeople((people) => deleteAccount(people, who, values.yes ?? false)),
    }),
    unlock: action({
      summary: 'Ends the pause after failed sign-ins, wrong codes too',
      args: ACCOUNT,
      text: 'So do enable, set-password, remove-second-factor and remove-passkeys.',
      run: (_values, [who = '']) => withPeople((people) => unlock(people, who)),
    }),
    'set-password': action({
      summary: 'Sets a password, which comes from standard input',
      args: ACCOUNT,
      options: PASSWORD,
      text: 'The password is read from standard input with and without --password-stdin.',
      run: (values, [who = '']) => withPeople((people) => setPassword(people, who, values['keep-password'] ?? false)),
    }),
    sessions: action({
      summary: 'Lists where a person is signed in: device, since when, last use, applications',
      args: ACCOUNT,
      options: { json },
      run: (values, [who = '']) => withPeople((people) => listSessions(people, values, who), READS),
    }),
    invite: action({
      summary: 'Sends a link by which the person chooses a password, also again',
      args: ACCOUNT,
      text: `Needs mail in service.yaml. ${LINK}`,
      run: (_values, [who = '']) => withPeople((people) => invite(people, who)),
    }),
    'end-sessions': action({
      summary: 'Signs a person, or everybody, out everywhere',
      args: { '[ACCOUNT]': ACCOUNT.ACCOUNT },
      forms: ['ACCOUNT', '--all'],
      options: { all: flag('Everybody.') },
      text: 'Ends all sessions and tokens, refresh tokens too, and notifies the applications; the password stays good.',
      run: (values, [who = '']) => withPeople((people) => endSessions(people, values, who)),
    }),
    'remove-second-factor': action({
      summary: 'Removes it with all recovery codes, after the phone was lost',
      args: ACCOUNT,
      text: 'Ends sessions and tokens, too. The next sign-in asks for the password alone; where a second factor is demanded (secondFactor in service.yaml and clients.yaml, or by the application) another one is set up there. Anybody with the password can do that: be sure who asks, and set a new one if others may know it.',
      run: (_values, [who = '']) => withPeople((people) => removeSecondFactor(people, who)),
    }),
    passkeys: action({
      summary: 'Lists the passkeys of a person',
      args: ACCOUNT,
      options: { json },
      run: (values, [who = '']) => withPeople((people) => listPasskeys(people, values, who), READS),
    }),
    'remove-passkeys': action({
      summary: 'Removes one of them, or all, after the device was lost',
      args: ACCOUNT,
      options: { passkey: option('ID', 'This one alone.') },
      text: 'Ends sessions and tokens, too. The next sign-in asks for the password; an account without one needs a password first. Recovery codes stay as long as there is another passkey or an authenticator app.',
      run: (values, [who = '']) => withPeople((people) => removePasskeys(people, who, values.passkey)),
    }),
    link: action({
      summary: 'Says who a person is in the directory, and where they work',
      args: ACCOUNT,
      options: RELINK,
      text: 'Without --replace, an id that is linked already is confirmed: the person or structure that stands under it in the directory now is the right one.',
      examples: [['accounts link zoe@clinic.example --practitioner 810000000001', 'who that is in the directory']],
      run: (values, [who = '']) => withPeople((people) => linkAccount(people, values, who)),
    }),
    unlink: action({
      summary: 'Takes such links away',
      args: ACCOUNT,
      options: UNLINK,
      run: (values, [who = '']) => withPeople((people) => unlinkAccount(people, values, who)),
    }),
    withdraw: action({
      summary: 'Takes back what the person allowed an application (clients.yaml)',
      args: ACCOUNT,
      options: { client: option('ID', 'The application.', { required: true }) },
      text: 'Ends all tokens that the application holds for the person, and asks for consent at the next sign-in.',
      run: ({ client = '' }, [who = '']) => withPeople((people) => revokeConsent(people, who, client)),
    }),
    import: action({
      summary: 'Adds the people of a file',
      args: { 'FILE.csv': 'Comma or semicolon, UTF-8.' },
      options: IMPORT,
      text: 'One account per line, all or none: every problem is named with its line. Column names stand in the first line: email, and name or given and family; as wanted nickname, picture, profile, practitioners, workspaces (several ids: spaces between), emailVerified (true or false), id (UUID), passwordHash (as another Hygie stored it).',
      run: (values, [file = '']) =>
        withPeople((people) => importFile(people, values, file), { creates: true, dryRun: values['dry-run'] }),
    }),
  },
  examples: [
    ['accounts add --help', 'what may be said of a new account'],
    ['accounts show zoe@clinic.example', 'what is known of a person'],
    ['accounts disable zoe@clinic.example', 'at once, everywhere'],
  ],
};
