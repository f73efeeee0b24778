// operations.md, `accounts`: all that an operator reads of accounts that a file holds.

import { describe, expect, it } from '@jest/globals';
import { transcripts } from '#support/cli/transcript.ts';

describe('accounts, word for word', () => {
  const { hygie, at, says, file, add, left } = transcripts();

  it('import', async () => {
    await add('zoe');
    const id = '6F1A2C9E-0b7d-4c53-9a41-3d5e8f700001';
    const scrypt = `scrypt$ln=4,r=1,p=1$${'A'.repeat(22)}$${'A'.repeat(43)}`;
    file(
      'good.csv',
      [
        'Email,Given,family,nick_name,Picture,practitioners,workspaces,id,passwordHash,emailVerified',
        `a@n.example,A,B,N,https://n.example/a,P1|P2 P1,F1,${id},"${scrypt}",YES`,
        'b@n.example,"C, D",E,,,,,,,0',
        '',
      ].join('\n'),
    );
    file(
      'bad.csv',
      `email,name,id,emailVerified,passwordHash,workspaces\nzoe@n.example,Z,${id.slice(1)},maybe,plain,a/b\n`,
    );
    file(
      'twice.csv',
      `email,name,id\na@n.example,A,${id}\nb@n.example,B,${id.toLowerCase()}\nA@n.example,C,\nd@n.example\n`,
    );
    const cells = [
      'zoe@n.example,Taken',
      'not-an-address,',
      '"b@n.example","B',
      'two lines"',
      'short@n.example',
      'c\u200b@n.example,C',
    ];
    file('cells.csv', ['email,name', ...cells].join('\n'));
    file('taken.csv', `email,name,id\nc@n.example,C,${id}\n`);
    file('columns.csv', 'nom;email;mail;email\n');
    file('halves.csv', 'email,given\n');
    file('empty.csv', '');
    file('head.csv', 'email,name\n');
    file('latin.csv', Buffer.from('email,name\na@n.example,Zo\xe9\n', 'latin1'));
    file('open.csv', 'email,name\na@n.example,A\n"b@n.example,B\n');
    await says(`$ accounts import DIR/good.csv --dry-run
! The file is good; nothing was imported.
# accounts import DIR/good.csv --invite
> UUID	a@n.example
> UUID	b@n.example
! Imported: 2.
! Invited: 1; the service sends the mails. Not invited, because they have a password: 1.
# accounts import DIR/bad.csv
! DIR/bad.csv:2 The id is no UUID. Leave it empty for a new one.
! DIR/bad.csv:2 emailVerified is neither true nor false.
! DIR/bad.csv:2 passwordHash is no scrypt hash (its value is not shown). Leave it empty, and then: hygie accounts set-password EMAIL
! DIR/bad.csv:2 "a/b" is no id of a Organization. Write ID or Organization/ID.
! Nothing was imported: 4 faults.
exit 1
# accounts import DIR/twice.csv
! DIR/twice.csv:2 "a@n.example" has an account already. Remove the line.
! DIR/twice.csv:2 The id UUID is taken. Leave it empty.
! DIR/twice.csv:3 "UUID" stands in line 2 too. Keep one of them.
! DIR/twice.csv:4 "a@n.example" stands in line 2 too. Keep one of them.
! DIR/twice.csv:5 Has 1 cells, the line of column names has 3.
! Nothing was imported: 5 faults.
exit 1
# accounts import DIR/cells.csv
! DIR/cells.csv:2 "zoe@n.example" has an account already. Remove the line.
! DIR/cells.csv:3 The name is empty. Write name, or given and family.
! DIR/cells.csv:3 "not-an-address" is no e-mail address. Write name@host.example.
! DIR/cells.csv:4 The name holds a control character, or another one that cannot be seen. Remove it.
! DIR/cells.csv:6 Has 1 cells, the line of column names has 2.
! DIR/cells.csv:7 The e-mail address holds a control character, or another one that cannot be seen. Remove it.
! Nothing was imported: 6 faults.
exit 1
# accounts import DIR/taken.csv
! DIR/taken.csv:2 The id UUID is taken. Leave it empty.
! Nothing was imported: 1 fault.
exit 1
# accounts import DIR/columns.csv
! DIR/columns.csv:1 Unknown column "nom". Known columns: email, name, given, family, nickname, picture, profile, practitioners, workspaces, emailVerified, id, passwordHash.
! DIR/columns.csv:1 Unknown column "mail". Did you mean "email"?
! DIR/columns.csv:1 The column "name" is missing. Add it, or "given" and "family".
! DIR/columns.csv:1 The column "email" stands twice. Keep one.
! Nothing was imported: 4 faults.
exit 1
# accounts import DIR/halves.csv
! DIR/halves.csv:1 The column "name" is missing. Add it, or "given" and "family".
! Nothing was imported: 1 fault.
exit 1
# accounts import DIR/empty.csv
! DIR/empty.csv has no line of column names. Write: email,name
exit 1
# accounts import DIR/head.csv
! DIR/head.csv has no account below its column names.
! Nothing was imported: 1 fault.
exit 1
# accounts import DIR/latin.csv
! DIR/latin.csv is not UTF-8 text. Save it as CSV UTF-8.
exit 1
# accounts import DIR/open.csv
! DIR/open.csv:3 Quote Not Closed: the parsing is finished with an opening quote at line 3. Close each quotation mark, and double those inside a cell. Nothing was imported.
exit 1
# accounts import DIR/none.csv
! DIR/none.csv cannot be read (ENOENT).
exit 1
# accounts import DIR
! DIR cannot be read (EISDIR).
exit 1`);
    expect(JSON.parse((await hygie(['accounts', 'show', 'a@n.example', '--json'])).stdout)).toMatchObject({
      id: id.toLowerCase(),
      emailVerified: true,
      name: 'A B',
      given: 'A',
      family: 'B',
      nickname: 'N',
      picture: 'https://n.example/a',
      practitioners: ['P1', 'P2'],
      workspaces: ['F1'],
      hasPassword: true,
    });
    file('json.csv', 'email;name\nj@n.example;J\n');
    const { stdout } = await hygie(['accounts', 'import', at('json.csv'), '--json']);
    expect(JSON.parse(stdout)).toMatchObject([
      { email: 'j@n.example', name: 'J', hasPassword: false, emailVerified: false },
    ]);
    expect(await left()).toEqual({
      events: [
        ['account.added', { email: 'zoe@n.example' }],
        ['account.imported', { accounts: 2 }],
        ['account.invited', {}],
        ['account.imported', { accounts: 1 }],
      ],
      mails: [['invitation', '', null, {}]],
    });
  });
});
