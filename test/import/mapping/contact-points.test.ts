// Directory data 3: contacts: numbers in any form, mail addresses, and the secure mailboxes of one owner with what their operators say.

import { describe, expect, it } from '@jest/globals';
import { mailContact, numberContact, secureMail } from '#import/mapping/contact-points.ts';
import { M } from '#import/registers/person-columns.ts';

describe('contacts', () => {
  it.each([
    ['01 23 45 67 89', 'phone|0123456789'],
    ['+33 1 23 45 67 89', 'phone|0123456789'],
    ['15', 'phone|15'],
  ])('the number %s is kept as it is written, and known as %s', (value, identity) => {
    expect(numberContact('phone', value)).toEqual({ element: { system: 'phone', value, use: 'work' }, identity });
  });

  it('a number without meaning is none, nor is an empty one', () => {
    expect(['', '1', '0000000000', 'x'].map((value) => numberContact('fax', value))).toEqual([
      undefined,
      'meaningless',
      'meaningless',
      'meaningless',
    ]);
  });

  it('a mail address is known without case', () => {
    const value = 'A.B@x.example';
    expect(mailContact(value)).toEqual({
      element: { system: 'email', value, use: 'work' },
      identity: 'email|a.b@x.example',
    });
    expect(mailContact('nobody')).toBeUndefined();
  });

  const row = (address: string, paperless = '', service = '') => {
    const cells: string[] = [];
    for (let at = 0; at <= Math.max(M.address, M.paperless, M.service); at++) cells.push('');
    [cells[M.address], cells[M.paperless], cells[M.service]] = [address, paperless, service];
    return cells as never;
  };
  const facts = (paperless: string, service: string) => {
    const [{ element } = { element: {} }] = secureMail([row('a@x.example', paperless, service)]);
    const [type, more] = (element as { extension: { url: string; valueCoding?: object; extension?: object[] }[] })
      .extension;
    expect(type).toMatchObject({ valueCoding: { code: 'MSSANTE' } });
    return more?.extension;
  };

  const service = { url: 'service', valueString: 'Accueil' };
  const paperless = (valueBoolean: boolean) => ({ url: 'digitization', valueBoolean });
  it.each<[string, string, object[] | undefined]>([
    ['', '', undefined],
    ['?', '', undefined],
    ['O', '', [paperless(true)]],
    ['n', '', [paperless(false)]],
    ['', 'Accueil', [service]],
    ['o', 'Accueil', [service, paperless(true)]],
    ['N', 'Accueil', [service, paperless(false)]],
  ])('a secure mailbox with paperless %j and the service %j has %j', (digital, name, extension) => {
    expect(facts(digital, name)).toEqual(extension);
  });

  it('secure mailboxes come once each in any case, in alphabetical order, and are ranked', () => {
    const found = secureMail(['b@x', 'A@x', 'B@X', 'c@x'].map((address) => row(address)));
    expect(found.map(({ element, identity }) => [element['value'], element['rank'], identity])).toEqual([
      ['A@x', 1, 'email|a@x'],
      ['b@x', 2, 'email|b@x'],
      ['c@x', 3, 'email|c@x'],
    ]);
    expect(secureMail([])).toEqual([]);
  });
});
