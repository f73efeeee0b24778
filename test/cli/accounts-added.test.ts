// operations.md, `accounts`: all that an operator reads of those that are added and shown, or refused.

import { describe, expect, it } from '@jest/globals';
import { transcripts } from '#support/cli/transcript.ts';

describe('accounts, word for word', () => {
  const { says, add, left } = transcripts();

  it('add, show and list', async () => {
    await says(`# accounts add --email zoe@n.example --given Zoé --family Martin --nickname Zo --picture https://n.example/z.png --profile https://n.example/z --email-verified --practitioner 810000000001 --workspace F1 --workspace Organization/F2 --password-stdin --keep-password <<< {PASSWORD}
> UUID
$ accounts show zoe@n.example
> FIELD              VALUE
> id                 UUID
> email              zoe@n.example (verified)
> name               Zoé Martin
> given name         Zoé
> family name        Martin
> nickname           Zo
> picture            https://n.example/z.png
> profile            https://n.example/z
> practitioners      Practitioner/810000000001
> workspaces         Organization/F1 Organization/F2
> current workspace  Organization/F1
> status             active
> password           set
> passkeys           none
> second factor      none
> created            TIME
> updated            TIME
# accounts add --email new@n.example --name "New One" --given Neo --family Uno
> UUID
! new@n.example has no password yet: hygie accounts set-password UUID
$ accounts show new@n.example
> FIELD          VALUE
> id             UUID
> email          new@n.example
> name           New One
> given name     Neo
> family name    Uno
> status         active
> password       none
> passkeys       none
> second factor  none
> created        TIME
> updated        TIME
# accounts add --email guest@n.example --name Guest --invite
> UUID
! An invitation to guest@n.example is in the queue: the service sends it as soon as it runs.
$ accounts show guest@n.example
> FIELD          VALUE
> id             UUID
> email          guest@n.example
> name           Guest
> status         active
> password       none; invited to choose one
> passkeys       none
> second factor  none
> created        TIME
> updated        TIME
$ accounts list
> ID                                    EMAIL            NAME        STATUS  PASSWORD
> UUID  guest@n.example  Guest       active  invited
> UUID  new@n.example    New One     active  no
> UUID  zoe@n.example    Zoé Martin  active  yes
$ accounts list --deletion-requested
> ID  EMAIL  NAME  STATUS  DELETION REQUESTED
$ accounts sessions zoe@n.example
! zoe@n.example is not signed in anywhere.
$ accounts passkeys zoe@n.example
> ID  NAME  CREATED  LAST USED  SYNCED
$ accounts sessions zoe@n.example --json
> []
$ accounts passkeys zoe@n.example --json
> []`);
    expect(await left()).toEqual({
      events: [
        ['account.added', { email: 'zoe@n.example' }],
        ['account.added', { email: 'new@n.example' }],
        ['account.added', { email: 'guest@n.example' }],
        ['account.invited', {}],
      ],
      mails: [['invitation', '', null, {}]],
    });
  });

  it('add: what is refused', async () => {
    await add('zoe');
    const needed = '! accounts add needs --name, or --given and --family.\nexit 2: accounts add --help';
    await says(
      `# accounts add --email a@n.example --given Zoé
${needed}
# accounts add --email a@n.example --family Martin
${needed}
# accounts add --email zoe@n.example --name Zoé
! "zoe@n.example" has an account already. See: hygie accounts show zoe@n.example
exit 1
# accounts add --email zoe.example --given Zoé --family " " --picture ftp://x --practitioner "a b" --workspace "Organization/?"
! "zoe.example" is no e-mail address. Write name@host.example.
! The family name is empty. Write at least one letter.
! The picture "ftp://x" is no https address. Write https://...
! "a b" is no id of a Practitioner. Write ID or Practitioner/ID.
! "Organization/?" is no id of a Organization. Write ID or Organization/ID.
exit 1
# accounts add --email a@n.example --name {201 letters} --nickname "ab"
! The name has more than 200 characters. Shorten it.
! The nickname holds a control character, or another one that cannot be seen. Remove it.
exit 1
# accounts add --email a@n.example --name A --picture https://user@n.example/
! The picture "https://user@n.example/" is no https address. Write https://...
exit 1
# accounts add --email a@n.example --name A --picture https://n.example/{1983 letters}
! The picture "https://n.example/x…" is no https address. Write https://...
exit 1
# accounts add --email a@n.example --name A --picture https://n.example/{1982 letters}
> UUID
! a@n.example has no password yet: hygie accounts set-password UUID
# accounts add --email b@n.example --name B --keep-password
! accounts add takes --keep-password with --password-stdin only.
exit 2: accounts add --help
# accounts add --email b@n.example --name B --password-stdin --invite
! accounts add takes either --invite or --password-stdin.
exit 2: accounts add --help
# accounts add --email b@n.example --name B --password-stdin <<< {two lines}
! Standard input holds more than one line. Give one line.
exit 1
# accounts add --email b@n.example --name B --password-stdin <<< {10001 letters}
! Standard input holds more than a password. Give one line.
exit 1
# accounts add --email b@n.example --name B --password-stdin <<< {10000 letters}
! The password has more than 256 characters. Make it shorter.
exit 1
$ NODE_ENV=production HYGIE_ISSUER=https://connect.example accounts add --email b@n.example --name B --invite
! database: DIR/data/hygie.sqlite (production)
! No invitation can be sent: service.yaml names no mail server.
! Remedy: set mail there and try it with hygie mail test --to YOUR-ADDRESS, or set passwords with --password-stdin.
exit 1
$ accounts show nobody
! There is no account "nobody". See: hygie accounts list
exit 1
$ accounts show UUID
! There is no account "UUID". See: hygie accounts list
exit 1`,
      {
        ...Object.fromEntries([201, 1982, 1983, 10_000, 10_001].map((many) => [`${many} letters`, 'x'.repeat(many)])),
        'two lines': 'one\ntwo',
      },
    );
  });
});
