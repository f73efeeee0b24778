// What `accounts --help` and `accounts ACTION --help` print.

import { examples, hygie, usage } from '#shared/hygie-command.ts';

interface ActionHelp {
  /** One line for the list of actions. */
  summary: string;
  /** What stands behind its name. */
  form: string;
  text?: string;
  examples?: readonly (readonly [words: string, what: string])[];
}

const PASSWORD_INPUT =
  'Passwords are read from standard input, unseen on a terminal, and never stand on the command line';
const PASSWORD_EXAMPLE = `${PASSWORD_INPUT}:
  printf %s "$PASSWORD" | ${hygie('accounts add --email e@clinic.example --given G --family F --password-stdin')}`;

const ID = 'ID is an id of the directory: 810000000001 or Practitioner/810000000001.';

const KEEP_PASSWORD = `--keep-password
           without it the person has to choose another password at the first sign-in with the one that you set. For accounts
           of tests and machines alone: whoever set it knows it.`;

const INVITE = `--invite   sends those who have no password a mail with a link by which they choose one; so does the action invite. Needs mail
           in service.yaml. The link is good for some days (lifetimes.invitation), and once.`;

const ACTIONS: Readonly<Record<string, ActionHelp>> = {
  add: {
    summary: 'adds a person, and prints the UUID of the account',
    form: '--email E [--name N] [--given G --family F] [--practitioner ID]... [--workspace ID]...\n           [--invite | --password-stdin [--keep-password]] [--nickname N] [--picture URL] [--profile URL] [--email-verified] [--json]',
    text: `Without --password-stdin the account has no password and cannot sign in yet.

--given, --family
           given names and family name, which applications get as given_name and family_name; --name is both together unless it
           is given. Without them applications get those of the directory record that the account is linked to.
--practitioner, --workspace
           what the account is linked to in the directory, as by the action link.
           ${ID}
${INVITE}
${KEEP_PASSWORD}

${PASSWORD_EXAMPLE}`,
    examples: [
      [
        'accounts add --email zoe@clinic.example --given Zoé --family Martin --invite',
        'a person, who chooses a password by a mail',
      ],
    ],
  },
  list: {
    summary: 'lists the accounts',
    form: '[--unlinked | --deletion-requested] [--json]',
    text: `--unlinked lists the links of accounts that may sign in which do not hold in the edition in force: since when, who stood under
           the id and who does now, the record that it may have changed to, and the commands that mend it. Nothing is unlinked
           or linked anew by itself:
             left     the directory held the record and does not any more: applications are not told of it until it is back
             other    another person or structure stands under the id: nor of this, until you confirm it (link)
             missing  the directory has never held it, or is not loaded yet: applications are told of it
           Accounts that are linked to nothing are not among them: not everybody is in the directory.
--deletion-requested
           lists the accounts that people asked to delete in their own space (and did not take back), since when.`,
  },
  show: { summary: 'shows an account', form: 'ACCOUNT [--json]' },
  'set-name': {
    summary: 'changes names, picture and page of a person',
    form: 'ACCOUNT [--name N] [--given G] [--family F] [--nickname N] [--picture URL] [--profile URL] [--json]',
    text: `Changes what is given; an empty text ('') removes it. A new given or family name changes the name, too, unless --name says
another one. Applications get it with their next tokens, and at userinfo.`,
  },
  'set-picture': {
    summary: 'sets the address of a picture in place of the initials',
    form: 'ACCOUNT URL | ACCOUNT --none [--json]',
    text: `Applications get the address (https) as the claim picture. Without one, or after --none, the service makes a picture of the
initials.`,
    examples: [
      ['accounts set-picture zoe@clinic.example https://clinic.example/zoe.jpg', 'a portrait that your own server has'],
    ],
  },
  disable: { summary: 'ends sign-ins of a person, and sessions and tokens at once', form: 'ACCOUNT [--json]' },
  enable: { summary: 'allows sign-ins again', form: 'ACCOUNT [--json]' },
  delete: {
    summary: 'deletes an account for good, with all that is known of the person but the audit trail',
    form: 'ACCOUNT --yes',
    text: `Without --yes it says what would go, and changes nothing. Sessions and tokens end, applications are notified; the UUID (sub) is
never given again, the e-mail address may be. Records of the audit trail stay for as long as audit.keep says; backups that were
made before hold the account still.`,
  },
  unlock: {
    summary: 'ends the pause after failed sign-ins, wrong codes too',
    form: 'ACCOUNT',
    text: 'So do enable, set-password, remove-second-factor and remove-passkeys.',
  },
  'set-password': {
    summary: 'sets a password, which comes from standard input',
    form: 'ACCOUNT [--password-stdin] [--keep-password]',
    text: `${PASSWORD_INPUT}.
--password-stdin may be said, as for add.

${KEEP_PASSWORD}`,
  },
  sessions: {
    summary: 'lists where a person is signed in: device, since when, last use, applications',
    form: 'ACCOUNT [--json]',
  },
  invite: {
    summary: 'sends a link by which the person chooses a password, also again',
    form: 'ACCOUNT',
    text: 'Needs mail in service.yaml. The link is good for some days (lifetimes.invitation), and once.',
  },
  'end-sessions': {
    summary: 'signs a person, or everybody, out everywhere',
    form: 'ACCOUNT | --all',
    text: 'Ends all sessions and tokens, refresh tokens too, and notifies the applications; the password stays good.',
  },
  'remove-second-factor': {
    summary: 'removes it with all recovery codes, after the phone was lost',
    form: 'ACCOUNT',
    text: `Ends sessions and tokens, too. The next sign-in asks for the password alone; where a second factor is demanded (secondFactor in
service.yaml and clients.yaml, or by the application) another one is set up there. Whoever knows the password can do that: be
sure who asks, and set a new one if others may know it.`,
  },
  passkeys: { summary: 'lists the passkeys of a person', form: 'ACCOUNT [--json]' },
  'remove-passkeys': {
    summary: 'removes one of them, or all, after the device was lost',
    form: 'ACCOUNT [--passkey ID]',
    text: `Ends sessions and tokens, too. The next sign-in asks for the password; an account without one needs a password first. Recovery
codes stay as long as there is another passkey or an authenticator app.`,
  },
  link: {
    summary: 'says who a person is in the directory, and where they work',
    form: 'ACCOUNT [--practitioner ID]... [--workspace ID]... [--current-workspace ID] [--replace] [--json]',
    text: `Adds to what the account is linked to; --replace puts the given ids in place of those of the same kind. Without it, an id that
is linked already is confirmed: whoever stands under it in the directory now is the person. ${ID}`,
    examples: [['accounts link zoe@clinic.example --practitioner 810000000001', 'who that is in the directory']],
  },
  unlink: {
    summary: 'takes such links away',
    form: 'ACCOUNT [--practitioner ID]... [--workspace ID]... [--json]',
    text: ID,
  },
  withdraw: {
    summary: 'takes back what the person allowed an application (clients.yaml)',
    form: 'ACCOUNT --client ID',
    text: 'Ends all tokens that the application holds for the person, and asks for consent at the next sign-in.',
  },
  import: {
    summary: 'adds the people of a file',
    form: 'FILE.csv [--invite] [--dry-run] [--json]',
    text: `One account per line, all or none: every problem is named with its line. Column names stand in the first line: email, and name
or given and family; as wanted nickname, picture, profile, practitioners, workspaces (several ids: spaces between),
emailVerified (true or false), id (UUID), passwordHash (as another Hygie stored it). Comma or semicolon, UTF-8.

${INVITE}
--dry-run  says whether the file is good, and imports nothing.`,
  },
};

const WIDTH = Math.max(...Object.keys(ACTIONS).map((name) => name.length));
const ACCOUNT = 'ACCOUNT is the UUID or the e-mail address.';

/** Of all actions. */
export const HELP = `
${usage('accounts ACTION [OPTIONS]', 'accounts ACTION --help')}

${Object.entries(ACTIONS)
  .map(([name, { summary }]) => `  ${name.padEnd(WIDTH)}  ${summary}`)
  .join('\n')}

${ACCOUNT} With --json, where an action takes it, the result is JSON.

${examples(
  ['accounts add --help', 'what may be said of a new account'],
  ['accounts show zoe@clinic.example', 'what is known of a person'],
  ['accounts disable zoe@clinic.example', 'at once, everywhere'],
)}`;

/** Of each action. */
export const ACTION_HELP: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(ACTIONS).map(([name, action]) => [name, helpOf(name, action)]),
);

function helpOf(name: string, { summary, form, text, examples: list }: ActionHelp): string {
  const parts = [
    usage(`accounts ${name} ${form}`),
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    text,
    form.startsWith('ACCOUNT') ? ACCOUNT : undefined,
    list && examples(...list),
  ];
  return parts.filter((part) => part !== undefined).join('\n\n');
}
