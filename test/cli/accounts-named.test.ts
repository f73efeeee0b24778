// operations.md, `accounts`: all that an operator reads of names and links of accounts.

import { describe, expect, it } from '@jest/globals';
import { transcripts } from '#support/cli/transcript.ts';

describe('accounts, word for word', () => {
  const { says, add, left } = transcripts();

  it('set-name and set-picture', async () => {
    await add('zoe', '--nickname', 'Zo');
    await says(`# accounts set-name zoe@n.example --family Durand --picture https://n.example/z.png
! zoe@n.example is now "Zoé Durand" (given name Zoé, family name Durand, picture https://n.example/z.png).
# accounts set-name zoe@n.example --given "" --profile https://n.example/z --json
> {
>   "id": "UUID",
>   "email": "zoe@n.example",
>   "emailVerified": false,
>   "name": "Zoé Durand",
>   "family": "Durand",
>   "nickname": "Zo",
>   "picture": "https://n.example/z.png",
>   "profile": "https://n.example/z",
>   "practitioners": [],
>   "workspaces": [],
>   "status": "active",
>   "hasPassword": false,
>   "passwordChangeRequired": false,
>   "createdAt": SECONDS,
>   "updatedAt": SECONDS
> }
! zoe@n.example is now "Zoé Durand" (family name Durand).
# accounts set-name zoe@n.example --family "" --name "Dr Z" --nickname "" --profile ""
! zoe@n.example is now "Dr Z".
# accounts set-picture zoe@n.example --none
! zoe@n.example is now "Dr Z" (picture of the initials).
# accounts set-name zoe@n.example
! accounts set-name needs --name, --given, --family, --nickname, --picture or --profile.
exit 2: accounts set-name --help
# accounts set-name zoe@n.example --name "" --picture x --profile http://n.example --given "\u0007"
! The given name holds a control character, or another one that cannot be seen. Remove it.
! The name is empty. Write at least one letter.
! The picture "x" is no https address. Write https://...
! The profile "http://n.example" is no https address. Write https://...
exit 1
# accounts set-picture zoe@n.example http://n.example/z.png
! The picture "http://n.example/z.png" is no https address. Write https://...
exit 1
# accounts set-picture zoe@n.example https://n.example/p.png
! zoe@n.example is now "Dr Z" (picture https://n.example/p.png).
# accounts set-picture zoe@n.example
! accounts set-picture needs URL, or --none for the initials.
exit 2: accounts set-picture --help
# accounts set-picture zoe@n.example https://n.example --none
! accounts set-picture needs URL, or --none for the initials.
exit 2: accounts set-picture --help`);
    expect(await left()).toEqual({
      events: [
        ['account.added', { email: 'zoe@n.example' }],
        ['account.renamed', { fields: ['family', 'name', 'picture'] }],
        ['account.renamed', { fields: ['given', 'profile'] }],
        ['account.renamed', { fields: ['family', 'name', 'nickname', 'profile'] }],
        ['account.renamed', { fields: ['picture'] }],
        ['account.renamed', { fields: ['picture'] }],
      ],
      mails: [],
    });
  });

  it('set-email', async () => {
    await add('zoe');
    await add('max');
    await says(`# accounts set-email zoe@n.example z@h.example
! zoe@n.example is now z@h.example (not verified).
# accounts set-email Z@h.example z@h.example
! z@h.example is the address already. Nothing was changed. To mark it as verified: --email-verified
exit 1
# accounts set-email z@h.example z@h.example --email-verified
! z@h.example is now z@h.example (verified).
# accounts set-email z@h.example zoe@h.example --email-verified
! z@h.example is now zoe@h.example (verified).
# accounts set-email zoe@h.example MAX@n.example
! "MAX@n.example" has an account already. See: hygie accounts show MAX@n.example
exit 1
# accounts set-email zoe@h.example zoe
! "zoe" is no e-mail address. Write name@host.example.
exit 1
# accounts set-email zoe@n.example zoe@h.example
! There is no account "zoe@n.example". See: hygie accounts list
exit 1
# accounts set-email max@n.example m@h.example --json
> {
>   "id": "UUID",
>   "email": "m@h.example",
>   "emailVerified": false,
>   "name": "Zoé Martin",
>   "given": "Zoé",
>   "family": "Martin",
>   "practitioners": [],
>   "workspaces": [],
>   "status": "active",
>   "hasPassword": false,
>   "passwordChangeRequired": false,
>   "createdAt": SECONDS,
>   "updatedAt": SECONDS
> }
! max@n.example is now m@h.example (not verified).`);
    // The address that the person had before is informed, since somebody else may have asked for the change.
    expect(await left()).toEqual({
      events: [
        ['account.added', { email: 'zoe@n.example' }],
        ['account.added', { email: 'max@n.example' }],
        ['account.email-changed', { before: 'zoe@n.example' }],
        ['account.email-verified', {}],
        ['account.email-changed', { before: 'z@h.example' }],
        ['account.email-changed', { before: 'max@n.example' }],
      ],
      mails: [
        ['notice', 'account.email-changed', 'zoe@n.example', { byOperator: true }],
        ['notice', 'account.email-changed', 'z@h.example', { byOperator: true }],
        ['notice', 'account.email-changed', 'max@n.example', { byOperator: true }],
      ],
    });
  });

  it('link and unlink', async () => {
    await add('zoe', '--practitioner', 'P1', '--workspace', 'F1', '--workspace', 'F2');
    await says(`# accounts link zoe@n.example --practitioner Practitioner/P2 --current-workspace F2
! zoe@n.example: 2 practitioners, 2 workspaces.
# accounts link zoe@n.example --replace --practitioner P3
! zoe@n.example: 1 practitioner, 2 workspaces.
# accounts link zoe@n.example --current-workspace Organization/F9
! Organization/F9 is none of the account's workspaces. Add it with --workspace.
exit 1
# accounts link zoe@n.example
! accounts link needs --practitioner, --workspace or --current-workspace.
exit 2: accounts link --help
# accounts link zoe@n.example --workspace "F 3" --practitioner Organization/F1
! "Organization/F1" is no id of a Practitioner. Write ID or Practitioner/ID.
! "F 3" is no id of a Organization. Write ID or Organization/ID.
exit 1
# accounts unlink zoe@n.example --workspace F2
! zoe@n.example: 1 practitioner, 1 workspace.
# accounts unlink zoe@n.example --practitioner P1 --workspace F7
! The account is not linked to Practitioner/P1, Organization/F7. Nothing was changed. See: hygie accounts show UUID
exit 1
# accounts unlink zoe@n.example --practitioner P3
! zoe@n.example: 0 practitioners, 1 workspace.
# accounts unlink zoe@n.example
! accounts unlink needs --practitioner or --workspace.
exit 2: accounts unlink --help
$ accounts list --unlinked
! 0 links of 0 accounts do not hold.`);
    expect((await left()).events).toEqual([
      ['account.added', { email: 'zoe@n.example' }],
      ['account.linked', { practitioners: ['P1', 'P2'], workspaces: ['F1', 'F2'], currentWorkspace: 'F2' }],
      ['account.linked', { practitioners: ['P3'], workspaces: ['F1', 'F2'], currentWorkspace: 'F2' }],
      ['account.linked', { practitioners: ['P3'], workspaces: ['F1'], currentWorkspace: 'F1' }],
      ['account.linked', { practitioners: [], workspaces: ['F1'], currentWorkspace: 'F1' }],
    ]);
  });
});
