// A person with an account of their own for each test, before pages that a mail leads to; and what such a page says, line by line.

import { beforeEach } from '@jest/globals';
import { openAccounts } from '#store/accounts/accounts.ts';
import { englishPerson } from '#support/openid/account/person-of-account.ts';
import { service } from '#support/openid/with-service.ts';
import { transcript } from '#support/page-transcript.ts';
import type { Person, Visit } from '#support/person.ts';

interface Met {
  /** A new browser in English. */
  person: Person;
  id: string;
  email: string;
}

/** To be called after `withService`. `meet` takes the person of each test. */
export function withPersonOfLink(name: string, meet: (met: Met) => void): void {
  let count = 0;
  beforeEach(async () => {
    count += 1;
    const email = `noe-${count}@clinic.example`;
    const [created] = await openAccounts(service.database).create([{ email, name }]);
    meet({ person: englishPerson(service.issuer), id: created?.id ?? '', email });
  });
}

/** What a page says, with its status, and with ADDRESS and TOKEN in place of those of the person. */
export const said = ({ status, html }: Pick<Visit, 'status' | 'html'>, email: string): string =>
  `${status}\n${transcript(html, { ids: true }).replaceAll(email, 'ADDRESS')}`.replaceAll(/\/[\w-]{43}\b/g, '/TOKEN');
