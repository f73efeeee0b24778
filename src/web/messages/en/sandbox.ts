// The English messages of a sandbox: the notice on every page, and the page behind it.

import type { sandbox as french } from '../fr/sandbox.ts';

export const sandbox: typeof french = {
  label: 'Test service',
  notice: 'Sandbox: a test service. The people in it are fictional, do not enter real data.',
  more: 'Learn more',
  signInAs: 'To try it, sign in as a fictional person:',
  withPassword: 'and the password',
  title: 'About this sandbox',
  introduction: (service) =>
    `Here integrators try their applications with ${service}, as in production but without any real person.`,
  facts: 'What to know',
  people: 'The accounts are those of invented people, or of testers.',
  rights: 'Nothing that is signed here counts in production: its keys, accounts and tokens are others.',
  data: 'Do not enter data of real people: everybody can sign in here.',
  lost: 'The data may be wiped at any time.',
  accounts: 'Sign in',
  accountsAbout: 'All of these people have the same password:',
  askOperator: 'Ask the team that runs this service for a test account.',
};
