// Mails to the operator: who gets them, how often, and what of the reasons stands in them.

import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { notifyOperator } from '#server/notify-operator.ts';
import { openTestDatabase, type TestDatabase } from '#support/databases.ts';

let opened: TestDatabase;

type MailSettings = Parameters<typeof notifyOperator>[1];
const mailTo = (operator?: string) => ({ mail: { ...(operator && { operator }) } }) as MailSettings;
const OPERATOR = mailTo('it@clinic.example');

const queued = async () => {
  const rows: { address: string; details: string }[] = await opened.database('mail_queue').where({ kind: 'operator' });
  return rows.map(({ address, details }) => ({ address, lines: JSON.parse(details).reasons.split('\n') as string[] }));
};

describe('notifyOperator', () => {
  beforeAll(async () => {
    opened = await openTestDatabase('sqlite');
  });

  afterEach(() => opened.database('mail_queue').delete());

  afterAll(() => opened.close());

  it.each([
    ['an address', OPERATOR, ['it@clinic.example']],
    ['a mailbox with a name', mailTo('The team <it@clinic.example>'), ['it@clinic.example']],
    ['no operator', mailTo(), []],
    ['no mail server', {} as MailSettings, []],
  ])('with %s', async (_, settings, addresses) => {
    const told = await notifyOperator(opened.database, settings, 'backup.failed', ['the disk is full']);
    expect(told).toBe(addresses.length > 0);
    expect(await queued()).toEqual(addresses.map((address) => ({ address, lines: ['the disk is full'] })));
  });

  it('tells the same reasons once a day, and others at once', async () => {
    const tell = (about: Parameters<typeof notifyOperator>[2], reason: string) =>
      notifyOperator(opened.database, OPERATOR, about, [reason]);
    expect(await tell('backup.failed', 'the disk is full')).toBe(true);
    expect(await tell('backup.failed', 'the disk is full')).toBe(false);
    expect(await tell('backup.failed', 'the disk is gone')).toBe(true);
    expect(await tell('directory.refused', 'the disk is full')).toBe(true);
    const aDayAgo = opened.database.raw('created_at - 86401');
    await opened.database('mail_queue').update({ created_at: aDayAgo });
    expect(await tell('backup.failed', 'the disk is full')).toBe(true);
  });

  it('cuts many and long reasons, and leaves secrets out', async () => {
    const secret = 'postgres://hygie:opens-nothing@db.clinic.example/hygie';
    const reasons = [`cannot connect to ${secret}`, 'x'.repeat(2000), ...Array.from({ length: 40 }, (_, n) => `${n}`)];
    await notifyOperator(opened.database, OPERATOR, 'backup.failed', reasons);
    const [{ lines } = { lines: [] }] = await queued();
    expect(lines[0]).toContain('db.clinic.example');
    expect(lines[0]).not.toContain('opens-nothing');
    expect(lines.slice(1)).toEqual(['x'.repeat(500), ...Array.from({ length: 28 }, (_, n) => `${n}`)]);
  });
});
