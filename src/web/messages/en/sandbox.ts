// The English messages of a sandbox: the notice on every page, and the page behind it.

import type { sandbox as french } from '#web/messages/fr/sandbox.ts';

export const sandbox: typeof french = {
  label: 'Test service',
  notice: 'Sandbox: a test service. The people in it are fictional. Don’t enter real data.',
  more: 'Learn more',
  signInAs: 'To try it, sign in as a fictional person:',
  withPassword: 'and the password',
  title: 'About this sandbox',
  introduction: (service) =>
    `This is where integrators try their applications with ${service}, as in production but without real people.`,
  facts: 'What to know',
  people: 'The accounts belong to fictional people, or to testers.',
  rights: 'Nothing signed here counts in production, which has its own keys, accounts and tokens.',
  data: 'Don’t enter data about real people: anybody can sign in here.',
  lost: 'The data may be wiped at any time.',
  accounts: 'Sign in',
  accountsAbout: 'All of these people have the same password:',
  askOperator: 'Ask the team that runs this service for a test account.',
};
