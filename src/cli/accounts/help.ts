// What `accounts --help` prints.

import { examples, hygie, usage } from '../../shared/hygie-command.ts';

export const HELP = `
${usage('accounts ACTION [OPTIONS]')}

  add --email E [--name N] [--given G --family F] [--practitioner ID]... [--workspace ID]... [--invite | --password-stdin [--keep-password]]
      [--nickname N] [--picture URL] [--profile URL] [--email-verified] [--json]
  list [--unlinked | --deletion-requested] [--json]
  show ACCOUNT [--json]
  set-name ACCOUNT [--name N] [--given G] [--family F] [--nickname N] [--picture URL] [--profile URL] [--json]
  disable ACCOUNT                       no sign-in any more; sessions and tokens end at once
  enable ACCOUNT
  delete ACCOUNT --yes                  for good, with everything that is known of the person but the audit trail
  unlock ACCOUNT                        ends the pause after failed sign-ins, wrong codes too; so do enable and the next two
  set-password ACCOUNT [--keep-password]   the password comes from standard input
  sessions ACCOUNT [--json]             where the person is signed in: device, since when, last use, what was shown, applications
  invite ACCOUNT                        sends a link by which the person chooses a password, also again
  end-sessions ACCOUNT | --all          signs a person, or everybody, out everywhere
  remove-second-factor ACCOUNT          after the phone was lost, with all recovery codes
  passkeys ACCOUNT [--json]             lists the passkeys of a person
  remove-passkeys ACCOUNT [--passkey ID]  after the device was lost: one of them, or all
  link ACCOUNT [--practitioner ID]... [--workspace ID]... [--current-workspace ID] [--replace] [--json]
  unlink ACCOUNT [--practitioner ID]... [--workspace ID]... [--json]
  withdraw ACCOUNT --client ID          takes back what the person allowed an application (clients.yaml)
  import FILE.csv [--invite] [--dry-run] [--json]

ACCOUNT is the UUID or the e-mail address. ID is an id of the directory: 810000000001 or Practitioner/810000000001.

add        prints the account's UUID. Without --password-stdin the account has no password and cannot sign in yet.
--invite   of add and import: sends those who have no password a mail with a link by which they choose one; so does the action
           invite. Needs mail in service.yaml. The link is good for some days (lifetimes.invitation), and once.
--given, --family
           given names and family name, which applications get as given_name and family_name; --name is both together unless it
           is given. Without them applications get those of the directory record that the account is linked to.
--keep-password
           of add and set-password: without it the person has to choose another password at the first sign-in with the one
           that you set. For accounts of tests and machines alone: whoever set it knows it.
set-name   changes what is given; an empty text ('') removes it. A new given or family name changes the name, too, unless --name
           says another one. Applications get it with their next tokens, and at userinfo.
end-sessions
           ends all sessions and tokens, refresh tokens too, and notifies the applications; the password stays good.
delete     without --yes it says what would go, and changes nothing. Sessions and tokens end, applications are notified; the UUID
           (sub) is never given again, the e-mail address may be. Records of the audit trail stay for as long as audit.keep says;
           backups that were made before hold the account still.
--deletion-requested
           lists the accounts that people asked to delete in their own space (and did not take back), since when.
withdraw   ends all tokens that the application holds for the person, and asks for consent at the next sign-in.
remove-second-factor
           ends sessions and tokens, too. The next sign-in asks for the password alone; where a second factor is demanded
           (secondFactor in service.yaml and clients.yaml, or by the application) another one is set up there. Whoever
           knows the password can do that: be sure who asks, and set a new one if others may know it.
remove-passkeys
           ends sessions and tokens, too. The next sign-in asks for the password; an account without one needs a password first.
           Recovery codes stay as long as there is another passkey or an authenticator app.
link       adds to what the account is linked to; --replace puts the given ids in place of those of the same kind. Without it, an id
           that is linked already is confirmed: whoever stands under it in the directory now is the person.
--unlinked lists the links of accounts that may sign in which do not hold in the edition in force: since when, who stood under
           the id and who does now, the record that it may have changed to, and the commands that mend it. Nothing is unlinked
           or linked anew by itself:
             left     the directory held the record and does not any more: applications are not told of it until it is back
             other    another person or structure stands under the id: nor of this, until you confirm it (link)
             missing  the directory has never held it, or is not loaded yet: applications are told of it
           Accounts that are linked to nothing are not among them: not everybody is in the directory.
import     one account per line, all or none: every problem is named with its line. Column names stand in the first line:
           email, and name or given and family; as wanted nickname, picture, profile, practitioners, workspaces (several
           ids: spaces between), emailVerified (true or false), id (UUID), passwordHash (as another Hygie stored it).
           Comma or semicolon, UTF-8.

Passwords are read from standard input, unseen on a terminal, and never stand on the command line:
  printf %s "$PASSWORD" | ${hygie('accounts add --email e@clinic.example --given G --family F --password-stdin')}

${examples(
  [
    'accounts add --email zoe@clinic.example --given Zoé --family Martin --invite',
    'a person, who chooses a password by a mail',
  ],
  ['accounts link zoe@clinic.example --practitioner 810000000001', 'who that is in the directory'],
  ['accounts disable zoe@clinic.example', 'at once, everywhere'],
)}`;
